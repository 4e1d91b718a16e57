// Reads records on a thread of its own while the caller works on those that came before.
//
// Two blocks are kept ready. What is read in one go is decided by the schedule alone, never by how
// fast the two sides are, so that the sums made from the blocks are the same in every run: blocks
// of `block` records, cut short where a batch ends. After `total` records nothing more is asked of
// the source, so that a pipe that stays open does not hold up the end of a run.
// An error of the source is thrown by the read() that would have got the block.
#pragma once

#include <memory>

#include "sotto/tensor/point_source.h"

namespace sotto {

struct ReadSchedule {
  Index block = 0;
  Index batch = 0;
  Index total = 0;
};

class ReadAhead final : public PointSource {
 public:
  // Starts to read with the first call of read().
  ReadAhead(std::unique_ptr<PointSource> source, const ReadSchedule& schedule);
  ~ReadAhead() override;

  Index dim() const override { return source_->dim(); }
  std::string name() const override { return source_->name(); }
  std::optional<Index> records() const override { return source_->records(); }
  bool dim_is_declared() const override { return source_->dim_is_declared(); }
  bool is_sparse() const override { return source_->is_sparse(); }
  bool can_rewind() const override { return source_->can_rewind(); }

 protected:
  // `max_rows` must be what the schedule says.
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override;
  bool is_checked() const override { return true; }

 private:
  struct Worker;

  std::unique_ptr<PointSource> source_;
  ReadSchedule schedule_;
  Index handed_out_ = 0;  // over all passes
  std::unique_ptr<Worker> worker_;
};

}  // namespace sotto
