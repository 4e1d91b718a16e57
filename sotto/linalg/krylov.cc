#include "sotto/linalg/krylov.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"

namespace sotto {
namespace {

// Largest first.
Eigenpairs descending(const Matrix& symmetric, Index k) {
  const Eigenpairs pairs = ascending_eigenpairs(0.5 * (symmetric + symmetric.transpose()));
  return {pairs.values.reverse().head(k), pairs.vectors.rowwise().reverse().leftCols(k)};
}

// An orthonormal basis of the part of `block` outside `basis`. Orthogonalising twice is enough
// (Kahan).
Matrix orthonormal_outside(const Matrix& basis, Matrix block) {
  for (int pass = 0; pass < 2; ++pass) {
    if (basis.cols() > 0) block -= multiply(basis, multiply_transposed(basis, block));
    block = orthonormal_columns(block);
  }
  return block;
}

Matrix random_block(Index rows, Index cols, std::uint64_t seed) {
  SeededRandom random(seed, 7);
  Matrix block(rows, cols);
  for (double& x : block.reshaped()) x = random.normal();
  return block;
}

}  // namespace

Eigenpairs largest_eigenpairs(const BlockOperator& apply, Index dim, Index k,
                              const KrylovOptions& options) {
  SOTTO_REQUIRE(1 <= k && k <= dim, "asked for {} eigenpairs of an operator of dimension {}", k,
                dim);
  const Index width = k + options.extra;
  const Index largest_basis = width * (options.steps + 1);
  if (dim <= 2 * largest_basis) {
    return descending(apply(RowMatrix::Identity(dim, dim)), k);
  }
  Matrix start = orthonormal_outside(Matrix(dim, 0), random_block(dim, width, options.seed));
  Eigenpairs best;
  for (int round = 0; round < options.rounds; ++round) {
    Matrix basis(dim, largest_basis), image(dim, largest_basis);
    for (int step = 0; step <= options.steps; ++step) {
      const Index done = step * width;
      basis.middleCols(done, width) =
          step == 0
              ? start
              : orthonormal_outside(basis.leftCols(done), image.middleCols(done - width, width));
      image.middleCols(done, width) = apply(basis.middleCols(done, width));
      SOTTO_REQUIRE(image.middleCols(done, width).allFinite(),
                    "the operator returned a number that is not finite");
    }
    const Eigenpairs ritz = descending(multiply_transposed(basis, image), width);
    start = multiply(basis, ritz.vectors);
    const Matrix residual = multiply(image, ritz.vectors.leftCols(k)) -
                            start.leftCols(k) * ritz.values.head(k).asDiagonal();
    best = {ritz.values.head(k), start.leftCols(k)};
    const double scale = ritz.values.cwiseAbs().maxCoeff();
    if (residual.colwise().norm().maxCoeff() <= options.tolerance * scale) break;
    start = orthonormal_columns(start);
  }
  return best;
}

}  // namespace sotto
