#include "sotto/tensor/record_walk.h"

#include <condition_variable>
#include <exception>
#include <mutex>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// What the threads of a walk share. A turn is the number of a block in the order of reading.
class Turns {
 public:
  explicit Turns(const RecordWalk& walk) : walk_(walk) {}

  // All the work of one thread. No exception may leave a parallel region.
  void take_part() noexcept {
    try {
      PointBlock block;
      RowMatrix part;
      for (Index turn = read(block); turn >= 0; turn = read(block)) {
        walk_.work(block, part);
        add(turn, block, part);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Returns the turn of the block that was read, or -1 at the end.
  Index read(PointBlock& block) {
    const std::lock_guard lock(reading_);
    if (!ended_) {
      ended_ = true;  // also when the reader throws: it is not asked again
      ended_ = walk_.read(block) == 0;
    }
    return ended_ ? -1 : turns_++;
  }

  void add(Index turn, const PointBlock& block, const RowMatrix& part) {
    std::unique_lock lock(adding_);
    added_one_.wait(lock, [&] { return added_ == turn || lost_; });
    if (lost_) return;
    walk_.add(block, part);
    ++added_;
    added_one_.notify_all();
  }

  void fail(std::exception_ptr error) noexcept {
    {
      const std::lock_guard lock(reading_);
      ended_ = true;
    }
    const std::lock_guard lock(adding_);
    lost_ = true;
    if (!error_) error_ = std::move(error);
    added_one_.notify_all();
  }

  const RecordWalk& walk_;
  std::mutex reading_;  // guards ended_, turns_
  bool ended_ = false;
  Index turns_ = 0;
  std::mutex adding_;  // guards added_, lost_, error_
  std::condition_variable added_one_;
  Index added_ = 0;
  bool lost_ = false;  // some turn will never be added
  std::exception_ptr error_;
};

}  // namespace

void walk_records(const RecordWalk& walk) {
  Turns turns(walk);
#pragma omp parallel
  turns.take_part();
  turns.rethrow();
}

void add_mapped_product(const ReadRecords& read, const RowMatrix& u, const ScoreMap& f,
                        RowMatrix& y) {
  SOTTO_REQUIRE(y.rows() == u.rows() && y.cols() == u.cols(), "cannot add {} x {} to {} x {}",
                u.rows(), u.cols(), y.rows(), y.cols());
  // For sparse records a part of the sum is as large as Y although they touch few of its rows. So
  // the thread whose turn it is adds them directly to Y.
  const auto work = [&](const PointBlock& block, RowMatrix& part) {
    RowMatrix s = scores(block, u);
    f(block, s);
    if (block.is_sparse) {
      part = std::move(s);
    } else {
      part.setZero(u.rows(), u.cols());
      add_transposed_product(block, s, part);
    }
  };
  const auto add = [&](const PointBlock& block, const RowMatrix& part) {
    if (block.is_sparse) {
      add_transposed_product(block, part, y);
    } else {
      y += part;
    }
  };
  walk_records({read, work, add});
}

void add_mapped_scores(const ReadRecords& read, const RowMatrix& u, const ScoreMap& f,
                       Eigen::RowVectorXd& sum) {
  SOTTO_REQUIRE(sum.size() == u.cols(), "cannot add {} numbers to {}", u.cols(), sum.size());
  const auto work = [&](const PointBlock& block, RowMatrix& part) {
    RowMatrix s = scores(block, u);
    f(block, s);
    part = s.colwise().sum();
  };
  walk_records({read, work, [&](const PointBlock&, const RowMatrix& part) { sum += part.row(0); }});
}

}  // namespace sotto
