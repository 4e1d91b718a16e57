#include "sotto/release/private_vocabulary.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sotto/base/error.h"
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

// FNV-1a, mixed: a fixed shuffle of all words there are.
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

// The same noise on every weight. Neighbours have the same weight at all words but those of two
// documents, so that the others cost nothing, however many they are: the record is that of the
// numbers in which neighbours can differ, and of the chance that a word of one document passes.
class WeightNoise {
 public:
  WeightNoise(const VocabularyPlan& plan, double deviation, Index documents)
      : deviation_(deviation),
        error_(value_error(documents)),
        record_(on(differing(plan)).record()) {
    record_.precision.epsilon += -std::log1p(-plan.threshold_delta) * kSafeSpectral;
    record_.precision.delta += plan.threshold_delta;
  }

  const ReleaseRecord& record() const { return record_; }

  void release(std::span<const double> weights, NoiseStream stream, std::span<double> out) const {
    on(std::ssize(weights)).release(weights, std::move(stream), out);
  }

 private:
  GaussianMechanism on(std::int64_t numbers) const {
    return GaussianMechanism("words with a large weight", sensitivity(), deviation_, numbers,
                             error_);
  }

  double deviation_;
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

Sensitive<Corpus> select_vocabulary(Sensitive<Corpus> data, const VocabularyPlan& plan,
                                    PrivateRun& run) {
  run.require_budget();
  Corpus corpus = ReleaseAccess::take(std::move(data));
  SOTTO_REQUIRE_AT(!corpus.vocabulary.empty() || corpus.vocabulary_size == 0, "`vocab`",
                   "is needed: these documents have numbers for words, and how many there are "
                   "would be read off them");
  const VocabularyNoise noise = vocabulary_noise(plan, corpus.documents());
  const WeightNoise mechanism(plan, noise.deviation, corpus.documents());
  const Vector exact = word_weights(corpus, plan.own_words);
  std::vector<double> weights(exact.begin(), exact.end());
  weights.push_back(0);  // where there is no word at all, a block still holds a number
  run.publish(mechanism, weights, weights);

  std::vector<std::int32_t> kept;
  for (std::int32_t w = 0; w < corpus.vocabulary_size; ++w) {
    if (exact[w] > 0 && weights[static_cast<std::size_t>(w)] > noise.threshold) kept.push_back(w);
  }
  SOTTO_REQUIRE(!kept.empty(),
                "no word is in enough documents to be released at this epsilon (a weight of {:.0f} "
                "is needed): give `vocab`, more documents or a larger `epsilon`",
                noise.threshold);
  std::sort(kept.begin(), kept.end(), [&](std::int32_t a, std::int32_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b]
                                    : corpus.vocabulary[a] < corpus.vocabulary[b];
  });
  Corpus chosen = restrict_vocabulary(std::move(corpus), kept);
  chosen.vocabulary_is_declared = true;
  return Sensitive<Corpus>(std::move(chosen));
}

std::vector<std::string> public_words(const Sensitive<Corpus>& corpus) {
  const Corpus& view = ReleaseAccess::view(corpus);
  SOTTO_REQUIRE(view.vocabulary_is_declared, "the words of the documents are not public");
  return view.vocabulary;
}

}  // namespace sotto
