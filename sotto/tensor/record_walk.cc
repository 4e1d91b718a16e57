#include "sotto/tensor/record_walk.h"

#include <condition_variable>
#include <exception>
#include <mutex>

#include "sotto/base/parallel.h"

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

  void add(Index turn, const PointBlock& block, RowMatrix& part) {
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
  on_all_threads([&] { turns.take_part(); });
  turns.rethrow();
}

}  // namespace sotto
