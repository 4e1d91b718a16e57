// The private stream on a million records.
#include <gtest/gtest.h>

#include "sotto/base/random.h"
#include "sotto/base/testing/sanitized.h"
#include "sotto/decompose/block.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tasks/stream.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

// Records near one of k orthonormal components, clipped to the unit ball.
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

// The least over the components of the largest |cos|.
double worst_cosine(const Matrix& truth, const RowMatrix& rows, double epsilon, Index starts,
                    Index iterations, std::uint64_t seed) {
  StreamTask task;
  task.stream.components = truth.cols();
  task.stream.starts = starts;
  task.stream.iterations = iterations;
  task.stream.seed = static_cast<std::int64_t>(seed);
  task.given = {true, true, true};
  task.privacy.epsilon = epsilon;
  task.privacy.delta = 1e-6;
  task.privacy.accept_large_delta = true;
  task.privacy.max_norm = 1;
  task.privacy.insecure_seed = static_cast<std::int64_t>(seed);
  const StreamResult result = run(SensitivePoints(std::make_unique<MemorySource>(rows)), task);
  EXPECT_LE(result.certificate->epsilon, epsilon);
  const Matrix& found = result.found.vectors();
  return (truth.transpose() * found).cwiseAbs().rowwise().maxCoeff().minCoeff();
}

TEST(PrivateStreamingPower, a_million_records_at_epsilon_one_whatever_the_number_of_starts) {
  SeededRandom random(1);
  const Matrix truth = orthonormal_columns(random_unit_block(50, 3, random));
  // A tenth of the records with no more noise in their mean.
  const Index records = unless_sanitized<Index>(1000000, 100000);
  const double epsilon = unless_sanitized(1.0, 20.0);
  const RowMatrix rows = latent_records(truth, records, 0.5, 2);
  for (const Index starts : {1, 10, 50}) {
    const double cosine = worst_cosine(truth, rows, epsilon, starts, 8, 3);
    RecordProperty("worst_cosine_" + std::to_string(starts), std::to_string(cosine));
    EXPECT_GE(cosine, 0.99) << starts << " starts";
  }
}

}  // namespace
}  // namespace sotto
