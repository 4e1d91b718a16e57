#include "sotto/tensor/dense_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

DenseTensor random_tensor(const std::vector<Index>& dims, unsigned seed) {
  DenseTensor tensor(dims);
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  for (double& v : tensor.values()) v = normal(engine);
  return tensor;
}

// Every entry against every permutation of its indices, one by one.
double naive_asymmetry(const DenseTensor& tensor) {
  double worst = 0;
  for (Index p = 0; p < tensor.size(); ++p) {
    const std::vector<Index> index = tensor.index_of(p);
    std::vector<Index> permuted = index;
    std::sort(permuted.begin(), permuted.end());
    do {
      worst = std::max(worst, std::abs(tensor.at(index) - tensor.at(permuted)));
    } while (std::next_permutation(permuted.begin(), permuted.end()));
  }
  return worst;
}

// The mean over all order! permutations; repeated ones count each time.
DenseTensor naive_symmetrised(const DenseTensor& tensor) {
  DenseTensor result(tensor.dims());
  for (Index p = 0; p < tensor.size(); ++p) {
    const std::vector<Index> index = tensor.index_of(p);
    std::vector<std::size_t> modes(index.size());
    for (std::size_t m = 0; m < modes.size(); ++m) modes[m] = m;
    long double sum = 0, count = 0;
    do {
      std::vector<Index> permuted;
      for (const std::size_t m : modes) permuted.push_back(index[m]);
      sum += tensor.at(permuted);
      count += 1;
    } while (std::next_permutation(modes.begin(), modes.end()));
    result.at(index) = static_cast<double>(sum / count);
  }
  return result;
}

struct Cubical {
  Index order, dim;
};
// Dimensions below, at and above the edge of a block (1, 1, 1, 2, 5, 13 and 90 for orders 8 to 2).
const std::vector<Cubical> cubical_cases = {{1, 5},  {2, 7},  {2, 200}, {3, 1}, {3, 4},
                                            {3, 13}, {3, 14}, {3, 47},  {4, 8}, {4, 9},
                                            {5, 4},  {6, 3},  {7, 3},   {8, 2}};

TEST(DenseTensor, last_index_is_fastest) {
  const DenseTensor tensor({2, 3, 4}, [] {
    std::vector<double> v(24);
    for (int n = 0; n < 24; ++n) v[n] = n;
    return v;
  }());
  EXPECT_EQ(tensor.at({0, 0, 1}), 1);
  EXPECT_EQ(tensor.at({0, 1, 0}), 4);
  EXPECT_EQ(tensor.at({1, 2, 3}), 23);
  for (Index p = 0; p < 24; ++p) EXPECT_EQ(tensor.position(tensor.index_of(p)), p);
}

TEST(DenseTensor, refuses_bad_shapes_counts_and_indices) {
  const Index huge = std::numeric_limits<Index>::max() / 2;
  EXPECT_THROW(DenseTensor({}), Error);
  EXPECT_THROW(DenseTensor(std::vector<Index>(9, 1)), Error);
  EXPECT_THROW(DenseTensor({3, 0, 3}), Error);
  EXPECT_THROW(DenseTensor({3, -1}), Error);
  EXPECT_THROW(DenseTensor({huge, 3}), Error);
  EXPECT_THROW(DenseTensor({huge}), Error);
  EXPECT_THROW(DenseTensor({2, 2}, {1, 2, 3}), Error);
  EXPECT_THROW(DenseTensor::from_fortran({2, 2}, std::vector<double>(5)), Error);
  DenseTensor tensor({2, 3});
  EXPECT_THROW(tensor.at({0}), Error);
  EXPECT_THROW(tensor.at({0, 3}), Error);
  EXPECT_THROW(tensor.at({-1, 0}), Error);
  EXPECT_THROW(tensor.index_of(6), Error);
  EXPECT_THROW(tensor.max_asymmetry(), Error);
  EXPECT_THROW(tensor.symmetrised(), Error);
}

TEST(DenseTensor, finds_a_single_value_that_is_not_finite) {
  for (const Index at : {0, 4095, 4096, 9999}) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
      DenseTensor tensor({100, 100});
      tensor.values()[7] = std::numeric_limits<double>::max();
      EXPECT_FALSE(tensor.has_nonfinite());
      tensor.values()[at] = bad;
      EXPECT_TRUE(tensor.has_nonfinite());
      EXPECT_THROW(tensor.max_asymmetry(), Error);
    }
  }
}

TEST(DenseTensor, asymmetry_is_that_of_the_naive_twin) {
  for (const auto& [order, dim] : cubical_cases) {
    const DenseTensor tensor = random_tensor(std::vector<Index>(order, dim), 3);
    const Asymmetry found = tensor.max_asymmetry();
    EXPECT_EQ(found.value, naive_asymmetry(tensor)) << order << " " << dim;
    if (found.value == 0) continue;
    EXPECT_EQ(found.value, tensor.at(found.larger) - tensor.at(found.smaller));
    EXPECT_TRUE(std::is_permutation(found.larger.begin(), found.larger.end(), found.smaller.begin(),
                                    found.smaller.end()));
  }
}

TEST(DenseTensor, finds_one_planted_asymmetric_entry_wherever_it_lies) {
  const DenseTensor symmetric = random_tensor({25, 25, 25}, 4).symmetrised();
  ASSERT_EQ(symmetric.max_asymmetry().value, 0);
  EXPECT_TRUE(symmetric.max_asymmetry().larger.empty());
  std::mt19937 engine(5);
  for (int trial = 0; trial < 50; ++trial) {
    DenseTensor planted = symmetric;
    std::vector<Index> index;
    do {
      index = planted.index_of(engine() % planted.size());
    } while (index[0] == index[1] && index[1] == index[2]);
    planted.at(index) += 0x1p-20;
    const Asymmetry found = planted.max_asymmetry();
    EXPECT_NEAR(found.value, 0x1p-20, 1e-15);
    EXPECT_EQ(found.larger, index);
  }
}

TEST(DenseTensor, symmetrised_is_the_mean_over_all_permutations) {
  for (const auto& [order, dim] : cubical_cases) {
    if (order > 6) continue;  // the naive twin takes order! * dim^order steps
    const DenseTensor tensor = random_tensor(std::vector<Index>(order, dim), 6);
    const DenseTensor found = tensor.symmetrised();
    const DenseTensor expected = naive_symmetrised(tensor);
    for (Index p = 0; p < tensor.size(); ++p) {
      ASSERT_NEAR(found.values()[p], expected.values()[p], 4e-15) << order << " " << dim;
    }
    EXPECT_EQ(found.max_asymmetry().value, 0);
    EXPECT_TRUE(std::ranges::equal(found.symmetrised().values(), found.values()));
  }
}

TEST(DenseTensor, symmetrising_huge_values_does_not_overflow) {
  const double huge = std::numeric_limits<double>::max();
  const DenseTensor tensor = DenseTensor({2, 2}, {huge, huge, -huge, huge}).symmetrised();
  EXPECT_EQ(tensor.at({0, 1}), 0);
  EXPECT_EQ(tensor.at({0, 0}), huge);
}

TEST(DenseTensor, reads_fortran_order) {
  const std::vector<std::vector<Index>> shapes = {
      {7},         {2, 3},       {70, 33},     {3, 4, 5},
      {40, 3, 35}, {2, 3, 4, 5}, {1, 5, 1, 2}, {2, 3, 1, 2, 4, 3}};
  for (const std::vector<Index>& dims : shapes) {
    const DenseTensor tensor = random_tensor(dims, 8);
    std::vector<double> fortran(tensor.size());
    for (Index p = 0; p < tensor.size(); ++p) {
      const std::vector<Index> index = tensor.index_of(p);
      Index place = 0;
      for (std::size_t m = dims.size(); m-- > 0;) place = place * dims[m] + index[m];
      fortran[place] = tensor.values()[p];
    }
    const DenseTensor back = DenseTensor::from_fortran(dims, fortran);
    EXPECT_EQ(back.dims(), dims);
    EXPECT_TRUE(std::ranges::equal(back.values(), tensor.values())) << shape_text(dims);
  }
}

// Whole blocks and a rest: the exact sum, in integers.
TEST(DenseTensor, squared_norm_sums_all_blocks) {
  for (const Index size : {0, 1, 65536, 200001}) {
    std::vector<double> values(static_cast<std::size_t>(size));
    double expected = 0;
    for (Index n = 0; n < size; ++n) {
      values[static_cast<std::size_t>(n)] = static_cast<double>(n % 7) - 3;
      expected += values[static_cast<std::size_t>(n)] * values[static_cast<std::size_t>(n)];
    }
    EXPECT_EQ(squared_norm(values), expected) << size;
  }
}

}  // namespace
}  // namespace sotto
