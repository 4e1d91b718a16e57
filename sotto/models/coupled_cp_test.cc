#include "sotto/models/coupled_cp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/random.h"

namespace sotto {
namespace {

Matrix drawn(Index rows, Index cols, std::uint64_t seed) {
  SeededRandom random(seed);
  Matrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = random.normal();
  return m;
}

double least_best_cosine(const Matrix& found, const Matrix& truth) {
  const Matrix cosines =
      (found.colwise().normalized().transpose() * truth.colwise().normalized()).cwiseAbs();
  return cosines.colwise().maxCoeff().minCoeff();
}

TEST(CoupledCp, recovers_factors_that_blocks_share_exactly_whatever_their_scales) {
  const Index k = 4;
  // The second mode is a thousand times as large as the first.
  const std::vector<Matrix> modes{drawn(5, k, 1), 1000 * drawn(6, k, 2), drawn(4, k, 3)};
  const Matrix other = drawn(5, k, 4);
  std::vector<CoupledBlock> blocks;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = a + 1; b < 3; ++b) {
      RowMatrix block = RowMatrix::Zero(modes[a].rows() * modes[b].rows(), other.rows());
      for (Index i = 0; i < modes[a].rows(); ++i) {
        for (Index j = 0; j < modes[b].rows(); ++j) {
          for (Index t = 0; t < k; ++t) {
            block.row(i * modes[b].rows() + j) +=
                modes[a](i, t) * modes[b](j, t) * other.col(t).transpose();
          }
        }
      }
      blocks.push_back({a, b, std::move(block)});
    }
  }
  CoupledOptions options;
  options.iterations = 3000;
  options.tolerance = 1e-16;
  const CoupledFactors fit = fit_coupled(blocks, {5, 6, 4}, k, options);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_GT(least_best_cosine(fit.modes[m], modes[m]), 1 - 1e-6) << m;
  }
  EXPECT_GT(least_best_cosine(fit.other, other), 1 - 1e-6);
}

}  // namespace
}  // namespace sotto
