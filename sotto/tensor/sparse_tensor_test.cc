#include "sotto/tensor/sparse_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/linalg/testing/threads.h"

namespace sotto {
namespace {

using Coordinate = SparseTensor::Coordinate;

// Coordinates may repeat; a skewed draw makes a few rows heavy.
SparseTensor random_sparse(const std::vector<Index>& dims, Index draws, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<Coordinate> indices;
  std::vector<double> values;
  for (Index e = 0; e < draws; ++e) {
    for (const Index d : dims) {
      const double u = uniform(engine);
      indices.push_back(static_cast<Coordinate>(u * u * u * static_cast<double>(d)));
    }
    values.push_back(uniform(engine) - 0.5);
  }
  return {dims, indices, values, Duplicates::sum};
}

std::vector<Matrix> random_factors(const std::vector<Index>& dims, Index length) {
  std::mt19937 engine(99);
  std::normal_distribution<double> normal;
  std::vector<Matrix> factors;
  for (const Index d : dims) {
    factors.push_back(Matrix::NullaryExpr(d, length, [&] { return normal(engine); }));
  }
  return factors;
}

// The definition on the dense tensor, entry by entry and column by column.
Matrix naive_contraction(const DenseTensor& tensor, Index mode,
                         const std::vector<Matrix>& factors) {
  Matrix result = Matrix::Zero(tensor.dims()[mode], factors[0].cols());
  for (Index p = 0; p < tensor.size(); ++p) {
    const std::vector<Index> index = tensor.index_of(p);
    for (Index l = 0; l < result.cols(); ++l) {
      double product = tensor.values()[p];
      for (Index m = 0; m < tensor.order(); ++m) {
        if (m != mode) product *= factors[m](index[m], l);
      }
      result(index[mode], l) += product;
    }
  }
  return result;
}

const std::vector<std::vector<Index>> shapes = {
    {6}, {5, 9}, {4, 7, 30}, {3, 4, 5, 6}, {2, 3, 2, 3, 2, 3, 2, 3}};

TEST(SparseTensor, sorts_entries_lexicographically) {
  const SparseTensor tensor({2, 3}, {1, 0, 0, 2, 0, 1}, {10, 2, 1}, Duplicates::refuse);
  EXPECT_TRUE(std::ranges::equal(tensor.indices(), std::vector<Coordinate>{0, 1, 0, 2, 1, 0}));
  EXPECT_TRUE(std::ranges::equal(tensor.values(), std::vector<double>{1, 2, 10}));
  EXPECT_EQ(tensor.at(std::vector<Index>{0, 2}), 2);
  EXPECT_EQ(tensor.at(std::vector<Index>{1, 2}), 0);
}

TEST(SparseTensor, sorts_rows_too_wide_for_one_key) {
  const Index d = std::numeric_limits<Coordinate>::max();
  const std::vector<Index> dims(8, d);
  std::mt19937 engine(1);
  std::vector<Coordinate> indices;
  for (int e = 0; e < 500; ++e) {  // the first modes agree often, so later ones decide
    for (int m = 0; m < 8; ++m) indices.push_back(static_cast<Coordinate>(d - 1 - engine() % 2));
  }
  const SparseTensor tensor(dims, indices, std::vector<double>(500, 1.0), Duplicates::sum);
  double total = 0;
  for (Index e = 0; e < tensor.nnz(); ++e) total += tensor.values()[e];
  EXPECT_EQ(total, 500);
  for (Index e = 1; e < tensor.nnz(); ++e) {
    EXPECT_TRUE(std::ranges::lexicographical_compare(tensor.index(e - 1), tensor.index(e)));
  }
}

TEST(SparseTensor, sums_or_refuses_duplicates_as_told) {
  const std::vector<Coordinate> indices = {1, 1, 0, 0, 1, 1};
  const SparseTensor summed({2, 2}, indices, {1, 5, 2}, Duplicates::sum);
  EXPECT_EQ(summed.nnz(), 2);
  EXPECT_EQ(summed.at(std::vector<Index>{1, 1}), 3);
  try {
    SparseTensor({2, 2}, indices, {1, 5, 2}, Duplicates::refuse);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("(1, 1)"), std::string::npos) << e.what();
  }
}

TEST(SparseTensor, refuses_bad_shapes_and_indices) {
  const auto make = [](std::vector<Index> dims, std::vector<Coordinate> indices,
                       std::vector<double> values) {
    return SparseTensor(std::move(dims), std::move(indices), std::move(values), Duplicates::sum);
  };
  EXPECT_THROW(make({}, {}, {}), Error);
  EXPECT_THROW(make(std::vector<Index>(9, 2), {}, {}), Error);
  EXPECT_THROW(make({2, 0}, {}, {}), Error);
  EXPECT_THROW(make({2, Index{1} << 31}, {}, {}), Error);
  EXPECT_THROW(make({2, 2}, {0, 0, 1}, {1}), Error);
  EXPECT_THROW(make({2, 2}, {0, 0}, {1, 2}), Error);
  EXPECT_THROW(make({2, 2}, {0, 2}, {1}), Error);
  EXPECT_THROW(make({2, 2}, {-1, 0}, {1}), Error);
  EXPECT_THROW(make({2, 2}, {0, 0}, {1}).at(std::vector<Index>{0, 2}), Error);
  EXPECT_THROW(make({2, 2}, {0, 0}, {1}).at(std::vector<Index>{0}), Error);
  EXPECT_NO_THROW(make({2, 2}, {}, {}));
}

TEST(SparseTensor, dense_and_back_is_the_same) {
  for (const auto& dims : shapes) {
    const SparseTensor tensor = random_sparse(dims, 40, 2);
    const DenseTensor dense = tensor.to_dense(100000);
    for (Index p = 0; p < dense.size(); ++p) {
      EXPECT_EQ(dense.values()[p], tensor.at(dense.index_of(p)));
    }
    const SparseTensor back = SparseTensor::from_dense(dense);
    EXPECT_EQ(back.dims(), tensor.dims());
    EXPECT_TRUE(std::ranges::equal(back.indices(), tensor.indices()));
    EXPECT_TRUE(std::ranges::equal(back.values(), tensor.values()));
    EXPECT_THROW(tensor.to_dense(dense.size() - 1), Error);
  }
  EXPECT_THROW(SparseTensor(std::vector<Index>(8, 1000000), {}, {}, Duplicates::sum).to_dense(1000),
               Error);
}

TEST(SparseTensor, asymmetry_and_symmetrised_copy_are_those_of_the_dense_tensor) {
  for (const Index order : {1, 2, 3, 4, 5}) {
    for (const Index draws : {0, 5, 60, 3000}) {
      const SparseTensor tensor = random_sparse(std::vector<Index>(order, 4), draws, 7);
      const DenseTensor dense = tensor.to_dense(100000);
      const Asymmetry found = tensor.max_asymmetry();
      EXPECT_EQ(found.value, dense.max_asymmetry().value);
      if (found.value > 0) {
        EXPECT_EQ(found.value, tensor.at(found.larger) - tensor.at(found.smaller));
      }
      const SparseTensor symmetric = tensor.symmetrised();
      EXPECT_EQ(symmetric.max_asymmetry().value, 0);
      const DenseTensor a = symmetric.to_dense(100000), b = dense.symmetrised();
      for (Index p = 0; p < a.size(); ++p) EXPECT_NEAR(a.values()[p], b.values()[p], 1e-15);
    }
  }
  EXPECT_THROW(random_sparse({3, 4}, 5, 1).max_asymmetry(), Error);
  EXPECT_THROW(random_sparse({3, 4}, 5, 1).symmetrised(), Error);
}

TEST(SparseTensor, contractions_are_those_of_the_naive_twin) {
  for (const auto& dims : shapes) {
    for (const Index length : {1, 5}) {
      const SparseTensor tensor = random_sparse(dims, 5000, 11);
      const DenseTensor dense = tensor.to_dense(100000);
      const std::vector<Matrix> factors = random_factors(dims, length);
      for (Index mode = 0; mode < tensor.order(); ++mode) {
        const Matrix expected = naive_contraction(dense, mode, factors);
        const Matrix found = tensor.contract_all_but(mode, factors);
        ASSERT_LE((found - expected).norm(), 1e-13 * (1 + expected.norm())) << shape_text(dims);
      }
      const Vector numbers = tensor.values(factors);
      const Matrix y = naive_contraction(dense, 0, factors);
      const Vector expected = y.cwiseProduct(factors[0]).colwise().sum();
      ASSERT_LE((numbers - expected).norm(), 1e-13 * (1 + expected.norm()));
    }
  }
}

TEST(SparseTensor, contractions_over_many_chunks_agree_and_do_not_depend_on_threads) {
  const std::vector<Index> dims = {40, 50, 60};
  const SparseTensor tensor = random_sparse(dims, 40000, 13);
  ASSERT_GT(tensor.nnz(), 3 * 2048);
  const DenseTensor dense = tensor.to_dense(1000000);
  const std::vector<Matrix> factors = random_factors(dims, 3);
  for (Index mode = 0; mode < 3; ++mode) {
    const auto contraction = [&] { return tensor.contract_all_but(mode, factors); };
    const Matrix one = on_threads(1, contraction);
    const Matrix expected = naive_contraction(dense, mode, factors);
    EXPECT_LE((one - expected).norm(), 1e-13 * expected.norm());
    for (const int threads : {2, 3, 7}) EXPECT_EQ(on_threads(threads, contraction), one);
  }
  const auto values = [&] { return tensor.values(factors); };
  EXPECT_EQ(on_threads(5, values), on_threads(1, values));
}

TEST(SparseTensor, contraction_does_not_read_the_factor_of_its_own_mode) {
  const SparseTensor tensor = random_sparse({4, 5, 6}, 30, 17);
  std::vector<Matrix> factors = random_factors(tensor.dims(), 2);
  const Matrix before = tensor.contract_all_but(1, factors);
  factors[1].setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(tensor.contract_all_but(1, factors), before);
}

TEST(SparseTensor, contraction_refuses_factors_of_the_wrong_shape) {
  const SparseTensor tensor = random_sparse({4, 5, 6}, 30, 17);
  std::vector<Matrix> factors = random_factors(tensor.dims(), 2);
  EXPECT_THROW(tensor.contract_all_but(3, factors), Error);
  EXPECT_THROW(tensor.contract_all_but(-1, factors), Error);
  EXPECT_THROW(tensor.values(std::span<const Matrix>(factors).first(2)), Error);
  factors[2] = Matrix::Zero(6, 3);
  EXPECT_THROW(tensor.contract_all_but(0, factors), Error);
  factors[2] = Matrix::Zero(7, 2);
  EXPECT_THROW(tensor.values(factors), Error);
}

}  // namespace
}  // namespace sotto
