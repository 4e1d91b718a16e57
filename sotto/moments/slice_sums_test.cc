#include "sotto/moments/slice_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/random.h"

namespace sotto {
namespace {

const std::vector<Index> kShape{9, 4, 3, 2};
constexpr Index kRows = 4 + 3 + 2;
constexpr double kClose = 9 * 12 * kPersonUnit;

SparseTensor random_slices() {
  SeededRandom random(3);
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::int32_t p = 0; p < 9; ++p) {
    for (std::int32_t c = 0; c < 24; ++c) {
      if (random.uniform() < 0.4 || p == 4) continue;
      indices.insert(indices.end(), {p, c / 6, c / 2 % 3, c % 2});
      values.push_back(random.normal());
    }
  }
  return SparseTensor(kShape, indices, values, Duplicates::refuse);
}

// The slice of a person as a matrix, rows of `mode` in front.
Matrix unfolded(const SparseTensor& tensor, Index person, Index mode) {
  const Index rows = kShape[static_cast<std::size_t>(mode + 1)];
  Matrix m = Matrix::Zero(rows, 24 / rows);
  for (Index e = 0; e < tensor.nnz(); ++e) {
    const auto at = tensor.index(e);
    if (at[0] != person) continue;
    Index column = 0;
    for (Index n = 0; n < 3; ++n) {
      if (n != mode) {
        column =
            column * kShape[static_cast<std::size_t>(n + 1)] + at[static_cast<std::size_t>(n + 1)];
      }
    }
    m(at[static_cast<std::size_t>(mode + 1)], column) =
        tensor.values()[static_cast<std::size_t>(e)];
  }
  return m;
}

RowMatrix drawn_rows(Index rows, Index cols, std::uint64_t seed) {
  SeededRandom random(seed);
  RowMatrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = random.normal();
  return m;
}

template <class Block>
void add_unit(Block& sum, const Block& part) {
  if (part.norm() > 0) sum += part / part.norm();
}

TEST(SliceSums, norms_and_grams_follow_their_definition) {
  const SparseTensor tensor = random_slices();
  const SliceSums sums(tensor);
  Vector norms = Vector::Zero(kRows);
  const std::vector<std::int32_t> core{0, 2, 3};
  Matrix gram = Matrix::Zero(3, 3);
  for (Index p = 0; p < 9; ++p) {
    Vector own(kRows);
    own << unfolded(tensor, p, 0).rowwise().norm(), unfolded(tensor, p, 1).rowwise().norm(),
        unfolded(tensor, p, 2).rowwise().norm();
    add_unit(norms, own);
    const Matrix rows = unfolded(tensor, p, 0)(core, Eigen::all);
    add_unit(gram, Matrix(rows * rows.transpose()));
  }
  EXPECT_LT((sums.row_norms() - norms).norm(), kClose);
  EXPECT_LT((sums.gram(0, core) - gram).norm(), kClose);
}

TEST(SliceSums, compressed_slices_follow_their_definition) {
  const SparseTensor tensor = random_slices();
  const std::vector<RowMatrix> bases{drawn_rows(4, 2, 1), drawn_rows(3, 3, 2), drawn_rows(2, 2, 3)};
  Matrix naive = Matrix::Zero(12, 12);
  for (Index p = 0; p < 9; ++p) {
    Vector z = Vector::Zero(12);
    for (Index e = 0; e < tensor.nnz(); ++e) {
      const auto at = tensor.index(e);
      if (at[0] != p) continue;
      for (Index n = 0; n < 12; ++n) {
        z[n] += tensor.values()[static_cast<std::size_t>(e)] * bases[0](at[1], n / 6) *
                bases[1](at[2], n / 2 % 3) * bases[2](at[3], n % 2);
      }
    }
    add_unit(naive, Matrix(z * z.transpose()));
  }
  EXPECT_LT((SliceSums(tensor).compressed(bases) - naive).norm(), kClose);
}

TEST(SliceSums, normal_equations_and_loadings_follow_their_definition) {
  const SparseTensor tensor = random_slices();
  const Index k = 2, bins = 4;
  const SliceFactors factors{drawn_rows(kRows, k, 4), drawn_rows(k, k, 5)};
  Vector naive = Vector::Zero(kRows * k + k * k);
  RowMatrix binned = RowMatrix::Zero(bins, k), solved = RowMatrix::Zero(9, k);
  const Index first[] = {0, 4, 7};
  for (Index p = 0; p < 9; ++p) {
    Eigen::RowVectorXd seen = Eigen::RowVectorXd::Zero(k);
    RowMatrix right = RowMatrix::Zero(kRows, k);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::RowVectorXd a = seen * factors.solve;
      for (Index e = 0; e < tensor.nnz(); ++e) {
        const auto at = tensor.index(e);
        if (at[0] != p) continue;
        const double v = tensor.values()[static_cast<std::size_t>(e)];
        for (Index t = 0; t < k; ++t) {
          double own[3], all = v;
          for (std::size_t m = 0; m < 3; ++m) {
            own[m] = factors.stacked(first[m] + at[m + 1], t);
            all *= own[m];
          }
          if (pass == 0) {
            seen[t] += all;
            continue;
          }
          for (std::size_t m = 0; m < 3; ++m) right(first[m] + at[m + 1], t) += all / own[m] * a[t];
        }
      }
    }
    const Eigen::RowVectorXd a = seen * factors.solve;
    solved.row(p) = a;
    if (a.norm() == 0) continue;
    Vector part(naive.size());
    const RowMatrix outer = a.transpose() * a;
    part << Eigen::Map<const Vector>(right.data(), right.size()),
        Eigen::Map<const Vector>(outer.data(), outer.size());
    add_unit(naive, part);
    for (Index t = 0; t < k; ++t) {
      const double share = a[t] * a[t] / a.squaredNorm();
      binned(std::min<Index>(bins - 1, static_cast<Index>(share * bins)), t) += std::sqrt(0.5);
    }
  }
  const SliceSums sums(tensor);
  EXPECT_LT((sums.normal(factors) - naive).norm(), kClose);
  EXPECT_LT((sums.loadings(factors, bins) - binned).norm(), kClose);
  EXPECT_LT((sums.solved(factors) - solved).norm(), 1e-12 * (1 + solved.norm()));
}

}  // namespace
}  // namespace sotto
