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

// Weights that get noise, whatever the number of words: the number of words is not public.
constexpr std::int64_t kMostWords = std::int64_t{1} << 22;

constexpr double kSafe = 1 + 0x1p-30;

double value_error(Index documents) {
  return gamma(static_cast<double>(sum_depth(documents)) + 8) * static_cast<double>(documents);
}

double sensitivity() { return std::numbers::sqrt2 * kSafe; }

// z with count Q(z) <= chance, Q the upper tail of the normal distribution: Q falls, so bisect.
double tail_quantile(double chance, double count) {
  double low = 0, high = 40;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    const double tail = 0.5 * std::erfc(middle / std::numbers::sqrt2);
    (count * tail * kSafe <= chance ? high : low) = middle;
  }
  return high;
}

// sum over documents of 1/sqrt(m) at their m words.
Vector word_weights(const Corpus& corpus) {
  CountMatrix by_word = transposed(corpus.view());
  std::fill(by_word.count.begin(), by_word.count.end(), 1);
  Vector share(corpus.documents());
  for (Index n = 0; n < corpus.documents(); ++n) {
    const auto words = static_cast<double>(corpus.words_of(n).size());
    share[n] = words > 0 ? 1 / std::sqrt(words) : 0;
  }
  return multiply(by_word.view(), share);
}

}  // namespace

VocabularyNoise vocabulary_noise(const VocabularyPlan& plan, Index documents) {
  const HiddenBlock hidden{sensitivity() + 2 * value_error(documents),
                           std::sqrt(static_cast<double>(kMostWords))};
  const double deviation = deviation_for(hidden, plan.mu);
  const double z = tail_quantile(plan.threshold_delta, static_cast<double>(kMostWords));
  return {deviation, 1 + deviation * z * kSafe + value_error(documents)};
}

Sensitive<Corpus> select_vocabulary(Sensitive<Corpus> data, const VocabularyPlan& plan,
                                    Budget& budget, NoiseKey& key, Ledger& ledger) {
  Corpus corpus = ReleaseAccess::take(std::move(data));
  SOTTO_REQUIRE(corpus.vocabulary_size <= kMostWords,
                "a private vocabulary is chosen among at most {} different words", kMostWords);
  SOTTO_REQUIRE_AT(!corpus.vocabulary.empty() || corpus.vocabulary_size == 0, "--vocab",
                   "is needed: these documents have numbers for words, and how many there are "
                   "would be read off them");
  const VocabularyNoise noise = vocabulary_noise(plan, corpus.documents());
  const GaussianMechanism mechanism("words with a large weight", sensitivity(), noise.deviation,
                                    kMostWords, value_error(corpus.documents()));
  ReleaseRecord record = mechanism.record();
  record.precision.epsilon += -std::log1p(-plan.threshold_delta) * kSafe;
  record.precision.delta += plan.threshold_delta;
  budget.charge(Spend{record.cost, record.count});
  ledger.add(record);
  Vector weights = Vector::Zero(kMostWords);
  weights.head(corpus.vocabulary_size) = word_weights(corpus);
  const std::span<double> span(weights.data(), static_cast<std::size_t>(kMostWords));
  mechanism.release(span, key.open_stream(), span);

  std::vector<std::int32_t> kept;
  for (std::int32_t w = 0; w < corpus.vocabulary_size; ++w) {
    if (weights[w] > noise.threshold) kept.push_back(w);
  }
  SOTTO_REQUIRE(!kept.empty(),
                "no word is in enough documents to be released at this epsilon (a weight of {:.0f} "
                "is needed): give --vocab, more documents or a larger --epsilon",
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
