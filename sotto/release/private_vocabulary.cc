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

// FNV-1a, mixed: a fixed shuffle of all words.
std::uint64_t place_of(const std::string& word) {
  std::uint64_t x = 0xcbf29ce484222325;
  for (const char c : word) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The words of a document that count, at most `most`: a function of the document alone.
std::vector<std::int32_t> counted_words(const Corpus& corpus, Index n, Index most) {
  const auto all = corpus.words_of(n);
  std::vector<std::int32_t> words(all.begin(), all.end());
  if (std::ssize(words) <= most) return words;
  std::vector<std::pair<std::uint64_t, std::int32_t>> placed;
  placed.reserve(words.size());
  for (const std::int32_t w : words) placed.emplace_back(place_of(corpus.vocabulary[w]), w);
  const auto earlier = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : corpus.vocabulary[a.second] < corpus.vocabulary[b.second];
  };
  std::nth_element(placed.begin(), placed.begin() + most, placed.end(), earlier);
  words.clear();
  for (Index i = 0; i < most; ++i) words.push_back(placed[static_cast<std::size_t>(i)].second);
  return words;
}

// sum over documents of 1/sqrt(m) at their m words that count.
Vector word_weights(const Corpus& corpus, Index own_words) {
  CountMatrix counted;
  counted.cols = corpus.vocabulary_size;
  counted.begin.push_back(0);
  Vector share(corpus.documents());
  for (Index n = 0; n < corpus.documents(); ++n) {
    const std::vector<std::int32_t> words = counted_words(corpus, n, own_words);
    share[n] = words.empty() ? 0 : 1 / std::sqrt(static_cast<double>(words.size()));
    counted.column.insert(counted.column.end(), words.begin(), words.end());
    counted.begin.push_back(std::ssize(counted.column));
  }
  counted.count.assign(counted.column.size(), 1);
  return multiply(transposed(counted.view()).view(), share);
}

// Numbers in which neighbours can differ: the words of two documents.
std::int64_t differing(const VocabularyPlan& plan) { return 2 * plan.own_words; }

// The data of the choice: the words of the documents, each with its weight.
struct WordWeights {
  const std::vector<std::string>& words;
  Vector weights;
};

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
    std::vector<double> noisy(exact.weights.begin(), exact.weights.end());
    noisy.push_back(0);  // even without any word a block holds a number
    on(std::ssize(noisy)).release(noisy, std::move(stream), noisy);
    std::vector<WeightedWord> chosen;
    for (std::size_t w = 0; w < exact.words.size(); ++w) {
      const bool occurs = exact.weights[static_cast<Index>(w)] > 0;
      if (occurs && noisy[w] > noise_.threshold) chosen.push_back({exact.words[w], noisy[w]});
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

// The documents over these words, in this order. The list alone decides which words there are: a
// word that no document has becomes a word without counts.
Corpus over_words(Corpus corpus, const std::vector<WeightedWord>& words) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < words.size(); ++i) place.emplace(words[i].word, i);
  constexpr std::int32_t nowhere = -1;
  std::vector<std::int32_t> kept(words.size(), nowhere);
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
    const auto found = place.find(corpus.vocabulary[w]);
    if (found != place.end()) kept[found->second] = static_cast<std::int32_t>(w);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (kept[i] != nowhere) continue;
    kept[i] = static_cast<std::int32_t>(corpus.vocabulary_size++);
    corpus.vocabulary.push_back(words[i].word);
  }
  return restrict_vocabulary(std::move(corpus), kept);
}

}  // namespace

VocabularyNoise vocabulary_noise(const VocabularyPlan& plan, Index documents) {
  const HiddenBlock hidden{sensitivity() + 2 * value_error(documents),
                           std::sqrt(static_cast<double>(differing(plan)))};
  const double deviation = deviation_for(hidden, plan.mu);
  const double z = tail_quantile(plan.threshold_delta, static_cast<double>(plan.own_words));
  return {deviation, 1 + deviation * z * kSafeSpectral + value_error(documents)};
}

Sensitive<Corpus> select_vocabulary(Sensitive<Corpus> data, const VocabularyPlan& plan,
                                    PrivateRun& run) {
  run.require_budget();
  Corpus corpus = ReleaseAccess::take(std::move(data));
  SOTTO_REQUIRE_AT(!corpus.vocabulary.empty() || corpus.vocabulary_size == 0, "`vocab`",
                   "is needed: these documents have numbers for words, and how many there are "
                   "would be read off them");
  const VocabularyNoise noise = vocabulary_noise(plan, corpus.documents());
  const WordChoice mechanism(plan, noise, corpus.documents());
  const std::vector<WeightedWord> chosen =
      run.choose(mechanism, WordWeights{corpus.vocabulary, word_weights(corpus, plan.own_words)})
          .value();
  SOTTO_REQUIRE(!chosen.empty(),
                "no word is in enough documents to be released at this epsilon (a weight of {:.0f} "
                "is needed): give `vocab`, more documents or a larger `epsilon`",
                noise.threshold);
  Corpus result = over_words(std::move(corpus), chosen);
  result.vocabulary_is_declared = true;
  return Sensitive<Corpus>(std::move(result));
}

std::vector<std::string> public_words(const Sensitive<Corpus>& corpus) {
  const Corpus& view = ReleaseAccess::view(corpus);
  SOTTO_REQUIRE(view.vocabulary_is_declared, "the words of the documents are not public");
  return view.vocabulary;
}

}  // namespace sotto
