#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/large_matrix.h"
#include "sotto/tensor/mttkrp.h"

namespace sotto {
namespace {

using FibreIndex = SparseFibres::Coordinate;

constexpr Index kFibreChunk = 4096;   // entries a piece of work has
constexpr Index kPrefetchAhead = 12;  // entries

typedef double FibreQuad __attribute__((vector_size(32)));
constexpr Index kQuad = 4;
constexpr int kMaxQuads = 4;

// Columns [first, first + 4 Quads) of rows, in registers.
template <int Quads>
struct Strip {
  FibreQuad part[Quads];

  static Strip zero() { return Strip{}; }
  static Strip load(const double* p) {
    Strip s{};
    std::memcpy(s.part, p, sizeof s.part);
    return s;
  }
  void store(double* p) const { std::memcpy(p, part, sizeof part); }
  void multiply(const double* p) {
    const Strip b = load(p);
    for (int q = 0; q < Quads; ++q) part[q] *= b.part[q];
  }
  void add(double x, const double* p) {
    const Strip b = load(p);
    for (int q = 0; q < Quads; ++q) part[q] += x * b.part[q];
  }
  void add(const Strip& a, const Strip& b) {
    for (int q = 0; q < Quads; ++q) part[q] += a.part[q] * b.part[q];
  }
};

// The factors of the modes other than the fibres' own, padded to whole quads.
struct OtherFactors {
  std::vector<RowMatrix> rows;
  Index width = 0;

  OtherFactors(const SparseFibres& fibres, std::span<const RowMatrix> factors) {
    for (const Index m : fibres.others()) {
      const RowMatrix& factor = factors[m];
      width = (factor.cols() + kQuad - 1) / kQuad * kQuad;
      RowMatrix padded = large_zeros(factor.rows(), width);
      padded.leftCols(factor.cols()) = factor;
      rows.push_back(std::move(padded));
    }
  }
};

// What a chunk adds up: rows strictly inside it are written at once, its first and last row, which
// other chunks may share, are kept apart and added in the order of the chunks.
struct ChunkEnds {
  Index first_row = 0, last_row = 0;
  std::array<double, kQuad * kMaxQuads> first{}, last{};
};

template <int Quads>
class FibreChunk {
 public:
  FibreChunk(const SparseFibres& fibres, const OtherFactors& factors, Index column)
      : fibres_(fibres), last_(std::ssize(factors.rows) - 1), width_(factors.width) {
    for (std::size_t n = 0; n < factors.rows.size(); ++n) {
      base_[n] = factors.rows[n].data() + column;
    }
  }

  void run(Index begin, Index end, RowMatrix& result, Index column, ChunkEnds& ends) const {
    const std::vector<Index>& starts = fibres_.begin();
    Index row = std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin() - 1;
    ends.first_row = row;
    for (Index n = begin; n < end; ++row) {
      const Index row_end = std::min(end, starts[row + 1]);
      if (row_end <= n) continue;
      const Strip<Quads> sum = add_row(n, row_end);
      ends.last_row = row;
      const bool at_end = row_end == end;
      double* target = row == ends.first_row ? ends.first.data()
                       : at_end              ? ends.last.data()
                                             : result.data() + row * width_ + column;
      sum.store(target);
      n = row_end;
    }
  }

 private:
  // Entries [begin, end) of one row: fibre after fibre.
  Strip<Quads> add_row(Index begin, Index end) const {
    Strip<Quads> sum = Strip<Quads>::zero();
    for (Index n = begin; n < end;) {
      const FibreIndex* fibre = fibres_.indices(n);
      Strip<Quads> inside = Strip<Quads>::zero();
      do {
        prefetch(n + kPrefetchAhead);
        inside.add(fibres_.value(n), base_[last_] + fibres_.index(n, last_) * width_);
        ++n;
      } while (n < end && same_fibre(fibre, fibres_.indices(n)));
      Strip<Quads> outside = Strip<Quads>::load(base_[0] + fibre[0] * width_);
      for (Index m = 1; m < last_; ++m) outside.multiply(base_[m] + fibre[m] * width_);
      sum.add(inside, outside);
    }
    return sum;
  }
  bool same_fibre(const FibreIndex* a, const FibreIndex* b) const {
    for (Index m = 0; m < last_; ++m) {
      if (a[m] != b[m]) return false;
    }
    return true;
  }
  void prefetch(Index n) const {
    if (n >= fibres_.entries()) return;
    const FibreIndex* at = fibres_.indices(n);
    for (Index m = 0; m <= last_; ++m) {
      const double* row = base_[m] + at[m] * width_;
      __builtin_prefetch(row);
      if constexpr (Quads > 2) __builtin_prefetch(row + 8);
    }
  }

  const SparseFibres& fibres_;
  Index last_, width_;
  std::array<const double*, max_tensor_order> base_{};
};

template <int Quads>
void add_strip(const SparseFibres& fibres, const OtherFactors& factors, Index column,
               RowMatrix& result) {
  const Index chunks = (fibres.entries() + kFibreChunk - 1) / kFibreChunk;
  std::vector<ChunkEnds> ends(static_cast<std::size_t>(chunks));
  const FibreChunk<Quads> chunk(fibres, factors, column);
  parallel_for(chunks, {4, chunks > 1}, [&](Index c) {
    const Index begin = c * kFibreChunk;
    chunk.run(begin, std::min(fibres.entries(), begin + kFibreChunk), result, column,
              ends[static_cast<std::size_t>(c)]);
  });
  for (const ChunkEnds& end : ends) {
    double* first = result.data() + end.first_row * result.cols() + column;
    double* last = result.data() + end.last_row * result.cols() + column;
    for (Index j = 0; j < Quads * kQuad; ++j) {
      first[j] += end.first[static_cast<std::size_t>(j)];
      last[j] += end.last[static_cast<std::size_t>(j)];
    }
  }
}

// The prediction of every stored entry, in the order of the fibres.
template <class Visit>
void for_each_prediction(const SparseFibres& fibres, std::span<const RowMatrix> factors,
                         Index begin, Index end, Visit visit) {
  const std::vector<Index>& starts = fibres.begin();
  Index row = std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin() - 1;
  for (Index n = begin; n < end; ++n) {
    while (n >= starts[row + 1]) ++row;
    Eigen::Array<double, 1, Eigen::Dynamic> product = factors[fibres.mode()].row(row).array();
    for (Index m = 0; m < std::ssize(fibres.others()); ++m) {
      product *= factors[fibres.others()[m]].row(fibres.index(n, m)).array();
    }
    visit(fibres.value(n), product.sum());
  }
}

// |X^|^2 = sum over r, s of prod_m (A^m^T A^m)_rs.
double squared_norm_of(std::span<const RowMatrix> factors) {
  Matrix gram = Matrix::Ones(factors[0].cols(), factors[0].cols());
  for (const RowMatrix& factor : factors) gram.array() *= (factor.transpose() * factor).array();
  return gram.sum();
}

}  // namespace

SparseFibres::SparseFibres(const SparseTensor& tensor, Index mode) : mode_(mode) {
  SOTTO_REQUIRE(mode >= 0 && mode < tensor.order(), "mode {} is not below the order {}", mode,
                tensor.order());
  SOTTO_REQUIRE(tensor.order() >= 3, "products of a tensor of {} need at least three modes",
                shape_text(tensor.dims()));
  for (Index m = 0; m < tensor.order(); ++m) {
    if (m != mode) others_.push_back(m);
  }
  begin_.assign(static_cast<std::size_t>(tensor.dims()[mode]) + 1, 0);
  const Index order = tensor.order();
  for (Index e = 0; e < tensor.nnz(); ++e) ++begin_[tensor.indices()[e * order + mode] + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  if (mode == 0) {
    stride_ = order;
    index_ = tensor.indices().data() + 1;
    value_ = tensor.values().data();
  } else {
    copy_in_row_order(tensor);
  }
}

// A counting sort; the entries come in lexicographic order, which it keeps within a row.
void SparseFibres::copy_in_row_order(const SparseTensor& tensor) {
  const Index order = tensor.order();
  stride_ = order - 1;
  own_index_.resize(static_cast<std::size_t>(tensor.nnz() * stride_));
  own_value_.resize(static_cast<std::size_t>(tensor.nnz()));
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  const Coordinate* from = tensor.indices().data();
  for (Index e = 0; e < tensor.nnz(); ++e, from += order) {
    const Index place = next[from[mode_]]++;
    Coordinate* to = std::copy_n(from, mode_, own_index_.data() + place * stride_);
    std::copy_n(from + mode_ + 1, order - mode_ - 1, to);
    own_value_[place] = tensor.values()[e];
  }
  index_ = own_index_.data();
  value_ = own_value_.data();
}

const SparseFibres& FibreCache::of(Index mode) {
  auto& fibres = fibres_[static_cast<std::size_t>(mode)];
  if (!fibres) fibres = std::make_unique<SparseFibres>(tensor_, mode);
  return *fibres;
}

RowMatrix sparse_mttkrp(const SparseFibres& fibres, std::span<const RowMatrix> factors) {
  const Index columns = factors[fibres.others()[0]].cols();
  const OtherFactors others(fibres, factors);
  RowMatrix result = large_zeros(std::ssize(fibres.begin()) - 1, others.width);
  for (Index column = 0; column < others.width;) {
    const Index quads = std::min<Index>(kMaxQuads, (others.width - column) / kQuad);
    if (quads == 4) add_strip<4>(fibres, others, column, result);
    if (quads == 3) add_strip<3>(fibres, others, column, result);
    if (quads == 2) add_strip<2>(fibres, others, column, result);
    if (quads == 1) add_strip<1>(fibres, others, column, result);
    column += quads * kQuad;
  }
  if (others.width == columns) return result;
  return result.leftCols(columns);
}

SparseMttkrp::SparseMttkrp(FibreCache& cache, Unstored unstored)
    : cache_(cache),
      unstored_(unstored),
      factors_(static_cast<std::size_t>(cache.tensor().order())) {
  const std::span<const double> values = cache.tensor().values();
  squared_norm_ = Eigen::Map<const Vector>(values.data(), std::ssize(values)).squaredNorm();
}

void SparseMttkrp::place(Index mode, const Matrix& factor) {
  SOTTO_REQUIRE(factor.rows() == dims()[mode], "the factor of mode {} must have {} rows, got {}",
                mode, dims()[mode], factor.rows());
  factors_[mode] = factor;
}

Matrix SparseMttkrp::product(Index mode) { return sparse_mttkrp(cache_.of(mode), factors_); }

double SparseMttkrp::squared_residual() const {
  const SparseFibres& fibres = cache_.of(0);
  const Index chunks = (fibres.entries() + kFibreChunk - 1) / kFibreChunk;
  std::vector<double> gap(static_cast<std::size_t>(chunks)), predicted(gap);
  parallel_for(chunks, {4, chunks > 1}, [&](Index c) {
    const Index begin = c * kFibreChunk, end = std::min(fibres.entries(), begin + kFibreChunk);
    for_each_prediction(fibres, factors_, begin, end, [&](double x, double guess) {
      gap[static_cast<std::size_t>(c)] += (x - guess) * (x - guess);
      predicted[static_cast<std::size_t>(c)] += guess * guess;
    });
  });
  const double on_stored = std::accumulate(gap.begin(), gap.end(), 0.0);
  if (unstored_ == Unstored::unknown) return on_stored;
  const double elsewhere =
      squared_norm_of(factors_) - std::accumulate(predicted.begin(), predicted.end(), 0.0);
  return on_stored + std::max(0.0, elsewhere);
}

}  // namespace sotto
