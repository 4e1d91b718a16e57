#include "sotto/tensor/sparse_tensor.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/parallel.h"

namespace sotto {
namespace {

using Coordinate = SparseTensor::Coordinate;
using IndexRow = std::span<const Coordinate>;

constexpr Index entries_per_chunk = 2048;

// Rows of `order` coordinates, entry by entry.
struct Rows {
  IndexRow all;
  Index order;
  Index count() const { return std::ssize(all) / order; }
  IndexRow operator[](Index entry) const { return all.subspan(entry * order, order); }
};

bool row_less(IndexRow a, IndexRow b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

bool row_equal(IndexRow a, IndexRow b) { return std::equal(a.begin(), a.end(), b.begin()); }

bool strictly_increasing(const Rows& rows) {
  for (Index e = 1; e < rows.count(); ++e) {
    if (!row_less(rows[e - 1], rows[e])) return false;
  }
  return true;
}

// The entries ordered by their rows, equal rows in the given order. The leading modes are joined
// into one 64-bit key as far as they fit; only ties of the key look at the rest of the row.
std::vector<Index> sorted_entries(const Rows& rows, std::span<const Index> dims) {
  struct Keyed {
    std::uint64_t key;
    Index entry;
  };
  std::uint64_t range = 1;
  Index joined = 0;
  for (; joined < rows.order; ++joined) {
    const auto d = static_cast<std::uint64_t>(dims[joined]);
    if (range > std::numeric_limits<std::uint64_t>::max() / d) break;
    range *= d;
  }
  std::vector<Keyed> keyed(rows.count());
  for (Index e = 0; e < rows.count(); ++e) {
    std::uint64_t key = 0;
    for (Index m = 0; m < joined; ++m) {
      key = key * static_cast<std::uint64_t>(dims[m]) + static_cast<std::uint64_t>(rows[e][m]);
    }
    keyed[e] = {key, e};
  }
  std::sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    const IndexRow tail_a = rows[a.entry].subspan(joined), tail_b = rows[b.entry].subspan(joined);
    if (!row_equal(tail_a, tail_b)) return row_less(tail_a, tail_b);
    return a.entry < b.entry;
  });
  std::vector<Index> entries(rows.count());
  std::transform(keyed.begin(), keyed.end(), entries.begin(),
                 [](const Keyed& k) { return k.entry; });
  return entries;
}

// Calls visit(sorted row, entries) for each set of stored entries whose indices are permutations of
// one another.
template <class Visit>
void for_each_orbit(const SparseTensor& tensor, Visit visit) {
  std::vector<Coordinate> sorted(tensor.indices().begin(), tensor.indices().end());
  const Index order = tensor.order();
  for (Index e = 0; e < tensor.nnz(); ++e) {
    std::sort(sorted.begin() + e * order, sorted.begin() + (e + 1) * order);
  }
  const Rows rows{sorted, order};
  const std::vector<Index> entries = sorted_entries(rows, tensor.dims());
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    const IndexRow row = rows[entries[begin]];
    while (end < entries.size() && row_equal(rows[entries[end]], row)) ++end;
    visit(row, std::span<const Index>(entries).subspan(begin, end - begin));
  }
}

// The number of distinct permutations of a nondecreasing row: p! / prod (multiplicity!).
Index distinct_permutations(IndexRow sorted) {
  Index count = 1, run = 0;
  for (std::size_t m = 0; m < sorted.size(); ++m) {
    run = m > 0 && sorted[m] == sorted[m - 1] ? run + 1 : 1;
    count = count * static_cast<Index>(m + 1) / run;
  }
  return count;
}

// The two permutations of a nondecreasing row that hold the values `high` and `low`.
Asymmetry locate(const SparseTensor& tensor, std::vector<Index> row, double high, double low) {
  Asymmetry result{high - low, {}, {}};
  do {
    const double value = tensor.at(row);
    if (value == high && result.larger.empty()) result.larger = row;
    if (value == low && result.smaller.empty()) result.smaller = row;
  } while (std::next_permutation(row.begin(), row.end()));
  return result;
}

Index chunk_count(Index entries) { return (entries + entries_per_chunk - 1) / entries_per_chunk; }

// product = value * prod_{m != skip} (row of factor m for this entry); skip = -1 takes all modes.
void multiply_rows(IndexRow index, double value, std::span<const Matrix> rows, Index skip,
                   Eigen::ArrayXd& product) {
  product.setConstant(value);
  for (Index m = 0; m < std::ssize(index); ++m) {
    if (m != skip) product *= rows[m].col(index[m]).array();
  }
}

}  // namespace

SparseTensor::SparseTensor(std::vector<Index> dims, std::vector<Coordinate> indices,
                           std::vector<double> values, Duplicates duplicates)
    : dims_(std::move(dims)), indices_(std::move(indices)), values_(std::move(values)) {
  SOTTO_REQUIRE(!dims_.empty() && order() <= max_tensor_order,
                "a tensor needs 1 to {} dimensions, got {}", max_tensor_order, dims_.size());
  for (const Index d : dims_) {
    SOTTO_REQUIRE(d >= 1 && d <= std::numeric_limits<Coordinate>::max(),
                  "every dimension of a sparse tensor must be 1 to {}, got {}",
                  std::numeric_limits<Coordinate>::max(), shape_text(dims_));
  }
  SOTTO_REQUIRE(
      indices_.size() % dims_.size() == 0 && indices_.size() / dims_.size() == values_.size(),
      "{} values of a tensor of order {} do not match {} indices", values_.size(), order(),
      indices_.size());
  for (std::size_t n = 0; n < indices_.size(); ++n) {
    const Index d = dims_[n % dims_.size()];
    SOTTO_REQUIRE(indices_[n] >= 0 && indices_[n] < d,
                  "index {} in mode {} of entry {} is not below {}", indices_[n], n % dims_.size(),
                  n / dims_.size(), d);
  }
  const Rows rows{indices_, order()};
  if (strictly_increasing(rows)) return;

  std::vector<Coordinate> sorted_indices;
  std::vector<double> sorted_values;
  sorted_indices.reserve(indices_.size());
  sorted_values.reserve(values_.size());
  for (const Index e : sorted_entries(rows, dims_)) {
    const IndexRow row = rows[e];
    const bool again = !sorted_values.empty() &&
                       std::equal(row.begin(), row.end(), sorted_indices.end() - order());
    SOTTO_REQUIRE(!again || duplicates == Duplicates::sum,
                  "the entry at index ({}), counted from 0, is given more than once",
                  join_text(row, ", "));
    if (again) {
      sorted_values.back() += values_[e];
    } else {
      sorted_indices.insert(sorted_indices.end(), row.begin(), row.end());
      sorted_values.push_back(values_[e]);
    }
  }
  indices_ = std::move(sorted_indices);
  values_ = std::move(sorted_values);
}

SparseTensor SparseTensor::from_dense(const DenseTensor& dense) {
  const bool fits = std::all_of(dense.dims().begin(), dense.dims().end(), [](Index d) {
    return d <= std::numeric_limits<Coordinate>::max();
  });
  SOTTO_REQUIRE(fits, "a sparse tensor has dimensions of at most {}, got {}",
                std::numeric_limits<Coordinate>::max(), shape_text(dense.dims()));
  std::vector<Coordinate> indices;
  std::vector<double> values;
  for (Index p = 0; p < dense.size(); ++p) {
    if (dense.values()[p] == 0) continue;
    indices.resize(indices.size() + dense.dims().size());
    Index rest = p;
    for (Index m = dense.order(); m-- > 0; rest /= dense.dims()[m]) {
      indices[std::ssize(indices) - dense.order() + m] =
          static_cast<Coordinate>(rest % dense.dims()[m]);
    }
    values.push_back(dense.values()[p]);
  }
  return {dense.dims(), std::move(indices), std::move(values), Duplicates::refuse};
}

bool SparseTensor::is_cubical() const {
  return std::all_of(dims_.begin(), dims_.end(), [&](Index d) { return d == dims_[0]; });
}

double SparseTensor::at(std::span<const Index> index) const {
  SOTTO_REQUIRE(std::ssize(index) == order(), "an entry of a tensor of {} needs {} indices, got {}",
                shape_text(dims_), order(), index.size());
  std::array<Coordinate, max_tensor_order> buffer{};
  for (Index m = 0; m < order(); ++m) {
    SOTTO_REQUIRE(index[m] >= 0 && index[m] < dims_[m], "index {} of mode {} is not below {}",
                  index[m], m, dims_[m]);
    buffer[m] = static_cast<Coordinate>(index[m]);
  }
  const IndexRow wanted(buffer.data(), order());
  const Rows rows{indices_, order()};
  Index first = 0, count = nnz();
  while (count > 0) {
    const Index half = count / 2;
    if (row_less(rows[first + half], wanted)) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first < nnz() && row_equal(rows[first], wanted) ? values_[first] : 0;
}

DenseTensor SparseTensor::to_dense(Index max_entries) const {
  const Index count = checked_entry_count(dims_);
  SOTTO_REQUIRE(count <= max_entries,
                "a dense tensor of {} would have {} entries, more than the {} allowed",
                shape_text(dims_), count, max_entries);
  DenseTensor dense(dims_);
  const Rows rows{indices_, order()};
  for (Index e = 0; e < nnz(); ++e) {
    Index position = 0;
    for (Index m = 0; m < order(); ++m) position = position * dims_[m] + rows[e][m];
    dense.values()[position] = values_[e];
  }
  return dense;
}

Asymmetry SparseTensor::max_asymmetry() const {
  SOTTO_REQUIRE(is_cubical(), "only a tensor with equal dimensions can be symmetric, this is {}",
                shape_text(dims_));
  SOTTO_REQUIRE(!has_nonfinite(), "the tensor has values that are not finite");
  double worst = 0, worst_high = 0, worst_low = 0;
  std::vector<Index> worst_row;
  for_each_orbit(*this, [&](IndexRow row, std::span<const Index> entries) {
    const bool complete = std::ssize(entries) == distinct_permutations(row);
    double high = complete ? values_[entries[0]] : 0, low = high;
    for (const Index e : entries) {
      high = std::max(high, values_[e]);
      low = std::min(low, values_[e]);
    }
    if (high - low > worst) {
      worst = high - low;
      worst_high = high;
      worst_low = low;
      worst_row.assign(row.begin(), row.end());
    }
  });
  if (worst == 0) return {};
  return locate(*this, std::move(worst_row), worst_high, worst_low);
}

// Mean of v_1 .. v_n as v_1 + sum (v_j/n - v_1/n), with 0 for v_1 when some v_j are not stored.
SparseTensor SparseTensor::symmetrised() const {
  SOTTO_REQUIRE(is_cubical(), "only a tensor with equal dimensions can be symmetrised, this is {}",
                shape_text(dims_));
  std::vector<Coordinate> indices;
  std::vector<double> values;
  for_each_orbit(*this, [&](IndexRow row, std::span<const Index> entries) {
    const Index permutations = distinct_permutations(row);
    const auto n = static_cast<double>(permutations);
    const double pivot = std::ssize(entries) == permutations ? values_[entries[0]] : 0;
    double mean = 0;
    for (const Index e : entries) mean += values_[e] / n - pivot / n;
    mean += pivot;
    std::vector<Coordinate> permuted(row.begin(), row.end());
    do {
      indices.insert(indices.end(), permuted.begin(), permuted.end());
      values.push_back(mean);
    } while (std::next_permutation(permuted.begin(), permuted.end()));
  });
  return {dims_, std::move(indices), std::move(values), Duplicates::refuse};
}

// Checks and transposes: the L numbers of one index of a mode become contiguous.
std::vector<Matrix> SparseTensor::factors_by_row(std::span<const Matrix> factors) const {
  SOTTO_REQUIRE(std::ssize(factors) == order(), "a tensor of order {} needs {} factors, got {}",
                order(), order(), factors.size());
  std::vector<Matrix> rows(order());
  for (Index m = 0; m < order(); ++m) {
    SOTTO_REQUIRE(factors[m].rows() == dims_[m] && factors[m].cols() == factors[0].cols(),
                  "the factor of mode {} must be {} x {}, got {} x {}", m, dims_[m],
                  factors[0].cols(), factors[m].rows(), factors[m].cols());
    rows[m] = factors[m].transpose();
  }
  return rows;
}

// Counting sort of the entries by their index in one mode, stable.
std::vector<Index> SparseTensor::entries_by_row(Index mode) const {
  std::vector<Index> next(dims_[mode] + 1, 0);
  for (Index e = 0; e < nnz(); ++e) ++next[indices_[e * order() + mode] + 1];
  for (Index r = 0; r < dims_[mode]; ++r) next[r + 1] += next[r];
  std::vector<Index> entries(nnz());
  for (Index e = 0; e < nnz(); ++e) entries[next[indices_[e * order() + mode]]++] = e;
  return entries;
}

// The entries are taken in the order of their row of the result and cut into chunks of equal size,
// whatever the rows are, so that one heavy row does not delay the others. A row strictly inside a
// chunk belongs to that chunk alone and is written at once. The first and last row of a chunk may
// be shared; they are added afterwards in the order of the chunks.
Matrix SparseTensor::contract_all_but(Index mode, std::span<const Matrix> factors) const {
  SOTTO_REQUIRE(mode >= 0 && mode < order(), "mode {} is not below the order {}", mode, order());
  const std::vector<Matrix> rows = factors_by_row(factors);
  const std::vector<Index> by_row = mode == 0 ? std::vector<Index>{} : entries_by_row(mode);
  const auto entry = [&](Index n) { return mode == 0 ? n : by_row[n]; };
  const auto row_of = [&](Index n) { return indices_[entry(n) * order() + mode]; };

  const Index length = factors[0].cols(), chunks = chunk_count(nnz());
  Matrix result = Matrix::Zero(length, dims_[mode]);
  Matrix first = Matrix::Zero(length, chunks), last = Matrix::Zero(length, chunks);
  parallel_for(chunks, {1, chunks > 1}, [&](Index c) {
    const Index begin = c * entries_per_chunk, end = std::min(nnz(), begin + entries_per_chunk);
    const Index first_row = row_of(begin), last_row = row_of(end - 1);
    Eigen::ArrayXd product(length), sum = Eigen::ArrayXd::Zero(length);
    for (Index n = begin; n < end; ++n) {
      multiply_rows(index(entry(n)), values_[entry(n)], rows, mode, product);
      sum += product;
      const Index row = row_of(n);
      if (n + 1 < end && row_of(n + 1) == row) continue;
      auto target = row == first_row  ? first.col(c)
                    : row == last_row ? last.col(c)
                                      : result.col(row);
      target = sum.matrix();
      sum.setZero();
    }
  });
  for (Index c = 0; c < chunks; ++c) {
    const Index begin = c * entries_per_chunk, end = std::min(nnz(), begin + entries_per_chunk);
    result.col(row_of(begin)) += first.col(c);
    result.col(row_of(end - 1)) += last.col(c);
  }
  return result.transpose();
}

Vector SparseTensor::values(std::span<const Matrix> factors) const {
  const std::vector<Matrix> rows = factors_by_row(factors);
  const Index length = factors[0].cols(), chunks = chunk_count(nnz());
  Matrix partial = Matrix::Zero(length, chunks);
  parallel_for(chunks, {1, chunks > 1}, [&](Index c) {
    const Index begin = c * entries_per_chunk, end = std::min(nnz(), begin + entries_per_chunk);
    Eigen::ArrayXd product(length), sum = Eigen::ArrayXd::Zero(length);
    for (Index e = begin; e < end; ++e) {
      multiply_rows(index(e), values_[e], rows, -1, product);
      sum += product;
    }
    partial.col(c) = sum.matrix();
  });
  Vector sum = Vector::Zero(length);
  for (Index c = 0; c < chunks; ++c) sum += partial.col(c);
  return sum;
}

}  // namespace sotto
