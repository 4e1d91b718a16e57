// Records of floating point numbers, one after the other: a two-dimensional .npy in C order, or raw
// numbers without any header.
//
// Read in blocks through one buffer, so that no more than a block is in memory, from a file or a
// pipe, plain or gzip. A file that ends within a record, or with fewer than its header claims, is
// an Error that names the record. A plain file can be read in any order, record by record.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/io/byte_source.h"
#include "sotto/io/large_values.h"
#include "sotto/io/npy.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

class BinaryPoints final : public PointSource {
 public:
  // A .npy array, records x dimension.
  explicit BinaryPoints(std::unique_ptr<ByteSource> bytes);
  // Numbers of `item_size` bytes (4 or 8) in the order of the machine.
  BinaryPoints(std::unique_ptr<ByteSource> bytes, Index dim, Index item_size);

  Index dim() const override { return dim_; }
  std::string name() const override { return bytes_->path(); }
  std::optional<Index> records() const override { return records_; }
  bool can_rewind() const override { return bytes_->is_regular(); }
  // Refuses numbers that are too large (large_values.h): for public records.
  void refuse_large_values() { bound_ = kLargestPublicValue; }
  bool has_random_access() const override { return bytes_->size().has_value(); }

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override;
  void move_to(Index record) override;
  void set_order(std::vector<Index>&& order) override { order_ = std::move(order); }

 private:
  std::size_t row_bytes() const { return static_cast<std::size_t>(dim_ * header_.item_size); }
  void read_ordered_rows(Index rows, RowMatrix& out);
  std::size_t read_rows(Index rows, RowMatrix& out);
  // The next bytes of the file, or those at its place after a move.
  std::size_t read_bytes(char* out, std::size_t count);
  void check_end(Index came);

  std::unique_ptr<ByteSource> bytes_;
  NpyHeader header_;
  Index dim_ = 0;
  std::optional<Index> records_;
  Index done_ = 0;
  std::vector<Index> order_;             // empty: that of the file
  std::optional<std::uint64_t> offset_;  // after a move: of the next byte in the file
  std::vector<char> buffer_;
  double bound_ = largest_value(true);
};

}  // namespace sotto
