#include "sotto/tensor/sketched_bases.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/mttkrp.h"

namespace sotto {
namespace {

// The largest singular value of noise, which a power step lets through, is to all of it as 1 to the
// square root of the shorter side of X. From this side on one step is enough.
constexpr Index kManyRows = 1000;

Index entries_of(std::span<const Index> dims) {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

// Random vectors over some modes, as the columns of a Khatri-Rao product.
RowMatrix random_combinations(std::span<const Index> dims, Index columns, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<RowMatrix> factors;
  for (const Index d : dims) {
    factors.emplace_back(d, columns);
    for (Index n = 0; n < factors.back().size(); ++n) factors.back().data()[n] = random.normal();
  }
  return khatri_rao(factors);
}

// The trailing modes of the tensor, and `columns` numbers at each place: X^T Q after so many power
// steps from random vectors.
DenseTensor sketch_of(const DenseTensor& tensor, Index leading, Index columns, int steps,
                      std::uint64_t seed) {
  std::vector<Index> dims(tensor.dims().begin() + leading, tensor.dims().end());
  RowMatrix y = random_combinations(dims, columns, seed);
  const Eigen::Map<const Matrix> transposed(tensor.values().data(), y.rows(),
                                            tensor.size() / y.rows());
  for (int step = 0; step < steps; ++step) {
    const RowMatrix range = householder_basis(multiply_transposed_narrow(transposed, y));
    y = multiply_narrow(transposed, range);
  }
  dims.push_back(columns);
  DenseTensor sketch(std::move(dims));
  std::copy_n(y.data(), y.size(), sketch.data());
  return sketch;
}

}  // namespace

ModeBases sketched_bases(const DenseTensor& tensor, const std::vector<Index>& ranks, Index columns,
                         std::uint64_t seed, int power_steps) {
  const Index leading = tensor.order() / 2;
  const std::span<const Index> dims = tensor.dims();
  columns = padded_narrow(columns);
  const Index fewest = std::min(entries_of(dims.first(leading)), entries_of(dims.subspan(leading)));
  if (fewest < 2 * columns) return sequential_bases(tensor, ranks);

  if (power_steps == 0) power_steps = fewest < kManyRows ? 2 : 1;
  const DenseTensor sketch = sketch_of(tensor, leading, columns, power_steps, seed);
  std::vector<Index> sketch_ranks(ranks.begin() + leading, ranks.end());
  sketch_ranks.push_back(columns);
  std::vector<Matrix> bases = sequential_bases(sketch, sketch_ranks).bases;
  bases.pop_back();
  bases.insert(bases.begin(), static_cast<std::size_t>(leading), Matrix());

  ModeBases found = sequential_bases(trailing_mode_products(tensor, bases, leading), ranks);
  for (Index m = leading; m < tensor.order(); ++m) found.bases[m] = bases[m] * found.bases[m];
  return found;
}

}  // namespace sotto
