#include "sotto/tensor/point_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/keyed_digest.h"
#include "sotto/linalg/kernels/narrow_gemm.h"
#include "sotto/tensor/record_sum.h"

namespace sotto {
namespace {

// Half a megabyte of doubles.
constexpr Index dense_block_numbers = 1 << 16;

// A document has a few hundred words.
constexpr Index sparse_block_rows = 1024;

using kernels::narrow_gemm_accumulate;
using kernels::StridedMatrix;

// 0 * x is 0 for every finite x and NaN for every other.
bool all_finite(const double* begin, Index count) {
  return (Eigen::Map<const Eigen::ArrayXd>(begin, count) * 0.0).sum() == 0.0;
}

// The first row with NaN or infinity, or -1.
Index first_nonfinite_row(const PointBlock& block) {
  const double* values = block.is_sparse ? block.sparse.valuePtr() : block.dense.data();
  const Index count = block.is_sparse ? block.sparse.nonZeros() : block.dense.size();
  if (all_finite(values, count)) return -1;
  for (Index r = 0; r < block.rows(); ++r) {
    const Index begin = block.is_sparse ? block.sparse.outerIndexPtr()[r] : r * block.dim();
    const Index end = block.is_sparse ? block.sparse.outerIndexPtr()[r + 1] : begin + block.dim();
    if (!all_finite(values + begin, end - begin)) return r;
  }
  return -1;
}

void check_shapes(const PointBlock& block, Index u_rows) {
  SOTTO_REQUIRE(block.dim() == u_rows, "records of dimension {} and vectors of dimension {}",
                block.dim(), u_rows);
}

// A sparse row begins with its length, so that two rows cannot be confused with one.
void add_records(const PointBlock& block, KeyedDigest& digest) {
  const auto bytes = [](Index numbers) { return static_cast<std::size_t>(numbers) * 8; };
  if (!block.is_sparse) return digest.add(block.dense.data(), bytes(block.dense.size()));
  for (Index r = 0; r < block.rows(); ++r) {
    const std::int64_t begin = block.sparse.outerIndexPtr()[r];
    const std::int64_t length = block.sparse.outerIndexPtr()[r + 1] - begin;
    digest.add(&length, sizeof length);
    digest.add(block.sparse.innerIndexPtr() + begin, bytes(length));
    digest.add(block.sparse.valuePtr() + begin, bytes(length));
  }
}

class PointsInMemory final : public PointSource {
 public:
  PointsInMemory(RowMatrix rows, std::vector<std::string> columns)
      : rows_(std::move(rows)), columns_(std::move(columns)) {}

  Index dim() const override { return rows_.cols(); }
  std::string name() const override { return "the points"; }
  std::vector<std::string> columns() const override { return columns_; }
  std::optional<Index> records() const override { return rows_.rows(); }
  bool can_rewind() const override { return true; }
  bool has_random_access() const override { return true; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, rows_.rows() - next_);
    block.is_sparse = false;
    block.dense = rows_.middleRows(next_, rows);
    next_ += rows;
    return rows;
  }
  void restart() override { next_ = 0; }
  void move_to(Index record) override { next_ = record; }
  void set_order(std::vector<Index>&& order) override {
    rows_ = RowMatrix(rows_(order, Eigen::all));
  }

 private:
  RowMatrix rows_;
  std::vector<std::string> columns_;
  Index next_ = 0;
};

}  // namespace

PointSource::PointSource(Index position) : position_(position) {}
PointSource::~PointSource() = default;

Index PointSource::read(Index max_rows, PointBlock& block) {
  SOTTO_REQUIRE(max_rows >= 1, "a block has at least one record, got {}", max_rows);
  const Index rows = take(max_rows, block);
  block.first_record = position_;
  position_ += rows;
  if (rows == 0 || is_checked()) return rows;
  const Index bad = first_nonfinite_row(block);
  SOTTO_REQUIRE_AT(bad < 0, name(), "record {} has a value that is NaN or infinite",
                   block.first_record + bad + 1);
  return rows;
}

void PointSource::rewind() {
  SOTTO_REQUIRE_AT(can_rewind(), name(), "cannot be read a second time; give a regular file");
  restart();
  position_ = 0;
  begin_digest();
}

Index PointSource::take(Index max_rows, PointBlock& block) {
  const Index rows = fill(max_rows, block);
  if (digest_ && rows > 0) add_records(block, *digest_);
  return rows;
}

void PointSource::read_in_order(std::vector<Index> order) {
  require_random_access(has_random_access(), name());
  SOTTO_REQUIRE(position_ == 0 && std::ssize(order) == records(),
                "an order of all records is given before the first is read");
  set_order(std::move(order));
}

void PointSource::keep_digest(const std::array<std::uint8_t, 32>& key) {
  SOTTO_REQUIRE(position_ == 0, "a digest is kept from the first record on");
  digest_key_ = key;
  begin_digest();
}

void PointSource::begin_digest() {
  if (!digest_key_) return;
  digest_ = std::make_unique<KeyedDigest>(*digest_key_);
  const std::int64_t shape[] = {dim(), is_sparse() ? 1 : 0};
  digest_->add(shape, sizeof shape);
}

std::array<std::uint8_t, 32> PointSource::digest() const {
  return digest_ ? digest_->value() : KeyedDigest::Value{};
}

RecordTotal PointSource::sum_next(const RecordSum& sum, Index most) {
  SOTTO_REQUIRE(most >= 0, "a sum has no {} records", most);
  return take_sum(sum, most);
}

void PointSource::seek(Index record) {
  SOTTO_REQUIRE(has_random_access() && !digest_key_ && 0 <= record && record <= records(),
                "{} cannot be read from record {} on", name(), record);
  move_to(record);
  position_ = record;
}

void PointSource::move_to(Index) { throw Error("cannot be read from any record on", name()); }

Index PointSource::skip(Index count) {
  const Index step = block_rows(*this);
  PointBlock block;
  Index done = 0;
  while (done < count) {
    const Index rows = take(std::min(step, count - done), block);
    if (rows == 0) break;
    done += rows;
  }
  position_ += done;
  return done;
}

Points points_in_memory(RowMatrix rows, std::vector<std::string> columns) {
  return std::make_unique<PointsInMemory>(std::move(rows), std::move(columns));
}

void require_random_access(bool has_it, const std::string& name) {
  SOTTO_REQUIRE_AT(has_it, "`shuffle`",
                   "needs a plain .npy file or a file of raw numbers, whose records can be read in "
                   "any order; {} is none",
                   name);
}

Index block_rows(const PointSource& source) {
  if (source.is_sparse()) return sparse_block_rows;
  return std::clamp<Index>(dense_block_numbers / std::max<Index>(source.dim(), 1), 8, 2048);
}

Index addition_depth(const PointSource& source, Index records) {
  if (source.is_sparse()) return records;
  // The additions within a block, then at most one for each block, the last of which may not be
  // full: in the tree of partial_sum.h no number passes more.
  return block_rows(source) + records / block_rows(source) + 1;
}

RowMatrix scores(const PointBlock& block, const RowMatrix& u) {
  check_shapes(block, u.rows());
  RowMatrix s = RowMatrix::Zero(block.rows(), u.cols());
  if (block.is_sparse) {
    for (Index r = 0; r < s.rows(); ++r) {
      for (SparseRows::InnerIterator entry(block.sparse, r); entry; ++entry) {
        s.row(r) += entry.value() * u.row(entry.col());
      }
    }
  } else {
    const StridedMatrix x{block.dense.data(), block.rows(), block.dim(), block.dim(), 1};
    narrow_gemm_accumulate(x, u.data(), s.data(), {u.cols(), u.cols()});
  }
  return s;
}

void add_transposed_product(const PointBlock& block, const RowMatrix& z, RowMatrix& y) {
  check_shapes(block, y.rows());
  SOTTO_REQUIRE(z.rows() == block.rows() && z.cols() == y.cols(),
                "cannot add ({} x {})^T ({} x {}) to {} x {}", block.rows(), block.dim(), z.rows(),
                z.cols(), y.rows(), y.cols());
  if (block.is_sparse) {
    for (Index r = 0; r < z.rows(); ++r) {
      for (SparseRows::InnerIterator entry(block.sparse, r); entry; ++entry) {
        y.row(entry.col()) += entry.value() * z.row(r);
      }
    }
  } else {
    const StridedMatrix transposed{block.dense.data(), block.dim(), block.rows(), 1, block.dim()};
    narrow_gemm_accumulate(transposed, z.data(), y.data(), {z.cols(), z.cols()});
  }
}

Vector squared_norms(const PointBlock& block) {
  if (!block.is_sparse) return block.dense.rowwise().squaredNorm();
  Vector norms(block.rows());
  for (Index r = 0; r < block.rows(); ++r) norms[r] = block.sparse.row(r).squaredNorm();
  return norms;
}

}  // namespace sotto
