#include "sotto/tensor/sketched_bases.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

const std::vector<std::vector<Index>> kSketchShapes = {
    {50, 40, 30}, {12, 15, 11, 13}, {6, 9, 7, 5, 8}, {200, 6, 50}};

Matrix sketch_test_normal(Index rows, Index columns, SeededRandom& random) {
  Matrix a(rows, columns);
  for (Index n = 0; n < a.size(); ++n) a.data()[n] = random.normal();
  return a;
}

struct PlantedCp {
  std::vector<Matrix> factors;
  DenseTensor tensor;
};

// A CP tensor of k components, its entries of variance about k, with noise of deviation `noise`.
PlantedCp planted_cp(const std::vector<Index>& dims, Index k, double noise) {
  SeededRandom random(3);
  PlantedCp made{{}, DenseTensor(dims)};
  for (const Index d : dims) made.factors.push_back(sketch_test_normal(d, k, random));
  for (Index p = 0; p < made.tensor.size(); ++p) {
    const std::vector<Index> at = made.tensor.index_of(p);
    double sum = noise * random.normal();
    for (Index r = 0; r < k; ++r) {
      double product = 1;
      for (std::size_t m = 0; m < dims.size(); ++m) product *= made.factors[m](at[m], r);
      sum += product;
    }
    made.tensor.values()[p] = sum;
  }
  return made;
}

std::vector<Index> sketch_ranks(const std::vector<Index>& dims, Index rank) {
  std::vector<Index> ranks;
  for (const Index d : dims) ranks.push_back(std::min(d, rank));
  return ranks;
}

double squared_loss(const DenseTensor& tensor, const ModeBases& found) {
  return squared_norm(tensor.values()) - squared_norm(found.core.values());
}

TEST(SketchedBases, span_the_factors_of_a_cp_tensor) {
  for (const auto& dims : kSketchShapes) {
    const PlantedCp made = planted_cp(dims, 3, 0);
    const ModeBases found = sketched_bases(made.tensor, sketch_ranks(dims, 3), 4, 1);
    for (std::size_t m = 0; m < dims.size(); ++m) {
      const Matrix &u = found.bases[m], &a = made.factors[m];
      EXPECT_LT((u.transpose() * u - Matrix::Identity(u.cols(), u.cols())).norm(), 1e-12);
      EXPECT_LT((a - u * (u.transpose() * a)).norm(), 1e-10 * a.norm()) << "mode " << m;
    }
    EXPECT_LT(std::abs(squared_loss(made.tensor, found)),
              1e-12 * squared_norm(made.tensor.values()));
  }
}

TEST(SketchedBases, core_is_the_tensor_on_the_bases) {
  for (const auto& dims : kSketchShapes) {
    const DenseTensor x = planted_cp(dims, 3, 0.5).tensor;
    const ModeBases found = sketched_bases(x, sketch_ranks(dims, 5), 5, 1);
    const DenseTensor expected = mode_products(x, found.bases);
    ASSERT_EQ(found.core.dims(), expected.dims());
    for (Index p = 0; p < expected.size(); ++p) {
      ASSERT_NEAR(found.core.values()[p], expected.values()[p], 1e-10);
    }
  }
}

// Noise as strong as a component: what is lost is what the exact truncation loses, to 2 percent.
TEST(SketchedBases, lose_hardly_more_than_exact_ones_under_noise) {
  for (const auto& dims : kSketchShapes) {
    const DenseTensor x = planted_cp(dims, 3, 1).tensor;
    const std::vector<Index> ranks = sketch_ranks(dims, 3);
    const double exact = squared_loss(x, sequential_bases(x, ranks));
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      EXPECT_LT(squared_loss(x, sketched_bases(x, ranks, 5, seed)), 1.02 * exact) << seed;
    }
  }
}

TEST(SketchedBases, are_the_same_for_any_number_of_threads) {
  const DenseTensor x = planted_cp({150, 120, 90}, 3, 1).tensor;
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const ModeBases one = sketched_bases(x, {11, 11, 11}, 5, 7);
  omp_set_num_threads(2);
  const ModeBases two = sketched_bases(x, {11, 11, 11}, 5, 7);
  omp_set_num_threads(before);
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(one.bases[m], two.bases[m]);
  EXPECT_TRUE(std::ranges::equal(one.core.values(), two.core.values()));
}

}  // namespace
}  // namespace sotto
