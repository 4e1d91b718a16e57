#include "sotto/tensor/dense_tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/parallel.h"

namespace sotto {
namespace {

using IndexTuple = std::array<Index, max_tensor_order>;

// The largest edge of a block whose order! transposed copies fill about an eighth of a megabyte,
// which is also few enough pages for the TLB.
Index orbit_block_edge(Index order) {
  constexpr double budget = 1 << 14;
  double permutations = 1;
  for (Index m = 2; m <= order; ++m) permutations *= static_cast<double>(m);
  Index edge = 1;
  const auto entries = [&](Index e) {
    double product = permutations;
    for (Index m = 0; m < order; ++m) product *= static_cast<double>(e);
    return product;
  };
  while (edge < 256 && entries(edge + 1) <= budget) ++edge;
  return edge;
}

// Moves `tuple` to the next one with lower[m] <= tuple[m] < upper[m] and tuple[m-1] <= tuple[m].
// `upper` must be nondecreasing, so that the positions after the one that moved can always be
// filled.
bool advance_nondecreasing(std::span<Index> tuple, std::span<const Index> lower,
                           std::span<const Index> upper) {
  for (std::size_t m = tuple.size(); m-- > 0;) {
    if (tuple[m] + 1 >= upper[m]) continue;
    ++tuple[m];
    for (std::size_t n = m + 1; n < tuple.size(); ++n) {
      tuple[n] = std::max(lower[n], tuple[n - 1]);
    }
    return true;
  }
  return false;
}

// Calls visit(i) once for each nondecreasing index i of a cubical tensor. The outer loop walks over
// nondecreasing tuples of blocks, the inner one within a tuple of blocks.
template <class Visit>
void for_each_sorted_index(Index order, Index dim, Visit visit) {
  const Index edge = orbit_block_edge(order);
  const Index blocks = (dim + edge - 1) / edge;
  IndexTuple block{}, index{}, lower{}, upper{}, zero{}, block_limit{};
  block_limit.fill(blocks);
  const auto used = [order](IndexTuple& t) { return std::span<Index>(t.data(), order); };
  do {
    for (Index m = 0; m < order; ++m) {
      lower[m] = block[m] * edge;
      upper[m] = std::min(dim, lower[m] + edge);
      index[m] = lower[m];
    }
    do {
      visit(std::span<const Index>(index.data(), order));
    } while (advance_nondecreasing(used(index), used(lower), used(upper)));
  } while (advance_nondecreasing(used(block), used(zero), used(block_limit)));
}

// The places of all distinct permutations of a nondecreasing index. When its parts differ, they
// come from a table of permuted strides; only ties need a walk through the permutations.
class OrbitPositions {
 public:
  OrbitPositions(Index order, Index dim) : dim_(dim) {
    std::vector<Index> modes(order), strides(order, 1);
    for (Index m = order - 1; m > 0; --m) strides[m - 1] = strides[m] * dim;
    std::iota(modes.begin(), modes.end(), Index{0});
    do {
      for (const Index m : modes) table_.push_back(strides[m]);
    } while (std::next_permutation(modes.begin(), modes.end()));
  }

  std::span<const Index> operator()(std::span<const Index> sorted) {
    positions_.clear();
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      add_permutations(sorted);
      return positions_;
    }
    for (auto row = table_.begin(); row != table_.end(); row += std::ssize(sorted)) {
      positions_.push_back(std::inner_product(sorted.begin(), sorted.end(), row, Index{0}));
    }
    return positions_;
  }

 private:
  void add_permutations(std::span<const Index> sorted) {
    IndexTuple tuple;
    const auto end = std::copy(sorted.begin(), sorted.end(), tuple.begin());
    do {
      Index position = 0;
      for (auto i = tuple.begin(); i != end; ++i) position = position * dim_ + *i;
      positions_.push_back(position);
    } while (std::next_permutation(tuple.begin(), end));
  }

  Index dim_;
  std::vector<Index> table_;
  std::vector<Index> positions_;
};

}  // namespace

Index checked_entry_count(std::span<const Index> dims, const std::string& place) {
  SOTTO_REQUIRE_AT(!dims.empty() && std::ssize(dims) <= max_tensor_order, place,
                   "a tensor needs 1 to {} dimensions, got {}", max_tensor_order, dims.size());
  Index count = 1;
  for (const Index d : dims) {
    SOTTO_REQUIRE_AT(d >= 1, place, "every dimension must be at least 1, got {}", shape_text(dims));
    SOTTO_REQUIRE_AT(count <= std::numeric_limits<Index>::max() / d, place,
                     "a tensor of {} has more entries than can be counted", shape_text(dims));
    count *= d;
  }
  return count;
}

std::string shape_text(std::span<const Index> dims) { return join_text(dims, " x "); }

// A value is NaN or infinite exactly when all bits of its exponent are set. Works in blocks, so
// that the inner loop has no exit and is vectorised.
bool all_finite(std::span<const double> values) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  constexpr std::size_t block = 4096;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    bool bad = false;
    for (const double v : values.subspan(begin, std::min(block, values.size() - begin))) {
      bad |= (std::bit_cast<std::uint64_t>(v) & exponent) == exponent;
    }
    if (bad) return false;
  }
  return true;
}

double squared_norm(std::span<const double> values) {
  constexpr Index kBlock = Index{1} << 16;
  const Index size = std::ssize(values), blocks = (size + kBlock - 1) / kBlock;
  std::vector<double> sums(static_cast<std::size_t>(blocks));
  parallel_for(blocks, {0, blocks > 1}, [&](Index b) {
    sums[static_cast<std::size_t>(b)] =
        Eigen::Map<const Vector>(values.data() + b * kBlock, std::min(kBlock, size - b * kBlock))
            .squaredNorm();
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

DenseTensor::DenseTensor(std::vector<Index> dims) : dims_(std::move(dims)) {
  const Index count = checked_entry_count(dims_);
  SOTTO_REQUIRE(static_cast<std::size_t>(count) <= values_.max_size(),
                "a tensor of {} does not fit in memory", shape_text(dims_));
  values_.resize(count);
}

DenseTensor::DenseTensor(std::vector<Index> dims, const std::vector<double>& values)
    : dims_(std::move(dims)), values_(values.begin(), values.end()) {
  check();
}

void DenseTensor::check() const {
  const Index count = checked_entry_count(dims_);
  SOTTO_REQUIRE(size() == count, "a tensor of {} needs {} values, got {}", shape_text(dims_), count,
                size());
}

// Reverses all indices: for each middle index (fixed i_1 .. i_{p-2}) this is the transposition of a
// matrix of first by last index, done in tiles.
DenseTensor DenseTensor::from_fortran(std::vector<Index> dims, std::span<const double> values) {
  const Index count = checked_entry_count(dims);
  SOTTO_REQUIRE(std::ssize(values) == count, "a tensor of {} needs {} values, got {}",
                shape_text(dims), count, values.size());
  if (dims.size() == 1) return {std::move(dims), {values.begin(), values.end()}};
  DenseTensor result(std::move(dims));
  const Index rows = result.dims_.front(), cols = result.dims_.back();
  const Index row_stride = count / rows, col_stride = count / cols;
  const std::span<const Index> middle(result.dims_.data() + 1, result.dims_.size() - 2);
  constexpr Index tile = 32;
  for (Index m = 0; m < count / (rows * cols); ++m) {
    // m counts the middle indices in C order; `from` is their place in Fortran order.
    Index from = 0, rest = m, to = m * cols;
    Index fortran_stride = col_stride;
    for (std::size_t n = middle.size(); n-- > 0;) {
      fortran_stride /= middle[n];
      from += rest % middle[n] * fortran_stride;
      rest /= middle[n];
    }
    for (Index r0 = 0; r0 < rows; r0 += tile) {
      for (Index c0 = 0; c0 < cols; c0 += tile) {
        for (Index r = r0; r < std::min(rows, r0 + tile); ++r) {
          for (Index c = c0; c < std::min(cols, c0 + tile); ++c) {
            result.values_[to + r * row_stride + c] = values[from + c * col_stride + r];
          }
        }
      }
    }
  }
  return result;
}

bool DenseTensor::is_cubical() const {
  return std::all_of(dims_.begin(), dims_.end(), [&](Index d) { return d == dims_[0]; });
}

Index DenseTensor::position(std::span<const Index> index) const {
  SOTTO_REQUIRE(index.size() == dims_.size(), "an entry of a tensor of {} needs {} indices, got {}",
                shape_text(dims_), dims_.size(), index.size());
  Index place = 0;
  for (std::size_t m = 0; m < dims_.size(); ++m) {
    SOTTO_REQUIRE(index[m] >= 0 && index[m] < dims_[m], "index {} of mode {} is not below {}",
                  index[m], m, dims_[m]);
    place = place * dims_[m] + index[m];
  }
  return place;
}

std::vector<Index> DenseTensor::index_of(Index position) const {
  SOTTO_REQUIRE(position >= 0 && position < size(), "position {} is not below {}", position,
                size());
  std::vector<Index> index(dims_.size());
  for (std::size_t m = dims_.size(); m-- > 0;) {
    index[m] = position % dims_[m];
    position /= dims_[m];
  }
  return index;
}

// The largest difference within the permutations of one index is their maximum minus their minimum.
Asymmetry DenseTensor::max_asymmetry() const {
  SOTTO_REQUIRE(is_cubical(), "only a tensor with equal dimensions can be symmetric, this is {}",
                shape_text(dims_));
  SOTTO_REQUIRE(!has_nonfinite(), "the tensor has values that are not finite");
  OrbitPositions positions(order(), dims_[0]);
  double worst = 0;
  Index worst_high = 0, worst_low = 0;
  for_each_sorted_index(order(), dims_[0], [&](std::span<const Index> index) {
    const std::span<const Index> places = positions(index);
    Index high = places[0], low = places[0];
    for (const Index p : places) {
      if (values_[p] > values_[high]) high = p;
      if (values_[p] < values_[low]) low = p;
    }
    const double difference = values_[high] - values_[low];
    if (difference > worst) {
      worst = difference;
      worst_high = high;
      worst_low = low;
    }
  });
  if (worst == 0) return {};
  return {worst, index_of(worst_high), index_of(worst_low)};
}

// Mean of v_1 .. v_n as v_1 + sum (v_j/n - v_1/n): exact when all are equal, and no overflow.
DenseTensor DenseTensor::symmetrised() const {
  SOTTO_REQUIRE(is_cubical(), "only a tensor with equal dimensions can be symmetrised, this is {}",
                shape_text(dims_));
  OrbitPositions positions(order(), dims_[0]);
  DenseTensor result = *this;
  for_each_sorted_index(order(), dims_[0], [&](std::span<const Index> index) {
    const std::span<const Index> places = positions(index);
    const auto n = static_cast<double>(places.size());
    const double first = values_[places[0]];
    double shift = 0;
    for (const Index p : places) shift += values_[p] / n - first / n;
    for (const Index p : places) result.values_[p] = first + shift;
  });
  return result;
}

}  // namespace sotto
