#include "sotto/release/published_whitened.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/release/private_documents.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

constexpr Index kDocuments = 2000, kWords = 6, kTopics = 2;

// Documents of ten words: seven in ten are of a topic that prefers the first half of the words.
Corpus two_topics() {
  SeededRandom random(3);
  Corpus corpus;
  corpus.vocabulary_size = kWords;
  for (Index n = 0; n < kDocuments; ++n) {
    const Index preferred = random.uniform() < 0.7 ? 0 : 3;
    std::array<std::int32_t, kWords> counts{};
    for (int t = 0; t < 10; ++t) {
      const Index start = random.uniform() < 0.9 ? preferred : 3 - preferred;
      ++counts[start + static_cast<Index>(random.below(3))];
    }
    for (std::int32_t w = 0; w < kWords; ++w) {
      if (counts[w] == 0) continue;
      corpus.word.push_back(w);
      corpus.count.push_back(counts[w]);
    }
    corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
  }
  return corpus;
}

struct Run {
  WhitenedRelease release;
  Certificate certificate;
};

PowerOptions power_options() {
  PowerOptions power;
  power.components = kTopics;
  power.starts = 4;
  power.iterations = 50;
  return power;
}

Run run(WhitenedNoise noise, double alpha0, const PrivacyTarget& target) {
  const Sensitive<Corpus> data(two_topics());
  PrivacyStatement statement = document_statement({kDocuments, kWords}, target);
  statement.budget.reset();
  PrivateRun run(statement, NoiseKey::from_system());
  WhitenedRelease release =
      release_whitened(data, noise, {alpha0, target}, power_options(), run).value();
  return {std::move(release), run.certify()};
}

RawTopics exact_topics(double alpha0) {
  const DenseMoments moments = dense_topic_moments(two_topics(), alpha0);
  const SingularWhitening whitening = singular_whitening(moments.second, kTopics);
  const SymmetricTensor tensor = transform(moments.third, whitening.whiten);
  TensorOracle oracle(tensor);
  const Decomposition found = robust_power_method(oracle, power_options());
  return unwhiten_topics(found.weights, found.vectors(), whitening.unwhiten, alpha0);
}

const std::vector<WhitenedNoise> kAll = {WhitenedNoise::power, WhitenedNoise::tensor,
                                         WhitenedNoise::components, WhitenedNoise::topics};

TEST(PublishedWhitened, without_noise_to_speak_of_all_give_the_exact_topics) {
  for (const double alpha0 : {0.0, 0.2}) {
    const RawTopics exact = exact_topics(alpha0);
    for (const WhitenedNoise noise : kAll) {
      const RawTopics found =
          run(noise, alpha0, {noise == WhitenedNoise::power ? 1e8 : 1e6, 1e-5}).release.topics;
      EXPECT_LT((found.columns - exact.columns).norm(), 1e-3) << int(noise) << " " << alpha0;
      EXPECT_LT((found.alpha - exact.alpha).norm(), 1e-3) << int(noise) << " " << alpha0;
    }
  }
}

TEST(PublishedWhitened, none_is_guaranteed_and_the_certificate_says_why) {
  for (const WhitenedNoise noise : kAll) {
    const Certificate certificate = run(noise, 0, {1, 1e-5}).certificate;
    EXPECT_FALSE(certificate.proved);
    EXPECT_NE(certificate.why.find(noise == WhitenedNoise::power ? "without noise"
                                                                 : "read off the documents"),
              std::string::npos);
  }
  EXPECT_TRUE(std::isnan(run(WhitenedNoise::power, 0, {1, 1e-5}).certificate.epsilon));
}

TEST(PublishedWhitened, sensitivity_of_the_tensor_is_theorem_G6) {
  Vector singular(3);
  singular << 0.5, 0.04, 0.01;  // k = 2, middle 0.025
  const double delta2 = 2.0 / 1000 + 2 * (1.0 / 1000 + 1.0 / 999000);
  const double delta3 = 2.0 / 1000 + 4 * (1.0 / 1000 + 1.0 / 999000) +
                        (6 * 1001.0 / 998000 + 18.0 / 997002000 + 6.0 / 998) / 6;
  const double mass = 1 + 2 * 1000.0 / 999 + 1e9 / 997002000;
  const double move = 2 * delta2 / (0.04 * std::sqrt(0.025));
  EXPECT_NEAR(esmaeili_tensor_sensitivity(1000, 1, singular),
              mass * move * move * move + delta3 * std::pow(80, 1.5), 1e-10);
}

void add_document(Corpus& corpus, const std::array<std::int32_t, 3>& counts) {
  for (std::int32_t w = 0; w < 3; ++w) {
    if (counts[w] == 0) continue;
    corpus.word.push_back(w);
    corpus.count.push_back(counts[w]);
  }
  corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
}

// A topic of one word and one of two, with the same singular value of M2: the last document decides
// which comes first, and with it the order of the axes of T.
Corpus tie_broken_by(const std::array<std::int32_t, 3>& last) {
  Corpus corpus;
  corpus.vocabulary_size = 3;
  for (int t = 0; t < 200; ++t) {
    for (int n = 0; n < 8; ++n) add_document(corpus, {3, 0, 0});
    for (std::int32_t heads = 0; heads <= 3; ++heads) {
      const int times = heads == 0 || heads == 3 ? 2 : 6;
      for (int n = 0; n < times; ++n) add_document(corpus, {0, heads, 3 - heads});
    }
  }
  add_document(corpus, last);
  return corpus;
}

TEST(PublishedWhitened, neighbours_pass_the_bound_of_theorem_G6_although_its_condition_is_met) {
  std::vector<SymmetricTensor> tensors;
  double claimed = 0;
  for (const auto& last : {std::array<std::int32_t, 3>{3, 0, 0}, {0, 2, 1}}) {
    const Corpus corpus = tie_broken_by(last);
    const DenseMoments moments = dense_topic_moments(corpus, 0);
    const SingularWhitening whitening = singular_whitening(moments.second, 2);
    const Vector& s = whitening.singular;
    EXPECT_LT(esmaeili_second_sensitivity(corpus.documents(), 0), (s[1] - s[2]) / 2);
    claimed = std::max(claimed, esmaeili_tensor_sensitivity(corpus.documents(), 0, s));
    tensors.push_back(transform(moments.third, whitening.whiten));
  }
  tensors[0].add_scaled(-1, tensors[1]);
  EXPECT_GT(tensors[0].frobenius_norm(), 20 * claimed);
}

TEST(PublishedWhitened, every_vector_and_every_value_is_a_release_of_its_own) {
  const auto releases = run(WhitenedNoise::components, 0.2, {1, 1e-5}).certificate.releases;
  ASSERT_EQ(releases.size(), 3u);
  EXPECT_EQ(releases[0].record.count, kTopics);
  EXPECT_EQ(releases[0].record.values, kTopics);
  EXPECT_EQ(releases[1].record.count, kTopics);
  EXPECT_EQ(releases[1].record.values, 1);
  EXPECT_EQ(releases[2].record.count, 1);
  const auto topics = run(WhitenedNoise::topics, 0.2, {1, 1e-5}).certificate.releases;
  ASSERT_EQ(topics.size(), 2u);
  EXPECT_EQ(topics[0].record.values, kWords);
  // One edge: the whole of epsilon and delta.
  EXPECT_NEAR(topics[0].record.noise / topics[0].record.sensitivity,
              std::sqrt(2 * std::log(1.25 / 1e-5)), 1e-6);
}

TEST(PublishedWhitened, conditions_are_evaluated_on_the_data) {
  const auto conditions = run(WhitenedNoise::topics, 0, {1, 1e-5}).release.conditions;
  ASSERT_EQ(conditions.size(), 2u);
  const DenseMoments moments = dense_topic_moments(two_topics(), 0);
  const Vector singular = singular_whitening(moments.second, kTopics).singular;
  EXPECT_NEAR(conditions[0].value, 2.0 / kDocuments, 1e-12);
  EXPECT_NEAR(conditions[0].limit, (singular[1] - singular[2]) / 2, 1e-12);
  EXPECT_NEAR(conditions[1].value, esmaeili_tensor_sensitivity(kDocuments, 0, singular), 1e-9);
  EXPECT_FALSE(conditions[1].met());
  EXPECT_EQ(run(WhitenedNoise::tensor, 0, {1, 1e-5}).release.conditions.size(), 1u);
}

TEST(PublishedWhitened, the_power_method_has_two_for_six) {
  const auto releases = run(WhitenedNoise::power, 0, {1, 1e-5}).certificate.releases;
  const double K = kTopics * 4.0 * 51;
  const double epsilon = 1 / std::sqrt(K * (4 + std::log(2e5)));
  EXPECT_NEAR(releases[1].record.noise, 2 * std::sqrt(2 * std::log(1.25 * 2 * K / 1e-5)) / epsilon,
              1e-8);
  EXPECT_EQ(releases[1].record.count, kTopics * 4 * 50);
  EXPECT_EQ(releases[2].record.count, kTopics * 4);
}

TEST(PublishedWhitened, whitening_whitens_and_its_inverse_undoes_it) {
  Matrix second = Matrix::Random(5, 5);
  second = (second + second.transpose()).eval();
  const SingularWhitening w = singular_whitening(second, 3);
  EXPECT_LT((w.whiten.transpose() * w.unwhiten - Matrix::Identity(3, 3)).norm(), 1e-12);
  const Matrix gram = (w.whiten.transpose() * second * w.whiten).cwiseAbs();
  EXPECT_LT((gram - Matrix::Identity(3, 3)).norm(), 1e-12);
  EXPECT_GE(w.whiten.colwise().sum().minCoeff(), 0);
  EXPECT_THROW(singular_whitening(Matrix::Zero(4, 4), 1), Error);
  EXPECT_THROW(singular_whitening(second, 6), Error);
}

}  // namespace
}  // namespace sotto
