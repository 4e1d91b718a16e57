// For tests: records in memory, dense or sparse.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/base/random.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

class MemorySource final : public PointSource {
 public:
  enum class Knows { size, nothing };  // whether it knows its number of records and can rewind
  explicit MemorySource(RowMatrix rows, bool sparse = false, Knows knows = Knows::size)
      : rows_(std::move(rows)), sparse_(sparse), knows_(knows) {}

  Index dim() const override { return rows_.cols(); }
  std::string name() const override { return "memory"; }
  bool is_sparse() const override { return sparse_; }
  bool can_rewind() const override { return knows_ == Knows::size; }
  bool has_random_access() const override { return knows_ == Knows::size; }
  std::optional<Index> records() const override {
    if (knows_ == Knows::nothing) return std::nullopt;
    return rows_.rows();
  }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, rows_.rows() - next_);
    block.is_sparse = sparse_;
    if (sparse_) {
      block.sparse = rows_.middleRows(next_, rows).sparseView();
    } else {
      block.dense = rows_.middleRows(next_, rows);
    }
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
  bool sparse_;
  Knows knows_;
  Index next_ = 0;
};

// Normal numbers, a share `kept` of them; the others are zero.
inline RowMatrix random_points(Index rows, Index columns, std::uint64_t seed, double kept = 1) {
  SeededRandom random(seed);
  RowMatrix m(rows, columns);
  for (Index i = 0; i < m.size(); ++i) {
    const double value = random.normal();
    m.data()[i] = random.uniform() < kept ? value : 0;
  }
  return m;
}

}  // namespace sotto
