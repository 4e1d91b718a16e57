// Several files of records as one source: the records of the first, then those of the second, and
// so on.
//
// All files have the same dimension and name their columns alike. An error names the file it is
// about. Blocks reach across the ends of files, so the records are read, and summed, as if they
// stood in one file.
#pragma once

#include <string>
#include <vector>

#include "sotto/tensor/point_source.h"

namespace sotto {

class JoinedPoints final : public PointSource {
 public:
  // Two files or more, of which no record has been read.
  explicit JoinedPoints(std::vector<Points> files);

  Index dim() const override { return files_.front()->dim(); }
  std::string name() const override;  // "a.npy and 3 more files"
  std::vector<std::string> columns() const override { return files_.front()->columns(); }
  std::optional<Index> records() const override;
  bool dim_is_declared() const override;
  bool can_rewind() const override;
  bool has_random_access() const override;

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  bool is_checked() const override { return true; }
  void restart() override;
  void move_to(Index record) override;
  void set_order(std::vector<Index>&& order) override { order_ = std::move(order); }

 private:
  void read_ordered(Index rows, RowMatrix& out);

  std::vector<Points> files_;
  std::size_t current_ = 0;
  std::vector<Index> order_;  // empty: that of the files
  Index done_ = 0;            // records read in that order
  PointBlock more_;           // what another file adds to a block
};

}  // namespace sotto
