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

using Local = SparseTiles::Local;
using Block = SparseTiles::Block;
using Piece = SparseTiles::Piece;
using Strips = SparseMttkrp::Strips;

typedef double TileQuad __attribute__((vector_size(32)));
constexpr Index kQuad = 4;
constexpr int kMaxQuads = 4;

// A row of a strip, in registers.
template <int Quads>
struct StripRow {
  TileQuad part[Quads];

  static constexpr Index kWidth = Quads * kQuad;

  static StripRow load(const double* p) {
    StripRow s{};
    std::memcpy(s.part, p, sizeof s.part);
    return s;
  }
  void store(double* p) const { std::memcpy(p, part, sizeof part); }
  void scale(double x) {
    for (int q = 0; q < Quads; ++q) part[q] *= x;
  }
  void multiply(const StripRow& b) {
    for (int q = 0; q < Quads; ++q) part[q] *= b.part[q];
  }
  void add(const StripRow& b) {
    for (int q = 0; q < Quads; ++q) part[q] += b.part[q];
  }
  double sum() const {
    TileQuad all = part[0];
    for (int q = 1; q < Quads; ++q) all += part[q];
    return (all[0] + all[1]) + (all[2] + all[3]);
  }
};

// The rows of some modes' factors that the entries of one block need. `Modes` is their number, or
// 0 for any.
template <int Quads, int Modes>
class BlockRows {
 public:
  BlockRows(const Block& block, const std::vector<Strips>& factors, std::size_t strip,
            std::span<const Index> modes)
      : modes_(modes) {
    for (std::size_t n = 0; n < modes.size(); ++n) {
      base_[n] = factors[modes[n]][strip].data() + block.first_row[modes[n]] * kWidth;
    }
  }

  // The product of the rows of an entry whose indices are at `local`.
  StripRow<Quads> product(const Local* local) const {
    StripRow<Quads> result = StripRow<Quads>::load(row(local, 0));
    for (std::size_t n = 1; n < count(); ++n) {
      result.multiply(StripRow<Quads>::load(row(local, n)));
    }
    return result;
  }
  // `local` may belong to another block: it then asks for rows that nobody needs.
  // (Inlined at once: GCC drops calls of a function that only prefetches.)
  [[gnu::always_inline]] void prefetch(const Local* local) const {
    for (std::size_t n = 0; n < count(); ++n) {
      __builtin_prefetch(row(local, n));
      if constexpr (Quads > 2) __builtin_prefetch(row(local, n) + 8);
    }
  }

 private:
  static constexpr Index kWidth = StripRow<Quads>::kWidth;

  std::size_t count() const { return Modes > 0 ? std::size_t{Modes} : modes_.size(); }
  const double* row(const Local* local, std::size_t n) const {
    return base_[n] + local[modes_[n]] * kWidth;
  }

  std::span<const Index> modes_;
  std::array<const double*, max_tensor_order> base_{};
};

// What one product is made of.
struct SparseProduct {
  const SparseTiles& tiles;
  const std::vector<Strips>& factors;
  std::size_t strip;
  Index mode;
  std::vector<Index> others;
};

// Adds the entries of a piece to its rows.
template <int Quads, int Others>
void add_piece(const SparseProduct& p, const Piece& piece, double* rows) {
  const Index order = p.tiles.order();
  for (Index b = piece.begin; b < piece.end; ++b) {
    const Block& block = p.tiles.blocks()[p.tiles.blocks_of(p.mode)[b]];
    const BlockRows<Quads, Others> gathered(block, p.factors, p.strip, p.others);
    const Local* local = p.tiles.local(block.begin);
    for (Index e = block.begin; e < block.end; ++e, local += order) {
      gathered.prefetch(local + SparseTiles::kReadAhead * order);
      StripRow<Quads> product = gathered.product(local);
      product.scale(p.tiles.value(e));
      double* row = rows + local[p.mode] * StripRow<Quads>::kWidth;
      product.add(StripRow<Quads>::load(row));
      product.store(row);
    }
  }
}

// The first piece of a group of rows works on the result itself, the others on copies, which are
// added in their order.
template <int Quads>
RowMatrix strip_product(const SparseProduct& p) {
  constexpr Index kWidth = StripRow<Quads>::kWidth;
  const std::span<const Piece> pieces = p.tiles.pieces(p.mode);
  RowMatrix result = large_zeros(p.tiles.dims()[p.mode], kWidth);
  std::vector<RowMatrix> copies(pieces.size());
  const auto add = p.others.size() == 2   ? add_piece<Quads, 2>
                   : p.others.size() == 3 ? add_piece<Quads, 3>
                                          : add_piece<Quads, 0>;
  parallel_for(std::ssize(pieces), {1, pieces.size() > 1}, [&](Index i) {
    const auto n = static_cast<std::size_t>(i);
    const Piece& piece = pieces[n];
    const bool first = n == 0 || pieces[n - 1].first_row != piece.first_row;
    if (!first) copies[n] = RowMatrix::Zero(piece.rows, kWidth);
    add(p, piece, first ? result.data() + piece.first_row * kWidth : copies[n].data());
  });
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    if (copies[n].size() > 0) result.middleRows(pieces[n].first_row, pieces[n].rows) += copies[n];
  }
  return result;
}

RowMatrix strip_product(const SparseProduct& p, Index width) {
  switch (width / kQuad) {
    case 4:
      return strip_product<4>(p);
    case 3:
      return strip_product<3>(p);
    case 2:
      return strip_product<2>(p);
    default:
      return strip_product<1>(p);
  }
}

// To a matrix that is stored the other way round.
void copy_columns(const RowMatrix& from, Index columns, Eigen::Ref<Matrix> to) {
  constexpr Index kRows = 512;
  const Index groups = (from.rows() + kRows - 1) / kRows;
  parallel_for(groups, {0, groups > 16}, [&](Index group) {
    const Index row = group * kRows, rows = std::min(kRows, from.rows() - row);
    to.middleRows(row, rows) = from.block(row, 0, rows, columns);
  });
}

template <int Quads>
void add_predictions(const SparseTiles& tiles, const Block& block,
                     const std::vector<Strips>& factors, std::size_t strip,
                     std::span<const Index> modes, std::span<double> predictions) {
  const BlockRows<Quads, 0> gathered(block, factors, strip, modes);
  const Local* local = tiles.local(block.begin);
  for (double& prediction : predictions) {
    prediction += gathered.product(local).sum();
    local += tiles.order();
  }
}

// What the factors predict for the entries of a block.
std::vector<double> predict(const SparseTiles& tiles, const Block& block,
                            const std::vector<Strips>& factors, std::span<const Index> modes) {
  std::vector<double> predictions(static_cast<std::size_t>(block.end - block.begin), 0.0);
  for (std::size_t strip = 0; strip < factors[0].size(); ++strip) {
    const Index quads = factors[0][strip].cols() / kQuad;
    const auto add = quads == 4   ? add_predictions<4>
                     : quads == 3 ? add_predictions<3>
                     : quads == 2 ? add_predictions<2>
                                  : add_predictions<1>;
    add(tiles, block, factors, strip, modes, predictions);
  }
  return predictions;
}

// |X^|^2 = sum over r, s of prod_m (A^m^T A^m)_rs.
double squared_norm_of(const std::vector<Strips>& factors) {
  double sum = 0;
  for (std::size_t a = 0; a < factors[0].size(); ++a) {
    for (std::size_t b = 0; b < factors[0].size(); ++b) {
      Matrix gram = Matrix::Ones(factors[0][a].cols(), factors[0][b].cols());
      for (const Strips& factor : factors) {
        gram.array() *= (factor[a].transpose() * factor[b]).array();
      }
      sum += gram.sum();
    }
  }
  return sum;
}

}  // namespace

SparseMttkrp::SparseMttkrp(const SparseTensor& tensor, Unstored unstored)
    : tiles_(tensor), unstored_(unstored), factors_(static_cast<std::size_t>(tensor.order())) {
  SOTTO_REQUIRE(tensor.order() >= 3, "products of a tensor of {} need at least three modes",
                shape_text(tensor.dims()));
  const std::span<const double> values = tensor.values();
  squared_norm_ = Eigen::Map<const Vector>(values.data(), std::ssize(values)).squaredNorm();
}

void SparseMttkrp::place(Index mode, const Matrix& factor) {
  SOTTO_REQUIRE(factor.rows() == dims()[mode], "the factor of mode {} must have {} rows, got {}",
                mode, dims()[mode], factor.rows());
  components_ = factor.cols();
  Strips& strips = factors_[mode];
  strips.resize(
      static_cast<std::size_t>((components_ + kMaxQuads * kQuad - 1) / (kMaxQuads * kQuad)));
  Index column = 0;
  for (RowMatrix& strip : strips) {
    const Index width = std::min(kMaxQuads * kQuad, components_ - column);
    resize_large(strip, factor.rows(), (width + kQuad - 1) / kQuad * kQuad);
    strip.leftCols(width) = factor.middleCols(column, width);
    strip.rightCols(strip.cols() - width).setZero();
    column += width;
  }
}

Matrix SparseMttkrp::product(Index mode) {
  SparseProduct p{tiles_, factors_, 0, mode, {}};
  for (Index m = 0; m < order(); ++m) {
    if (m != mode) p.others.push_back(m);
  }
  Matrix result(dims()[mode], components_);
  for (Index column = 0; column < components_; column += kMaxQuads * kQuad, ++p.strip) {
    const RowMatrix strip = strip_product(p, factors_[p.others[0]][p.strip].cols());
    const Index width = std::min(strip.cols(), components_ - column);
    copy_columns(strip, width, result.middleCols(column, width));
  }
  return result;
}

double SparseMttkrp::squared_residual() const {
  const std::vector<Block>& blocks = tiles_.blocks();
  std::vector<Index> modes(dims().size());
  std::iota(modes.begin(), modes.end(), Index{0});
  std::vector<double> gap(blocks.size(), 0.0), predicted(gap);
  parallel_for(std::ssize(blocks), {4, blocks.size() > 1}, [&](Index i) {
    const auto b = static_cast<std::size_t>(i);
    const std::vector<double> guesses = predict(tiles_, blocks[b], factors_, modes);
    for (std::size_t n = 0; n < guesses.size(); ++n) {
      const double difference = tiles_.value(blocks[b].begin + static_cast<Index>(n)) - guesses[n];
      gap[b] += difference * difference;
      predicted[b] += guesses[n] * guesses[n];
    }
  });
  const double on_stored = std::accumulate(gap.begin(), gap.end(), 0.0);
  if (unstored_ == Unstored::unknown) return on_stored;
  const double elsewhere =
      squared_norm_of(factors_) - std::accumulate(predicted.begin(), predicted.end(), 0.0);
  return on_stored + std::max(0.0, elsewhere);
}

}  // namespace sotto
