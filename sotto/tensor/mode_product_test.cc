#include "sotto/tensor/mode_product.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/sparse_mode_product.h"

namespace sotto {
namespace {

DenseTensor mode_product_tensor(std::vector<Index> dims, std::uint64_t seed) {
  SeededRandom random(seed);
  DenseTensor x(std::move(dims));
  for (double& value : x.values()) value = random.uniform() < 0.6 ? random.normal() : 0;
  return x;
}

std::vector<Matrix> mode_product_matrices(const std::vector<Index>& dims, Index r) {
  SeededRandom random(77);
  std::vector<Matrix> u;
  for (std::size_t m = 0; m < dims.size(); ++m) {
    u.emplace_back(dims[m], r + static_cast<Index>(m % 2));
    for (Index n = 0; n < u.back().size(); ++n) u.back().data()[n] = random.normal();
  }
  return u;
}

DenseTensor naive_mode_product(const DenseTensor& x, Index mode, const Matrix& u) {
  std::vector<Index> dims = x.dims();
  dims[mode] = u.cols();
  DenseTensor y(dims);
  for (Index p = 0; p < x.size(); ++p) {
    std::vector<Index> at = x.index_of(p);
    const Index i = at[mode];
    for (Index r = 0; r < u.cols(); ++r) {
      at[mode] = r;
      y.at(at) += x.values()[p] * u(i, r);
    }
  }
  return y;
}

double mode_product_gap(const DenseTensor& a, const DenseTensor& b) {
  double worst = a.dims() == b.dims() ? 0 : 1e9;
  for (Index p = 0; p < std::min(a.size(), b.size()); ++p) {
    worst = std::max(worst, std::abs(a.values()[p] - b.values()[p]));
  }
  return worst;
}

const std::vector<std::vector<Index>> kModeShapes = {{4, 5, 6}, {7, 2, 3, 4}, {40, 3, 50}};

TEST(ModeProduct, equals_the_definition_in_every_mode) {
  for (const auto& dims : kModeShapes) {
    const DenseTensor x = mode_product_tensor(dims, 1);
    const auto u = mode_product_matrices(dims, 2);
    for (Index m = 0; m < x.order(); ++m) {
      EXPECT_LT(mode_product_gap(mode_product(x, m, u[m]), naive_mode_product(x, m, u[m])), 1e-12);
    }
    DenseTensor all = x;
    for (Index m = 0; m < x.order(); ++m) all = naive_mode_product(all, m, u[m]);
    EXPECT_LT(mode_product_gap(mode_products(x, u), all), 1e-10);
  }
}

// More entries than go through at a time, so that several groups of places are put together.
TEST(ModeProduct, trailing_and_leading_products_equal_those_of_one_mode_after_another) {
  for (const std::vector<Index>& dims : std::vector<std::vector<Index>>{
           {130, 95, 110}, {3, 40, 90, 120}, {4, 5, 6}, {5, 6, 7, 4, 150}}) {
    const DenseTensor x = mode_product_tensor(dims, 4);
    const auto u = mode_product_matrices(dims, 3);
    for (Index cut = 1; cut < x.order(); ++cut) {
      DenseTensor trailing = x, leading = x;
      for (Index m = cut; m < x.order(); ++m) trailing = mode_product(trailing, m, u[m]);
      for (Index m = 0; m < cut; ++m) leading = mode_product(leading, m, u[m]);
      EXPECT_LT(mode_product_gap(trailing_mode_products(x, u, cut), trailing), 1e-10);
      EXPECT_LT(mode_product_gap(leading_mode_products(x, u, cut), leading), 1e-10);
    }
  }
}

TEST(ModeProduct, products_of_several_modes_have_the_same_bits_for_any_number_of_threads) {
  const DenseTensor x = mode_product_tensor({11, 13, 60, 70}, 6);
  const auto u = mode_product_matrices(x.dims(), 3);
  const auto answers = [&] {
    std::vector<double> found;
    for (const DenseTensor& y :
         {trailing_mode_products(x, u, 2), leading_mode_products(x, u, 2), mode_products(x, u)}) {
      found.insert(found.end(), y.values().begin(), y.values().end());
    }
    return found;
  };
  EXPECT_EQ(on_threads(1, answers), on_threads(3, answers));
}

TEST(ModeProduct, sparse_products_equal_dense_ones) {
  for (const auto& dims : kModeShapes) {
    const DenseTensor x = mode_product_tensor(dims, 2);
    const SparseTensor sparse = SparseTensor::from_dense(x);
    const auto u = mode_product_matrices(dims, 2);
    for (Index m = 0; m < x.order(); ++m) {
      const RowMatrix expected = unfolding(mode_products(x, u, m), m);
      const RowMatrix found = sparse_mode_products(SparseFibres(sparse, m), u);
      EXPECT_LT((found - expected).norm(), 1e-11 * (1 + expected.norm()));
    }
  }
}

TEST(ModeProduct, gram_and_basis_are_those_of_the_unfolding) {
  for (const auto& dims : kModeShapes) {
    const DenseTensor x = mode_product_tensor(dims, 3);
    for (Index m = 0; m < x.order(); ++m) {
      const Matrix unfolded = unfolding(x, m);
      const Matrix gram = unfolded * unfolded.transpose();
      EXPECT_LT((unfolding_gram(x, m) - gram).norm(), 1e-11 * gram.norm());
      const Index r = std::min<Index>(2, dims[m]);
      const Matrix basis = leading_mode_basis(x, m, r);
      EXPECT_LT((basis.transpose() * basis - Matrix::Identity(r, r)).norm(), 1e-10);
      // Leading: the basis diagonalises the gram and leaves nothing outside.
      const Matrix image = gram * basis;
      EXPECT_LT((image - basis * (basis.transpose() * image)).norm(), 1e-8 * gram.norm());
    }
  }
}

// The modes keep their places, and what lies in the span of the bases is not lost.
TEST(ModeProduct, sequential_bases_of_all_there_is_give_the_tensor_back) {
  SeededRandom random(11);
  for (const std::vector<Index>& dims : std::vector<std::vector<Index>>{{5, 4, 3}, {3, 5, 2, 4}}) {
    DenseTensor x(dims);
    for (double& value : x.values()) value = random.normal();
    const ModeBases found = sequential_bases(x, dims);
    ASSERT_EQ(found.core.dims(), dims);
    std::vector<Matrix> back;
    for (const Matrix& basis : found.bases) back.emplace_back(basis.transpose());
    const DenseTensor again = mode_products(found.core, back);
    for (Index p = 0; p < x.size(); ++p) {
      ASSERT_NEAR(again.values()[p], x.values()[p], 1e-12) << p;
    }
  }
}

}  // namespace
}  // namespace sotto
