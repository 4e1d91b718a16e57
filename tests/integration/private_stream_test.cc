// The solver over the private streaming oracle.
#include <gtest/gtest.h>

#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/decompose/power.h"
#include "sotto/linalg/spectral.h"
#include "sotto/release/private_stream.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

// Records near one of k orthonormal components, drawn into the unit ball.
RowMatrix latent_records(const Matrix& truth, Index n, double noise, std::uint64_t seed) {
  SeededRandom random(seed);
  const double shares[] = {0.45, 0.33, 0.22};
  const Index d = truth.rows();
  RowMatrix rows(n, d);
  for (Index i = 0; i < n; ++i) {
    double left = random.uniform();
    Index h = 0;
    while (h + 1 < truth.cols() && left >= shares[h]) left -= shares[h++];
    for (Index j = 0; j < d; ++j) {
      rows(i, j) = truth(j, h) + noise * random.normal() / std::sqrt(static_cast<double>(d));
    }
    rows.row(i) /= std::max(1.0, rows.row(i).norm());
  }
  return rows;
}

// The least over components of the largest |cos|.
double worst_cosine(const Matrix& truth, const RowMatrix& rows, double epsilon, Index starts,
                    Index iterations, std::uint64_t seed) {
  PowerOptions options;
  options.components = truth.cols();
  options.starts = starts;
  options.iterations = iterations;
  options.tolerance = 0;
  options.polish = 0;
  options.residuals = false;
  options.seed = static_cast<std::int64_t>(seed);
  const Index answers = options.components * (iterations + 1);
  const PrivateStreamPlan plan{{epsilon, 1e-6}, truth.rows(),          3,  starts,
                               answers,         rows.rows() / answers, 1.0};
  PrivateRun run(record_statement(plan), NoiseKey::insecure_from_seed(seed));
  PrivateStreamOracle oracle(
      Sensitive<OnePassRecords>(OnePassRecords(std::make_unique<MemorySource>(rows))), plan, run);
  const Decomposition found = robust_power_method(oracle, options);
  EXPECT_LE(run.certify().epsilon, epsilon);
  return (truth.transpose() * found.vectors()).cwiseAbs().rowwise().maxCoeff().minCoeff();
}

TEST(PrivateStreamingPower, a_million_records_at_epsilon_one_whatever_the_number_of_starts) {
  SeededRandom random(1);
  const Matrix truth = orthonormal_columns(random_unit_block(50, 3, random));
  const RowMatrix rows = latent_records(truth, 1000000, 0.5, 2);
  for (const Index starts : {1, 10, 50}) {
    const double cosine = worst_cosine(truth, rows, 1.0, starts, 8, 3);
    RecordProperty("worst_cosine_" + std::to_string(starts), std::to_string(cosine));
    EXPECT_GE(cosine, 0.99) << starts << " starts";
  }
}

}  // namespace
}  // namespace sotto
