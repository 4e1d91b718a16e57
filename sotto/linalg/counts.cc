#include "sotto/linalg/counts.h"

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"

namespace sotto {
namespace {

// Rows are short and uneven, so a thread takes some at a time.
constexpr int kRowsAtATime = 64;

template <class AddEntry>
RowMatrix by_rows(const CountView& a, Index width, AddEntry add_entry) {
  RowMatrix result = RowMatrix::Zero(a.rows(), width);
  parallel_for_with(
      a.rows(), {kRowsAtATime}, [&] { return Eigen::RowVectorXd(width); },
      [&](Eigen::RowVectorXd& piece, Index r) {
        for_pieces(a.begin[r], a.begin[r + 1], [&](std::int64_t first, std::int64_t last) {
          piece.setZero();
          for (std::int64_t e = first; e < last; ++e) add_entry(piece, a.count[e], a.column[e]);
          result.row(r) += piece;
        });
      });
  return result;
}

}  // namespace

CountMatrix transposed(const CountView& a) {
  CountMatrix t;
  t.cols = a.rows();
  t.begin.assign(static_cast<std::size_t>(a.cols) + 1, 0);
  t.column.resize(a.column.size());
  t.count.resize(a.count.size());
  for (const std::int32_t column : a.column) ++t.begin[column + 1];
  for (Index c = 0; c < a.cols; ++c) t.begin[c + 1] += t.begin[c];
  std::vector<std::int64_t> next(t.begin.begin(), t.begin.end() - 1);
  for (Index r = 0; r < a.rows(); ++r) {
    for (std::int64_t e = a.begin[r]; e < a.begin[r + 1]; ++e) {
      const std::int64_t at = next[a.column[e]]++;
      t.column[at] = static_cast<std::int32_t>(r);
      t.count[at] = a.count[e];
    }
  }
  return t;
}

RowMatrix multiply(const CountView& a, const RowMatrix& b) {
  SOTTO_REQUIRE(a.cols == b.rows(), "cannot multiply {} x {} by {} x {}", a.rows(), a.cols,
                b.rows(), b.cols());
  return by_rows(a, b.cols(), [&](Eigen::RowVectorXd& row, double count, Index column) {
    row.noalias() += count * b.row(column);
  });
}

RowMatrix multiply(const CountView& a, const Vector& scale, const RowMatrix& b) {
  SOTTO_REQUIRE(a.cols == b.rows() && a.cols == scale.size(),
                "cannot multiply {} x {}, {} scales, {} x {}", a.rows(), a.cols, scale.size(),
                b.rows(), b.cols());
  return by_rows(a, b.cols(), [&](Eigen::RowVectorXd& row, double count, Index column) {
    row.noalias() += (count * scale[column]) * b.row(column);
  });
}

Vector multiply(const CountView& a, const Vector& scale) {
  SOTTO_REQUIRE(a.cols == scale.size(), "cannot multiply {} x {} by {} numbers", a.rows(), a.cols,
                scale.size());
  return by_rows(a, 1, [&](Eigen::RowVectorXd& row, double count, Index column) {
    row[0] += count * scale[column];
  });
}

}  // namespace sotto
