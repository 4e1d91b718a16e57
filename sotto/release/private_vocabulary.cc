#include "sotto/release/private_vocabulary.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <unordered_map>

#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/calibration.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

double value_error(Index documents) {
  return gamma(static_cast<double>(sum_depth(documents)) + 8) * static_cast<double>(documents);
}

double sensitivity() { return std::numbers::sqrt2 * kSafeSpectral; }

// z with count Q(z) <= chance, Q the upper tail of the normal distribution: Q falls, so bisect.
double tail_quantile(double chance, double count) {
  double low = 0, high = 40;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    const double tail = 0.5 * std::erfc(middle / std::numbers::sqrt2);
    (count * tail * kSafeSpectral <= chance ? high : low) = middle;
  }
  return high;
}

// Numbers in which neighbours can differ: the words of two documents.
std::int64_t differing(const VocabularyPlan& plan) { return 2 * plan.own_words; }

// The data of the choice: the words of the documents, each with its weight.
struct WordWeights {
  std::vector<std::string> words;
  std::vector<double> weights;
};

// Weights are whole multiples of 2^-32 (private_vocabulary.md, 6).
WordWeights weights_of(const PartialWords& counted) {
  WordWeights exact;
  for (const auto& [word, count] : counted.words()) {
    if (count.weight == 0) continue;  // of none of the words that count
    exact.words.push_back(word);
    exact.weights.push_back(static_cast<double>(count.weight) * 0x1p-32);
  }
  return exact;
}

// Adds noise of one scale to every weight and releases the words whose noisy weight passes the
// threshold, with that weight, the largest first. Neighbours have equal weights for all words
// except those of two documents, so the other words cost nothing, however many there are. The
// record counts the numbers in which neighbours can differ, and the chance that a word of one
// document passes.
class WordChoice {
 public:
  WordChoice(const VocabularyPlan& plan, const VocabularyNoise& noise, Index documents)
      : noise_(noise), error_(value_error(documents)), record_(on(differing(plan)).record()) {
    record_.precision.epsilon += -std::log1p(-plan.threshold_delta) * kSafeSpectral;
    record_.precision.delta += plan.threshold_delta;
  }

  const ReleaseRecord& record() const { return record_; }

  std::vector<WeightedWord> release(const WordWeights& exact, NoiseStream stream) const {
    std::vector<double> noisy = exact.weights;
    noisy.push_back(0);  // even without any word a block holds a number
    on(std::ssize(noisy)).release(noisy, std::move(stream), noisy);
    std::vector<WeightedWord> chosen;
    for (std::size_t w = 0; w < exact.words.size(); ++w) {
      if (noisy[w] > noise_.threshold) chosen.push_back({exact.words[w], noisy[w]});
    }
    std::sort(chosen.begin(), chosen.end(), [](const WeightedWord& a, const WeightedWord& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.word < b.word;
    });
    return chosen;
  }

 private:
  GaussianMechanism on(std::int64_t numbers) const {
    return GaussianMechanism(kVocabularyRelease, sensitivity(), noise_.deviation, numbers, error_);
  }

  VocabularyNoise noise_;
  double error_;
  ReleaseRecord record_;
};

}  // namespace

VocabularyNoise vocabulary_noise(const VocabularyPlan& plan, Index documents) {
  const HiddenBlock hidden{sensitivity() + 2 * value_error(documents),
                           std::sqrt(static_cast<double>(differing(plan)))};
  const double deviation = deviation_for(hidden, plan.mu);
  const double z = tail_quantile(plan.threshold_delta, static_cast<double>(plan.own_words));
  return {deviation, 1 + deviation * z * kSafeSpectral + value_error(documents)};
}

Sensitive<Documents> select_vocabulary(Sensitive<Documents> data, const VocabularyPlan& plan,
                                       PrivateRun& run) {
  run.require_budget();
  Documents documents = ReleaseAccess::take(std::move(data));
  SOTTO_REQUIRE_AT(!documents->vocabulary().names.empty() || documents->vocabulary().size == 0,
                   "`vocab`",
                   "is needed: these documents have numbers for words, and how many there are "
                   "would be read off them");
  const VocabularyNoise noise = vocabulary_noise(plan, documents->documents());
  const WordChoice mechanism(plan, noise, documents->documents());
  const std::vector<WeightedWord> chosen =
      run.choose(mechanism, weights_of(documents->count_words(plan.own_words))).value();
  SOTTO_REQUIRE(!chosen.empty(),
                "no word is in enough documents to be released at this epsilon (a weight of {:.0f} "
                "is needed): give `vocab`, more documents or a larger `epsilon`",
                noise.threshold);
  std::vector<std::string> words;
  words.reserve(chosen.size());
  for (const WeightedWord& word : chosen) words.push_back(word.word);
  documents->set_vocabulary(std::move(words), true);
  return Sensitive<Documents>(std::move(documents));
}

std::vector<std::string> public_words(const Sensitive<Documents>& documents) {
  const DocumentWords& words = ReleaseAccess::view(documents)->vocabulary();
  SOTTO_REQUIRE(words.is_declared, "the words of the documents are not public");
  return words.names;
}

std::vector<std::string> public_words(const Sensitive<Corpus>& corpus) {
  const Corpus& view = ReleaseAccess::view(corpus);
  SOTTO_REQUIRE(view.vocabulary_is_declared, "the words of the documents are not public");
  return view.vocabulary;
}

}  // namespace sotto
