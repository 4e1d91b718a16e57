#include "sotto/io/binary_points.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"

namespace sotto {
namespace {

// Bytes read at a time: they are still in the cache when they are converted and checked, and zlib
// passes so many through without a copy of its own.
constexpr Index buffer_bytes = 1 << 17;

}  // namespace

BinaryPoints::BinaryPoints(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {
  header_ = read_npy_header(*bytes_);
  SOTTO_REQUIRE_AT(header_.shape.size() == 2, name(),
                   "points need an array of two dimensions, records x dimension; this one has "
                   "shape ({})",
                   join_text(header_.shape, ", "));
  SOTTO_REQUIRE_AT(!header_.fortran_order || header_.shape[0] <= 1 || header_.shape[1] == 1, name(),
                   "the array is in Fortran order and cannot be read record by record; save "
                   "numpy.ascontiguousarray(points)");
  records_ = header_.shape[0];
  dim_ = header_.shape[1];
}

BinaryPoints::BinaryPoints(std::unique_ptr<ByteSource> bytes, Index dim, Index item_size)
    : bytes_(std::move(bytes)), dim_(dim) {
  SOTTO_REQUIRE_AT(dim >= 1, "`dim`", "must be at least 1, got {}", dim);
  SOTTO_REQUIRE(item_size == 4 || item_size == 8, "raw numbers have 4 or 8 bytes, got {}",
                item_size);
  header_.item_size = item_size;
  header_.big_endian = kNativeBigEndian;
  if (!bytes_->size()) return;
  const std::uint64_t row = static_cast<std::uint64_t>(dim * item_size);
  SOTTO_REQUIRE_AT(*bytes_->size() % row == 0, name(),
                   "{} bytes are not a whole number of records of {} ({} numbers of {} bytes)",
                   *bytes_->size(), row, dim, item_size);
  records_ = static_cast<Index>(*bytes_->size() / row);
}

std::size_t BinaryPoints::read_bytes(char* out, std::size_t count) {
  if (!offset_) return bytes_->read(out, count);
  const std::size_t came = bytes_->read_at(*offset_, out, count);
  *offset_ += came;
  return came;
}

// The bytes that came for the rows of `out`. Numbers are converted and checked in the cache, some
// at a time.
std::size_t BinaryPoints::read_rows(Index rows, RowMatrix& out) {
  out.resize(rows, dim_);
  const bool as_they_are =
      header_.kind == 'f' && header_.item_size == 8 && header_.big_endian == kNativeBigEndian;
  if (!as_they_are) buffer_.resize(buffer_bytes);
  std::size_t came = 0;
  for (Index first = 0; first < out.size();) {
    const Index items = std::min(buffer_bytes / header_.item_size, out.size() - first);
    const auto wanted = static_cast<std::size_t>(items * header_.item_size);
    char* const bytes = as_they_are ? reinterpret_cast<char*>(out.data() + first) : buffer_.data();
    const std::size_t got = read_bytes(bytes, wanted);
    came += got;
    const std::span numbers(out.data() + first, got / static_cast<std::size_t>(header_.item_size));
    if (!as_they_are) convert_npy_items(header_, bytes, numbers, name());
    refuse_large(numbers, bound_, name());
    if (got < wanted) break;
    first += items;
  }
  return came;
}

void BinaryPoints::read_ordered_rows(Index rows, RowMatrix& out) {
  buffer_.resize(static_cast<std::size_t>(rows) * row_bytes());
  for (Index i = 0; i < rows; ++i) {
    const auto record = static_cast<std::uint64_t>(order_[static_cast<std::size_t>(done_ + i)]);
    char* row = buffer_.data() + static_cast<std::size_t>(i) * row_bytes();
    const std::uint64_t offset = header_.data_offset + record * row_bytes();
    SOTTO_REQUIRE_AT(bytes_->read_at(offset, row, row_bytes()) == row_bytes(), name(),
                     "ends before record {}, it was longer when it was opened", record + 1);
  }
  out.resize(rows, dim_);
  const std::span<double> values(out.data(), static_cast<std::size_t>(out.size()));
  convert_npy_items(header_, buffer_.data(), values, name());
  refuse_large(values, bound_, name());
}

Index BinaryPoints::fill(Index max_rows, PointBlock& block) {
  const Index rows = records_ ? std::min(max_rows, *records_ - done_) : max_rows;
  block.is_sparse = false;
  if (!order_.empty()) {
    read_ordered_rows(rows, block.dense);
    done_ += rows;
    return rows;
  }
  const std::size_t came = read_rows(rows, block.dense);
  const auto whole = static_cast<Index>(came / row_bytes());
  SOTTO_REQUIRE_AT(came % row_bytes() == 0, name(), "ends within record {}, after {} of {} bytes",
                   done_ + whole + 1, came % row_bytes(), row_bytes());
  if (whole < rows) block.dense.conservativeResize(whole, dim_);
  done_ += whole;
  if (whole < max_rows) check_end(whole);
  return whole;
}

// The read came short: all promised records must have come, and nothing may follow.
void BinaryPoints::check_end(Index came) {
  if (!records_) return;
  SOTTO_REQUIRE_AT(done_ == *records_, name(), "has {} records, its header says {}", done_,
                   *records_);
  char extra;
  SOTTO_REQUIRE_AT(came > 0 || read_bytes(&extra, 1) == 0, name(),
                   "goes on after the {} records of its header", *records_);
}

void BinaryPoints::restart() {
  bytes_ = bytes_->reopened();
  if (header_.data_offset > 0) read_npy_header(*bytes_);
  done_ = 0;
  offset_.reset();
}

void BinaryPoints::move_to(Index record) {
  done_ = record;
  offset_ = header_.data_offset + static_cast<std::uint64_t>(record) * row_bytes();
}

}  // namespace sotto
