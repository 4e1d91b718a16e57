#include "sotto/release/published_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/privacy/accountant.h"
#include "sotto/release/private_documents.h"

namespace sotto {
namespace {

using sotto::testing::random_corpus;

constexpr PrivacyTarget kPublishedTarget{1, 1e-5};

PrivacyStatement statement_of(const PrivacyTarget& target) {
  PrivacyStatement statement = document_statement({20, 7}, target);
  statement.budget.reset();
  statement.claimed = PrivacyClaim{target.epsilon, target.delta};
  return statement;
}

Certificate certificate_of(MomentNoise noise, double alpha0, const PrivacyTarget& target,
                           NoiseKey key = NoiseKey::from_system()) {
  PrivateRun run(statement_of(target), std::move(key));
  const Sensitive<Corpus> corpus(random_corpus(20, 7, 1));
  release_published_moments(corpus, noise, {alpha0, target}, run);
  return run.certify();
}

// A document that repeats one word three times.
void add_repeated(Corpus& corpus, std::int32_t word) {
  corpus.word.push_back(word);
  corpus.count.push_back(3);
  corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
}

// Documents 1 to n - 1 repeat a word of their own each, the last one repeats `last`.
Corpus spread_corpus(Index n, std::int32_t last) {
  Corpus corpus;
  corpus.vocabulary_size = n + 1;
  for (std::int32_t w = 0; w < n - 1; ++w) add_repeated(corpus, w);
  add_repeated(corpus, last);
  return corpus;
}

struct Distance {
  double unique;    // Euclidean, of the unique entries
  double absolute;  // sum of absolute values of all entries
};

Distance second_distance(const DenseMoments& a, const DenseMoments& b) {
  const Matrix d = a.second - b.second;
  const Matrix upper = d.triangularView<Eigen::Upper>();
  return {upper.norm(), d.cwiseAbs().sum()};
}

Distance third_distance(const DenseMoments& a, const DenseMoments& b) {
  double squares = 0, sum = 0;
  std::size_t at = 0;
  for_unique_entries(a.third.dim(), 3, [&](const auto&, double multiplicity) {
    const double d = std::abs(a.third.packed()[at] - b.third.packed()[at]);
    ++at;
    squares += d * d;
    sum += multiplicity * d;
  });
  return {std::sqrt(squares), sum};
}

TEST(PublishedMoments, noise_is_that_of_the_papers) {
  const double halves = std::sqrt(2 * std::log(1.25 / 5e-6)) / 0.5;
  const double plain = std::numbers::sqrt2 / 20;
  const auto agn = certificate_of(MomentNoise::agn, 0, kPublishedTarget).releases;
  ASSERT_EQ(agn.size(), 2u);
  EXPECT_NEAR(agn[0].record.noise, plain * halves, 1e-12);
  EXPECT_NEAR(agn[1].record.noise, plain * halves, 1e-12);
  EXPECT_EQ(agn[1].record.values, 84);
  const auto avn = certificate_of(MomentNoise::avn, 0, kPublishedTarget).releases;
  EXPECT_NEAR(avn[0].record.noise, plain * std::sqrt(2 * std::log(1.25 / 1e-5)) / 0.5, 1e-12);
  EXPECT_NEAR(avn[1].record.noise, plain / 0.5, 1e-12);
  EXPECT_EQ(avn[1].record.mechanism, "vector");
  // Theorems G.3 and G.4 at N = 20, a0 = 1.
  const auto lda = certificate_of(MomentNoise::esmaeili, 1, kPublishedTarget).releases;
  const double delta2 = 0.1 + 2 * (1.0 / 20 + 1.0 / 380);
  const double delta3 =
      0.1 + 4 * (1.0 / 20 + 1.0 / 380) + (6 * 21.0 / 360 + 18.0 / 6840 + 6.0 / 18) / 6;
  EXPECT_NEAR(lda[0].record.noise, delta2 * halves, 1e-12);
  EXPECT_NEAR(lda[1].record.noise, delta3 * halves, 1e-12);
}

TEST(PublishedMoments, neighbours_come_close_to_the_sensitivities_and_never_pass_them) {
  constexpr Index n = 40;
  const double plain = std::numbers::sqrt2 / n;
  const DenseMoments one = dense_topic_moments(spread_corpus(n, n - 1), 0);
  const DenseMoments other = dense_topic_moments(spread_corpus(n, n), 0);
  EXPECT_NEAR(second_distance(one, other).unique, plain, 1e-15);
  EXPECT_NEAR(third_distance(one, other).unique, plain, 1e-15);
  for (const double alpha0 : {0.5, 3.0}) {
    const DenseMoments a = dense_topic_moments(spread_corpus(n, n - 1), alpha0);
    const DenseMoments b = dense_topic_moments(spread_corpus(n, n), alpha0);
    const double second = esmaeili_second_sensitivity(n, alpha0);
    const double third = esmaeili_third_sensitivity(n, alpha0);
    EXPECT_LE(second_distance(a, b).absolute, second);
    EXPECT_GE(second_distance(a, b).absolute, 0.95 * second);
    EXPECT_LE(third_distance(a, b).absolute, third);
    EXPECT_GE(third_distance(a, b).absolute, 0.85 * third);
  }
}

TEST(PublishedMoments, random_neighbours_stay_within_the_sensitivities) {
  constexpr Index n = 12;
  constexpr double up = 1 + 1e-12;  // the sums round
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Corpus a = random_corpus(n - 1, 6, seed, 1), b = a;
    const Corpus ends = random_corpus(2, 6, seed + 1000, 1);
    for (Corpus* corpus : {&a, &b}) {
      const Index end = corpus == &a ? 0 : 1;
      if (seed % 5 == 0 && end == 1) {  // an empty document
        corpus->begin.push_back(corpus->begin.back());
        continue;
      }
      for (std::size_t e = 0; e < ends.words_of(end).size(); ++e) {
        corpus->word.push_back(ends.words_of(end)[e]);
        corpus->count.push_back(ends.counts_of(end)[e]);
      }
      corpus->begin.push_back(static_cast<std::int64_t>(corpus->word.size()));
    }
    for (const double alpha0 : {0.0, 1.0, 10.0}) {
      const DenseMoments x = dense_topic_moments(a, alpha0), y = dense_topic_moments(b, alpha0);
      EXPECT_LE(second_distance(x, y).absolute, esmaeili_second_sensitivity(n, alpha0) * up);
      EXPECT_LE(third_distance(x, y).absolute, esmaeili_third_sensitivity(n, alpha0) * up);
      if (alpha0 > 0) continue;
      EXPECT_LE(second_distance(x, y).unique, std::numbers::sqrt2 / n * up);
      EXPECT_LE(third_distance(x, y).unique, std::numbers::sqrt2 / n * up);
    }
  }
}

// 1771 unique entries: an error of 10% in the scale is 6 standard errors of the mean square.
TEST(PublishedMoments, every_unique_entry_has_noise_of_the_same_scale) {
  const Corpus corpus = random_corpus(50, 21, 2);
  const DenseMoments exact = dense_topic_moments(corpus, 0);
  const Sensitive<Corpus> data(corpus);
  for (const MomentNoise noise : {MomentNoise::agn, MomentNoise::avn}) {
    PrivateRun run(statement_of(kPublishedTarget), NoiseKey::insecure_from_seed(5));
    const DenseMoments noisy =
        release_published_moments(data, noise, {0, kPublishedTarget}, run).value();
    const Distance moved = third_distance(noisy, exact);
    const ReleaseRecord record = run.certify().releases[1].record;
    const double count = 1771;
    const double expected = record.noise * (noise == MomentNoise::agn ? std::sqrt(count) : count);
    EXPECT_NEAR(moved.unique / expected, 1, 0.07);
    // Entries of multiplicity six, beside the others.
    double squares = 0, entries = 0;
    std::size_t at = 0;
    for_unique_entries(21, 3, [&](const auto&, double multiplicity) {
      const double d = noisy.third.packed()[at] - exact.third.packed()[at];
      ++at;
      if (multiplicity == 6) squares += d * d, ++entries;
    });
    EXPECT_NEAR(squares / entries / (moved.unique * moved.unique / count), 1, 0.07);
  }
}

TEST(PublishedMoments, are_proved_with_the_account_beside_the_claim) {
  for (const MomentNoise noise : {MomentNoise::agn, MomentNoise::avn, MomentNoise::esmaeili}) {
    const Certificate certificate =
        certificate_of(noise, noise == MomentNoise::esmaeili ? 1 : 0, kPublishedTarget);
    EXPECT_TRUE(certificate.proved) << certificate.why;
    EXPECT_EQ(certificate.statement.claimed->epsilon, 1);
    EXPECT_LT(certificate.epsilon, 1);
    EXPECT_GT(certificate.epsilon, 0.4);
  }
  const Certificate agn = certificate_of(MomentNoise::agn, 0, kPublishedTarget);
  const double multiplier = std::sqrt(2 * std::log(1.25 / 5e-6)) / 0.5;
  EXPECT_NEAR(agn.epsilon, account_gaussian(multiplier, 2, 1e-5), 1e-5);
}

TEST(PublishedMoments, classical_noise_breaks_its_promise_for_large_epsilon) {
  EXPECT_LT(certificate_of(MomentNoise::agn, 0, {10, 1e-5}).epsilon, 10);
  const Certificate certificate = certificate_of(MomentNoise::agn, 0, {60, 1e-5});
  EXPECT_TRUE(certificate.proved);
  EXPECT_GT(certificate.epsilon, 60);
}

TEST(PublishedMoments, a_seed_for_the_noise_denies_the_guarantee) {
  EXPECT_FALSE(
      certificate_of(MomentNoise::agn, 0, kPublishedTarget, NoiseKey::insecure_from_seed(1))
          .proved);
}

TEST(PublishedMoments, agn_and_avn_refuse_a_model_with_products_of_means) {
  EXPECT_THROW(certificate_of(MomentNoise::agn, 1, kPublishedTarget), Error);
  EXPECT_THROW(certificate_of(MomentNoise::avn, 1, kPublishedTarget), Error);
}

}  // namespace
}  // namespace sotto
