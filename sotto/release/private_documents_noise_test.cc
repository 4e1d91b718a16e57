// The noise and the rounding of private_documents.h: the laws its note claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/release/testing/ask_documents.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

using namespace sotto::testing;

// A corpus of empty documents: what is released is the noise.
std::vector<double> third_noise(const Matrix& q, int runs, double scale) {
  std::vector<double> all;
  DocumentRun run(corpus_of(std::vector<Counts>(5, Counts(std::size_t(q.rows()), 0))));
  for (int r = 0; r < runs; ++r) {
    const auto noise = run.documents.third_moment(q, 0, 0.05).value();
    const Vector values = isometric(noise.value) * (scale / noise.deviation);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<double> compressed_noise(const Matrix& q, int runs, double scale) {
  std::vector<double> all;
  NoiseKey key = NoiseKey::insecure_from_seed(8);
  const SymmetricGaussianMechanism mechanism("noise", 1, 0.37, q.rows(), 3);
  SymmetricTensor zero(q.rows(), 3), noise(q.rows(), 3);
  for (int r = 0; r < runs; ++r) {
    mechanism.release(zero.packed(), key.open_stream(), noise.packed());
    const Vector values = isometric(transform(noise, q)) * (scale / 0.37);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// The rows are runs. The largest deviation of the covariance of the values from the identity, in
// standard deviations of its estimate.
double covariance_departure(const std::vector<double>& all, Index values) {
  const Index runs = std::ssize(all) / values;
  const Eigen::Map<const Matrix> x(all.data(), values, runs);
  const Matrix departure = x * x.transpose() / double(runs) - Matrix::Identity(values, values);
  return departure.cwiseAbs().maxCoeff() * std::sqrt(double(runs) / 2);
}

TEST_F(PrivateDocumentsTest, noise_in_k_dimensions_has_the_law_of_compressed_noise_in_v) {
  const Index v = 12, k = 3, values = 10;
  SeededRandom random(6);
  const Matrix q = random_orthonormal(v, k, random);
  const int runs = 2000;
  for (const auto& draw : {third_noise, compressed_noise}) {
    const std::vector<double> sample = draw(q, runs, 1);
    EXPECT_GT(kolmogorov_p(sample, normal_cdf), kAlpha);
    EXPECT_LT(covariance_departure(sample, values), 5.5);
    // A scale that is wrong by a tenth shows, and so does one wrong coordinate.
    EXPECT_LT(kolmogorov_p(draw(q, runs, 1.1), normal_cdf), kAlpha);
    EXPECT_LT(kolmogorov_p(draw(q, runs, 0.9), normal_cdf), kAlpha);
    std::vector<double> planted = sample;
    for (std::size_t i = 3; i < planted.size(); i += values) planted[i] *= 1.15;
    EXPECT_GT(covariance_departure(planted, values), 5.5);
  }
}

TEST_F(PrivateDocumentsTest, a_release_is_the_exact_mean_plus_noise_of_the_size_it_says) {
  const Corpus corpus = random_corpus(20, 7, 9, 1);
  SeededRandom random(10);
  const Question question = some_question(7, 3, random);
  for (const Kind kind : kKinds) {
    const Vector exact = exact_value(corpus, kind, question);
    double squares = 0, sum = 0, values = 0;
    for (int r = 0; r < 400; ++r) {
      DocumentRun run(corpus, 100 + std::uint64_t(r));
      const Noisy<Vector> answer = ask(run.documents, kind, question, 0.5);
      const Vector noise = (answer.value - exact) / answer.deviation;
      EXPECT_EQ(answer.deviation, run.record(0).noise);
      squares += noise.squaredNorm();
      sum += noise.sum();
      values += double(noise.size());
    }
    const auto p = [&](double scale) {
      const double below = boost::math::gamma_p(values / 2, scale * scale * squares / 2);
      return 2 * std::min(below, 1 - below);
    };
    EXPECT_GT(p(1), kAlpha) << int(kind);
    EXPECT_LT(p(1.1), kAlpha) << int(kind);
    EXPECT_LT(p(0.9), kAlpha) << int(kind);
    EXPECT_GT(normal_p(sum / std::sqrt(values)), kAlpha) << int(kind);
  }
}

using Extended = long double;

// P3(Q,Q,Q) / abs(P3) over N, from the definition, in extended precision: entries in the order of
// for_unique_entries.
std::vector<Extended> extended_third(const std::vector<Counts>& documents, const Matrix& q) {
  const Index v = q.rows(), k = q.cols();
  std::vector<Extended> sum(static_cast<std::size_t>(unique_entries(k, 3)), 0);
  for (const Counts& counts : documents) {
    const auto tuples = [&](Index i, Index j, Index l) -> Extended {
      const Extended a = counts[i], b = counts[j] - (j == i), c = counts[l] - (l == i) - (l == j);
      return a * b * c;
    };
    Extended square = 0;
    std::vector<Extended> part(sum.size(), 0);
    for (Index i = 0; i < v; ++i) {
      for (Index j = 0; j < v; ++j) {
        for (Index l = 0; l < v; ++l) {
          const Extended t = tuples(i, j, l);
          if (t == 0) continue;
          square += t * t;
          std::size_t at = 0;
          for_unique_entries(k, 3, [&](const std::vector<Index>& x, double) {
            part[at++] += t * q(i, x[0]) * q(j, x[1]) * q(l, x[2]);
          });
        }
      }
    }
    if (square == 0) continue;
    for (std::size_t e = 0; e < sum.size(); ++e) {
      sum[e] += part[e] / std::sqrt(square) / Extended(documents.size());
    }
  }
  return sum;
}

TEST_F(PrivateDocumentsTest, rounding_errors_stay_below_what_is_charged_for_them) {
  const Index v = 7, k = 3;
  SeededRandom random(19);
  const Matrix q = random_orthonormal(v, k, random);
  constexpr std::int32_t huge = std::numeric_limits<std::int32_t>::max();
  // All of one word, one of each, pairs of unlike size: where implicit sums cancel most.
  std::vector<Counts> documents = {Counts(v, 1), Counts(v, huge), Counts(v, 2)};
  for (int d = 0; d < 300; ++d) {
    Counts counts(v, 0);
    counts[random.below(v)] = 2;
    counts[random.below(v)] = 1 + std::int32_t(random.below(huge - 10));
    counts[random.below(v)] += 1 + std::int32_t(random.below(3));
    if (d % 3 == 0) counts = {3, 0, 0, 0, 0, 0, 0};
    if (d % 3 == 1) std::rotate(counts.begin(), counts.begin() + d % v, counts.end());
    for (auto& c : counts) c = std::clamp(c, 0, huge);
    documents.push_back(counts);
  }
  const Corpus corpus = corpus_of(documents);
  const double n = double(corpus.documents());
  const auto depth = double(sum_depth(corpus.documents()) + sum_depth(v));
  const double charged = 36 * (3 * depth + 64) * 0x1p-53;

  SymmetricTensor found(k, 3);
  const CountMatrix by_word = transposed(corpus.view());
  found.add_scaled(1 / n, DocumentMoments(corpus, by_word, {0, 0, 0}).third_sum(q));
  const std::vector<Extended> exact = extended_third(documents, q);
  Extended error = 0;
  std::size_t at = 0;
  for_unique_entries(k, 3, [&](const std::vector<Index>&, double m) {
    error += m * std::pow(Extended(found.packed()[at]) - exact[at], 2);
    ++at;
  });
  EXPECT_LE(double(std::sqrt(error)), charged);
  EXPECT_GT(double(std::sqrt(error)), 0);

  DocumentRun run(corpus);
  run.documents.third_moment(q, 0, 1);
  EXPECT_GE(run.record(0).sensitivity, kRoot2 / n + 2 * charged);
}

}  // namespace
}  // namespace sotto
