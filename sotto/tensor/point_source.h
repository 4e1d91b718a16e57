// A stream of records, and the products that every method on records needs.
//
// A source hands out blocks of records. A method that reads each block once and forgets it needs
// memory that does not depend on the number of records. The products are those of the implicit
// moment tensor (1/n) sum x (x) x (x) x: scores X U, and X^T Z for a Z made of the scores.
//
// Cost: 2 r d L flops per product for r dense rows, 2 nnz L for sparse ones, at the speed of the
// matrix product on one thread; record_sum.h shares blocks out among threads.
// Privacy: none here. The sums are exact; the caller who releases them adds the noise.
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
class RecordSum;     // record_sum.h
struct RecordTotal;  // there

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;  // CSR

// Some records, one per row. Only one of the two matrices is in use; the other keeps its memory.
struct PointBlock {
  RowMatrix dense;
  SparseRows sparse;  // compressed, columns of a row increasing, none twice
  bool is_sparse = false;
  Index first_record = 0;  // number of the first row, counted from 0 since the last rewind

  Index rows() const { return is_sparse ? sparse.rows() : dense.rows(); }
  Index dim() const { return is_sparse ? sparse.cols() : dense.cols(); }
};

// Only one thread at a time may use a source.
class PointSource {
 public:
  explicit PointSource(Index position = 0);
  virtual ~PointSource();
  virtual Index dim() const = 0;
  // The name in messages: the path of the file, or "standard input".
  virtual std::string name() const = 0;
  // The names of the coordinates, where a header has them; else empty. They are public only where
  // the records are.
  virtual std::vector<std::string> columns() const { return {}; }
  // The names of the records read since the beginning, where a column has them; else empty.
  virtual std::vector<std::string> ids() const { return {}; }
  // The number of records, when it is known without reading them.
  virtual std::optional<Index> records() const { return std::nullopt; }
  // False when the dimension was found in the records themselves: then it is not public.
  virtual bool dim_is_declared() const { return true; }
  virtual bool is_sparse() const { return false; }
  virtual bool can_rewind() const { return false; }
  // Whether read_in_order() is possible.
  virtual bool has_random_access() const { return false; }

  // Fills `block` with the next records and returns their number: max_rows, or fewer at the end,
  // and 0 only at the end. Refuses NaN and infinity, naming the record, before the block is used.
  Index read(Index max_rows, PointBlock& block);

  // Sums the next `most` records, or all that there are, on all threads (record_sum.h).
  RecordTotal sum_next(const RecordSum& sum, Index most);

  // Goes back to the first record; throws an Error when that is impossible.
  void rewind();
  // Skips the next `count` records without checking them; returns how many there were.
  Index skip(Index count);
  // Goes on at this record, 0 the first, where has_random_access() is true.
  void seek(Index record);
  // Records read since the beginning or the last rewind.
  Index position() const { return position_; }

  // Record order[i] is read as number i, also after a rewind. The order is a permutation of all
  // records() and must be given before the first record is read.
  void read_in_order(std::vector<Index> order);

  // Must be called before the first record is read. Records read or skipped then enter a keyed
  // digest.
  void keep_digest(const std::array<std::uint8_t, 32>& key);
  // The digest of the dimension and the position() records before this place. It depends on their
  // numbers, not on how they were cut into blocks. Zero when none is kept.
  std::array<std::uint8_t, 32> digest() const;

 protected:
  // Sets the rows of `block`, as read() but without the check.
  virtual Index fill(Index max_rows, PointBlock& block) = 0;
  virtual void restart() {}
  virtual void set_order(std::vector<Index>&&) {}
  virtual void move_to(Index record);
  // As sum_next(). Reads the records, unless a source knows who else can sum them.
  virtual RecordTotal take_sum(const RecordSum& sum, Index most);
  // For a source whose records others have read.
  void pass_over(Index records) { position_ += records; }
  // True when fill() passes on blocks that another source has already checked.
  virtual bool is_checked() const { return false; }

 private:
  void begin_digest();
  // fill(), and adds the records to the digest.
  Index take(Index max_rows, PointBlock& block);

  Index position_;
  std::optional<std::array<std::uint8_t, 32>> digest_key_;
  std::unique_ptr<KeyedDigest> digest_;
};

using Points = std::unique_ptr<PointSource>;
using SensitivePoints = Sensitive<Points>;

// Records in memory, one per row; `columns` names the coordinates, or is empty.
Points points_in_memory(RowMatrix rows, std::vector<std::string> columns = {});

// Refuses, naming it, a source for which has_random_access() is false.
void require_random_access(bool has_it, const std::string& name);

// Rows to read at a time. It depends on the shape alone: a block of dense records stays in the
// second-level cache from reading to the last product.
Index block_rows(const PointSource& source);

// The most additions that a number passes when the products below are summed over `records` records
// read in blocks of block_rows() (record_sum.h). Bounds on rounding errors need it.
Index addition_depth(const PointSource& source, Index records);

// X U: rows x L. The block U is stored row by row (d x L).
RowMatrix scores(const PointBlock& block, const RowMatrix& u);

// Y += X^T Z, with Z rows x L and Y d x L.
void add_transposed_product(const PointBlock& block, const RowMatrix& z, RowMatrix& y);

// |x|^2 of each row.
Vector squared_norms(const PointBlock& block);

}  // namespace sotto
