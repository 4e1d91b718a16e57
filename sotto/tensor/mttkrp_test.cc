#include "sotto/tensor/mttkrp.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"
#include "sotto/linalg/testing/threads.h"

namespace sotto {
namespace {

Matrix mttkrp_random(Index rows, Index cols, SeededRandom& random) {
  Matrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = random.normal();
  return m;
}

// A tensor of which a share of the entries is not 0.
DenseTensor mttkrp_tensor(std::vector<Index> dims, double share, SeededRandom& random) {
  DenseTensor tensor(std::move(dims));
  for (double& x : tensor.values()) {
    const double value = random.normal();
    x = random.uniform() < share ? value : 0;
  }
  return tensor;
}

std::vector<Matrix> mttkrp_factors(const std::vector<Index>& dims, Index k, SeededRandom& random) {
  std::vector<Matrix> factors;
  for (const Index d : dims) factors.push_back(mttkrp_random(d, k, random));
  return factors;
}

// The definition, entry by entry.
Matrix naive_mttkrp(const DenseTensor& x, Index mode, const std::vector<Matrix>& factors) {
  Matrix result = Matrix::Zero(x.dims()[mode], factors[0].cols());
  for (Index p = 0; p < x.size(); ++p) {
    const std::vector<Index> at = x.index_of(p);
    Eigen::RowVectorXd product = Eigen::RowVectorXd::Constant(result.cols(), x.values()[p]);
    for (Index m = 0; m < x.order(); ++m) {
      if (m != mode) product.array() *= factors[m].row(at[m]).array();
    }
    result.row(at[mode]) += product;
  }
  return result;
}

double naive_squared_residual(const DenseTensor& x, const std::vector<Matrix>& factors,
                              bool stored_only) {
  double sum = 0;
  for (Index p = 0; p < x.size(); ++p) {
    if (stored_only && x.values()[p] == 0) continue;
    const std::vector<Index> at = x.index_of(p);
    Eigen::RowVectorXd product = Eigen::RowVectorXd::Ones(factors[0].cols());
    for (Index m = 0; m < x.order(); ++m) product.array() *= factors[m].row(at[m]).array();
    sum += (x.values()[p] - product.sum()) * (x.values()[p] - product.sum());
  }
  return sum;
}

const std::vector<std::vector<Index>> kShapes = {
    {4, 5, 6},       {1, 7, 3},   {30, 2, 41},        {5, 1, 4, 3},
    {3, 4, 2, 5, 2}, {70, 60, 8}, {2, 3, 2, 3, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 3}};

TEST(Mttkrp, dense_equals_the_definition_in_every_mode_and_after_every_change) {
  for (const auto& dims : kShapes) {
    for (const Index k : {1, 3, 7, 9, 14, 18}) {
      SeededRandom random(7);
      const DenseTensor x = mttkrp_tensor(dims, 1, random);
      DenseMttkrp products(x);
      std::vector<Matrix> factors = mttkrp_factors(dims, k, random);
      for (Index m = 0; m < x.order(); ++m) products.place(m, factors[m]);
      for (Index m = 0; m < x.order(); ++m) {
        const Matrix expected = naive_mttkrp(x, m, factors);
        EXPECT_LT((products.product(m) - expected).norm(), 1e-12 * (1 + expected.norm()));
        factors[m] = mttkrp_random(dims[m], k, random);
        products.place(m, factors[m]);
      }
      EXPECT_NEAR(products.squared_residual() / naive_squared_residual(x, factors, false), 1,
                  1e-12);
    }
  }
}

TEST(Mttkrp, weights_choose_the_entries_of_the_residual) {
  SeededRandom random(8);
  const DenseTensor x = mttkrp_tensor({6, 7, 8}, 0.5, random);
  DenseTensor weights(x.dims());
  for (Index p = 0; p < x.size(); ++p) weights.values()[p] = x.values()[p] != 0;
  DenseMttkrp products(x, &weights);
  const std::vector<Matrix> factors = mttkrp_factors(x.dims(), 3, random);
  for (Index m = 0; m < 3; ++m) products.place(m, factors[m]);
  EXPECT_NEAR(products.squared_residual() / naive_squared_residual(x, factors, true), 1, 1e-12);
}

TEST(Mttkrp, sparse_equals_the_definition_in_every_mode) {
  for (const auto& dims : kShapes) {
    for (const Index k : {1, 3, 4, 9, 12, 16, 21}) {
      SeededRandom random(9);
      const DenseTensor x = mttkrp_tensor(dims, 0.3, random);
      const SparseTensor sparse = SparseTensor::from_dense(x);
      SparseMttkrp products(sparse);
      const std::vector<Matrix> factors = mttkrp_factors(dims, k, random);
      for (Index m = 0; m < x.order(); ++m) products.place(m, factors[m]);
      for (Index m = 0; m < x.order(); ++m) {
        const Matrix expected = naive_mttkrp(x, m, factors);
        EXPECT_LT((products.product(m) - expected).norm(), 1e-12 * (1 + expected.norm()));
      }
      EXPECT_NEAR(products.squared_residual() / naive_squared_residual(x, factors, false), 1,
                  1e-11);
    }
  }
}

SparseTensor scattered(const std::vector<Index>& dims, Index entries, SeededRandom& random) {
  std::vector<SparseTensor::Coordinate> indices;
  std::vector<double> values;
  for (Index e = 0; e < entries; ++e) {
    for (const Index d : dims) {
      // Squares crowd the first rows, so that some tiles are much fuller than others.
      const double place = random.uniform() * random.uniform();
      indices.push_back(static_cast<SparseTensor::Coordinate>(place * static_cast<double>(d)));
    }
    values.push_back(random.normal());
  }
  return {dims, std::move(indices), std::move(values), Duplicates::sum};
}

// Shapes of many tiles, of tiles with several pieces, and of modes too long for short edges.
TEST(Mttkrp, sparse_equals_the_definition_over_many_tiles_with_the_same_bits_for_any_threads) {
  for (const std::vector<Index>& dims :
       {std::vector<Index>{5000, 9000, 7}, std::vector<Index>{3, 2500, 6000},
        std::vector<Index>{200000, 3, 300000}, std::vector<Index>{3000, 4, 2100, 5}}) {
    SeededRandom random(12);
    const SparseTensor sparse = scattered(dims, 60000, random);
    const std::vector<Matrix> factors = mttkrp_factors(dims, 5, random);
    const auto products_of_all = [&] {
      SparseMttkrp products(sparse);
      for (Index m = 0; m < sparse.order(); ++m) products.place(m, factors[m]);
      std::vector<Matrix> found;
      for (Index m = 0; m < sparse.order(); ++m) found.push_back(products.product(m));
      found.push_back(Matrix::Constant(1, 1, products.squared_residual()));
      return found;
    };
    const std::vector<Matrix> found = on_threads(1, products_of_all);
    for (Index m = 0; m < sparse.order(); ++m) {
      Matrix expected = Matrix::Zero(dims[m], 5);
      for (Index e = 0; e < sparse.nnz(); ++e) {
        Eigen::RowVectorXd product = Eigen::RowVectorXd::Constant(5, sparse.values()[e]);
        for (Index n = 0; n < sparse.order(); ++n) {
          if (n != m) product.array() *= factors[n].row(sparse.index(e)[n]).array();
        }
        expected.row(sparse.index(e)[m]) += product;
      }
      EXPECT_LT((found[m] - expected).norm(), 1e-12 * expected.norm()) << shape_text(dims) << m;
    }
    EXPECT_EQ(on_threads(4, products_of_all), found);
  }
}

TEST(Mttkrp, residual_of_a_list_of_observations_leaves_other_places_out) {
  SeededRandom random(10);
  const DenseTensor x = mttkrp_tensor({6, 7, 8}, 0.4, random);
  const SparseTensor sparse = SparseTensor::from_dense(x);
  SparseMttkrp products(sparse, Unstored::unknown);
  const std::vector<Matrix> factors = mttkrp_factors(x.dims(), 3, random);
  for (Index m = 0; m < 3; ++m) products.place(m, factors[m]);
  EXPECT_NEAR(products.squared_residual() / naive_squared_residual(x, factors, true), 1, 1e-12);
}

// The second shape leaves enough places after one contraction to share out the next ones.
TEST(Mttkrp, gives_the_same_bits_for_any_number_of_threads) {
  for (const std::vector<Index>& dims :
       std::vector<std::vector<Index>>{{90, 80, 70}, {400, 3, 300}}) {
    SeededRandom random(11);
    const DenseTensor x = mttkrp_tensor(dims, 0.3, random);
    const SparseTensor sparse = SparseTensor::from_dense(x);
    const std::vector<Matrix> factors = mttkrp_factors(dims, 10, random);
    const auto answers = [&] {
      DenseMttkrp dense(x);
      SparseMttkrp by_entry(sparse);
      std::vector<Matrix> found;
      for (Mttkrp* products : std::initializer_list<Mttkrp*>{&dense, &by_entry}) {
        for (const Index last : {2, 0, 1}) {
          for (Index m = 0; m < 3; ++m)
            products->place((last + 1 + m) % 3, factors[(last + 1 + m) % 3]);
          for (Index m = 0; m < 3; ++m) found.push_back(products->product(m));
        }
        found.push_back(Matrix::Constant(1, 1, products->squared_residual()));
      }
      return found;
    };
    EXPECT_EQ(on_threads(1, answers), on_threads(3, answers));
  }
}

}  // namespace
}  // namespace sotto
