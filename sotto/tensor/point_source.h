// Records one after the other, and the products every method on them is made of.
//
// A source hands out blocks of records; a method that reads each block once and forgets it runs in
// memory that does not depend on how many records there are. The products are those of the implicit
// moment tensor (1/n) sum x (x) x (x) x: scores X U, and X^T Z for something made of the scores.
//
// Cost: 2 r d L flops a product for r dense rows, 2 nnz L for sparse ones, at the speed of the
// matrix product on one thread; record_walk.h shares blocks out among threads.
// Privacy: none here. The sums are exact; whoever releases them adds the noise.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/sensitive.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

class KeyedDigest;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;  // CSR

// Some records, one a row. Only one of the two matrices is in use; the other keeps its memory.
struct PointBlock {
  RowMatrix dense;
  SparseRows sparse;  // compressed, columns of a row increasing, none twice
  bool is_sparse = false;
  Index first_record = 0;  // number of the first row, counted from 0 since the last rewind

  Index rows() const { return is_sparse ? sparse.rows() : dense.rows(); }
  Index dim() const { return is_sparse ? sparse.cols() : dense.cols(); }
};

// A reader is used by one thread at a time.
class PointSource {
 public:
  explicit PointSource(Index position = 0);
  virtual ~PointSource();
  virtual Index dim() const = 0;
  // What messages call it: the path of the file, "standard input".
  virtual std::string name() const = 0;
  // How many records there are, when that is known without reading them.
  virtual std::optional<Index> records() const { return std::nullopt; }
  // False when the dimension had to be found in the records themselves: then it is not public.
  virtual bool dim_is_declared() const { return true; }
  virtual bool is_sparse() const { return false; }
  virtual bool can_rewind() const { return false; }
  // Whether read_in_order() is possible.
  virtual bool has_random_access() const { return false; }

  // Fills `block` with the next records and returns how many: max_rows, or fewer at the end, and 0
  // only at the end. Refuses NaN and infinity, naming the record, before anyone has seen the block.
  Index read(Index max_rows, PointBlock& block);

  // Back to the first record; an Error when that cannot be done.
  void rewind();
  // Leaves out the next `count` records, unchecked; returns how many there were.
  Index skip(Index count);
  // Records read since the beginning or the last rewind.
  Index position() const { return position_; }

  // Record order[i] is read as number i, also after a rewind. The order is a permutation of all
  // records(); it is given before the first record is read.
  void read_in_order(std::vector<Index> order);

  // Before the first record is read: records read or left out enter a keyed digest from now on.
  void keep_digest(const std::array<std::uint8_t, 32>& key);
  // Of the dimension and the position() records before this place, as numbers, however they were
  // cut into blocks. Zero when none is kept.
  std::array<std::uint8_t, 32> digest() const;

 protected:
  // Sets the rows of `block`; as read(), without the check.
  virtual Index fill(Index max_rows, PointBlock& block) = 0;
  virtual void restart() {}
  virtual void set_order(std::vector<Index>&&) {}
  // True when fill() passes on blocks that another source has checked.
  virtual bool is_checked() const { return false; }

 private:
  void begin_digest();
  // fill(), into the digest too.
  Index take(Index max_rows, PointBlock& block);

  Index position_;
  std::optional<std::array<std::uint8_t, 32>> digest_key_;
  std::unique_ptr<KeyedDigest> digest_;
};

using Points = std::unique_ptr<PointSource>;
using SensitivePoints = Sensitive<Points>;

// Records that are in memory, one a row.
Points points_in_memory(RowMatrix rows);

// Refuses, naming it, a source for which has_random_access() is false.
void require_random_access(bool has_it, const std::string& name);

// Rows to read at a time, from the shape alone: a block of dense records stays in the second-level
// cache from the reading to the last product.
Index block_rows(const PointSource& source);

// The most additions a number passes when the products below are summed over `records` records read
// in blocks of block_rows(): what a bound on rounding errors needs.
Index addition_depth(const PointSource& source, Index records);

// X U: rows x L. The block U stands row by row (d x L).
RowMatrix scores(const PointBlock& block, const RowMatrix& u);

// Y += X^T Z, with Z rows x L and Y d x L.
void add_transposed_product(const PointBlock& block, const RowMatrix& z, RowMatrix& y);

// |x|^2 of each row.
Vector squared_norms(const PointBlock& block);

}  // namespace sotto
