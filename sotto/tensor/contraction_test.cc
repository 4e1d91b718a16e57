#include "sotto/tensor/contraction.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/mode_oracles.h"

namespace sotto {
namespace {

SymmetricTensor random_tensor(Index dim, int order, std::uint64_t seed) {
  SeededRandom random(seed);
  SymmetricTensor t(dim, order);
  for (double& x : t.packed()) x = random.normal();
  return t;
}

Matrix random_block(Index rows, Index cols, std::uint64_t seed) {
  SeededRandom random(seed, 9);
  Matrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = random.normal();
  return m;
}

// The definition on the dense tensor, which shares nothing with the code under test.
Matrix contract_dense(const DenseTensor& t, const Matrix& u) {
  Matrix y = Matrix::Zero(u.rows(), u.cols());
  for (Index n = 0; n < t.size(); ++n) {
    const std::vector<Index> index = t.index_of(n);
    for (Index l = 0; l < u.cols(); ++l) {
      double product = t.values()[n];
      for (std::size_t a = 1; a < index.size(); ++a) product *= u(index[a], l);
      y(index[0], l) += product;
    }
  }
  return y;
}

class Contraction : public testing::TestWithParam<std::tuple<int, Index>> {};

TEST_P(Contraction, kernel_equals_the_reference_for_every_block_width) {
  const auto [order, dim] = GetParam();
  const SymmetricTensor t = random_tensor(dim, order, 1);
  for (const Index columns : {1, 2, 7, 8, 9, 16, 25, 32, 33, 70}) {
    const Matrix u = random_block(dim, columns, 2);
    const Matrix expected = contract_reference(t, u);
    const double scale = 1 + expected.cwiseAbs().maxCoeff();
    EXPECT_LT((contract(t, u) - expected).cwiseAbs().maxCoeff() / scale, 1e-13) << columns;
  }
}

TEST_P(Contraction, reference_equals_the_definition_on_the_dense_tensor) {
  const auto [order, dim] = GetParam();
  const SymmetricTensor t = random_tensor(dim, order, 3);
  const Matrix u = random_block(dim, 2, 4);
  const Matrix expected = contract_dense(t.to_dense(), u);
  const double scale = 1 + expected.cwiseAbs().maxCoeff();
  EXPECT_LT((contract_reference(t, u) - expected).cwiseAbs().maxCoeff() / scale, 1e-13);
}

TEST_P(Contraction, matrix_form_is_the_derivative_of_the_vector_form) {
  const auto [order, dim] = GetParam();
  const SymmetricTensor t = random_tensor(dim, order, 5);
  const Vector theta = random_block(dim, 1, 6);
  const Matrix m = contract_to_matrix(t, theta);
  EXPECT_LT((m - m.transpose()).norm(), 1e-12 * (1 + m.norm()));
  // T(I,I,theta,..) theta = T(I,theta,..), and it is linear in the second slot.
  const Matrix expected = contract_reference(t, theta);
  EXPECT_LT((m * theta - expected).norm(), 1e-12 * (1 + expected.norm()));
  const Vector x = random_block(dim, 1, 7);
  const double h = 1e-5;
  const Vector numeric =
      (contract_reference(t, theta + h * x) - contract_reference(t, theta - h * x)) /
      (2 * h * (order - 1));
  EXPECT_LT((m * x - numeric).norm(), 1e-6 * (1 + numeric.norm()));
}

TEST_P(Contraction, transform_agrees_with_contracting_the_mapped_vectors) {
  const auto [order, dim] = GetParam();
  const SymmetricTensor t = random_tensor(dim, order, 8);
  const Index k = std::max<Index>(1, dim / 2);
  const Matrix w = random_block(dim, k, 9);
  const SymmetricTensor small = transform(t, w);
  ASSERT_EQ(small.dim(), k);
  const Matrix x = random_block(k, 3, 10);
  const Matrix expected = w.transpose() * contract_reference(t, w * x);
  EXPECT_LT((contract_reference(small, x) - expected).norm(), 1e-12 * (1 + expected.norm()));
}

TEST_P(Contraction, same_bits_for_any_number_of_threads) {
  const auto [order, dim] = GetParam();
  const SymmetricTensor t = random_tensor(dim, order, 11);
  const Matrix u = random_block(dim, 10, 12);
  const auto product = [&] { return contract(t, u); };
  EXPECT_EQ(on_threads(1, product), on_threads(4, product));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Contraction,
                         testing::Combine(testing::Values(3, 4), testing::Values(1, 2, 3, 7, 20)));
INSTANTIATE_TEST_SUITE_P(Larger, Contraction, testing::Values(std::tuple<int, Index>{3, 50}));

TEST(SymmetricTensor, packs_and_unpacks_exactly) {
  for (const int order : {3, 4}) {
    const SymmetricTensor t = random_tensor(6, order, 13);
    const DenseTensor dense = t.to_dense();
    EXPECT_EQ(dense.max_asymmetry().value, 0);
    const SymmetricTensor from_dense = SymmetricTensor::from_dense(dense);
    const SymmetricTensor from_sparse =
        SymmetricTensor::from_sparse(SparseTensor::from_dense(dense));
    for (std::size_t n = 0; n < t.packed().size(); ++n) {
      EXPECT_EQ(t.packed()[n], from_dense.packed()[n]);
      EXPECT_EQ(t.packed()[n], from_sparse.packed()[n]);
    }
  }
}

TEST(SymmetricTensor, entries_are_found_whatever_the_order_of_their_indices) {
  const SymmetricTensor t = random_tensor(5, 4, 14);
  const DenseTensor dense = t.to_dense();
  for (Index n = 0; n < dense.size(); ++n) EXPECT_EQ(t.at(dense.index_of(n)), dense.values()[n]);
  EXPECT_THROW(t.at({0, 0, 0}), Error);
  EXPECT_THROW(t.at({0, 0, 0, 5}), Error);
}

TEST(SymmetricTensor, rank_one_terms_and_norm_match_the_dense_tensor) {
  const Vector v = random_block(7, 1, 15);
  for (const int order : {3, 4}) {
    SymmetricTensor t = random_tensor(7, order, 16);
    const SymmetricTensor before = t;
    t.add_rank_one(2.5, v);
    const DenseTensor dense = t.to_dense();
    double squares = 0;
    for (Index n = 0; n < dense.size(); ++n) {
      const std::vector<Index> index = dense.index_of(n);
      double term = 2.5;
      for (const Index i : index) term *= v[i];
      EXPECT_NEAR(dense.values()[n], before.at(index) + term, 1e-12);
      squares += dense.values()[n] * dense.values()[n];
    }
    EXPECT_NEAR(t.frobenius_norm(), std::sqrt(squares), 1e-11);
  }
}

TEST(SymmetricTensor, stores_only_unique_entries) {
  EXPECT_EQ(SymmetricTensor(200, 3).packed().size(), 1353400u);
  EXPECT_EQ(SymmetricTensor(40, 4).packed().size(), 123410u);
  EXPECT_THROW(SymmetricTensor(3, 5), Error);
  EXPECT_THROW(SymmetricTensor(0, 3), Error);
  EXPECT_THROW(SymmetricTensor(10000000, 4), Error);
}

TEST(UniqueEntries, multiplicities_add_up_to_all_entries) {
  for (const int order : {2, 3, 4}) {
    double sum = 0;
    Index count = 0;
    for_unique_entries(5, order, [&](const std::vector<Index>&, double m) {
      sum += m;
      ++count;
    });
    EXPECT_EQ(sum, std::pow(5, order));
    EXPECT_EQ(count, unique_entries(5, order));
  }
}

TEST(ModeOracles, dense_and_sparse_equal_the_definition) {
  SeededRandom random(17);
  for (const std::vector<Index>& dims :
       {std::vector<Index>{4, 3, 5}, {2, 3, 4, 3}, {2, 3, 2, 4, 3}}) {
    DenseTensor dense(dims);
    for (double& x : dense.values()) x = random.uniform() < 0.5 ? 0 : random.normal();
    const SparseTensor sparse = SparseTensor::from_dense(dense);
    DenseModeOracle dense_oracle(dense);
    SparseModeOracle sparse_oracle(sparse);
    std::vector<Matrix> factors;
    for (const Index d : dims) factors.push_back(random_block(d, 3, 18 + d));
    for (int mode = 0; mode < static_cast<int>(dims.size()); ++mode) {
      Matrix expected = Matrix::Zero(dims[mode], 3);
      for (Index n = 0; n < dense.size(); ++n) {
        const std::vector<Index> index = dense.index_of(n);
        for (Index l = 0; l < 3; ++l) {
          double product = dense.values()[n];
          for (std::size_t m = 0; m < dims.size(); ++m) {
            if (static_cast<int>(m) != mode) product *= factors[m](index[m], l);
          }
          expected(index[mode], l) += product;
        }
      }
      EXPECT_LT((dense_oracle.contract_all_but(mode, factors) - expected).norm(), 1e-12);
      EXPECT_LT((sparse_oracle.contract_all_but(mode, factors) - expected).norm(), 1e-12);
      const Vector values = column_dots(factors[mode], expected);
      EXPECT_LT((dense_oracle.values(factors) - values).norm(), 1e-12);
      EXPECT_LT((sparse_oracle.values(factors) - values).norm(), 1e-12);
    }
  }
}

TEST(ModeOracles, sparse_symmetric_answers_like_the_packed_tensor) {
  for (const int order : {3, 4}) {
    const SymmetricTensor t = random_tensor(6, order, 19);
    const SparseTensor sparse = SparseTensor::from_dense(t.to_dense());
    SparseSymmetricOracle oracle(sparse);
    const Matrix u = random_block(6, 4, 20);
    EXPECT_LT((oracle.contract(u) - contract_reference(t, u)).norm(), 1e-11);
    EXPECT_LT((oracle.values(u) - column_dots(u, contract_reference(t, u))).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace sotto
