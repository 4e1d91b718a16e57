#include "sotto/tensor/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t blocks_ready = 2;

Index next_rows(const ReadSchedule& schedule, Index done) {
  return std::min({schedule.block, schedule.batch - done % schedule.batch, schedule.total - done});
}

}  // namespace

// The thread and what it shares with the reader.
struct ReadAhead::Worker {
  Worker(PointSource& source, const ReadSchedule& schedule, Index done)
      : thread([this, &source, schedule, done] { run(source, schedule, done); }) {}

  ~Worker() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
    thread.join();
  }

  void run(PointSource& source, const ReadSchedule& schedule, Index done) {
    try {
      PointBlock block;
      while (done < schedule.total && wait_for_room(block)) {
        const Index rows = source.read(next_rows(schedule, done), block);
        if (rows == 0) break;
        done += rows;
        const std::lock_guard lock(mutex);
        ready.push_back(std::move(block));
        changed.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }

  // Takes a block that has been used before, for its memory. False when the reader has gone.
  bool wait_for_room(PointBlock& block) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stop || ready.size() < blocks_ready; });
    if (!used.empty()) {
      block = std::move(used.back());
      used.pop_back();
    }
    return !stop;
  }

  // Exchanges `block` for the next one; 0 at the end.
  Index take(PointBlock& block) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended || !ready.empty(); });
    if (ready.empty()) {
      if (error) std::rethrow_exception(error);
      return 0;
    }
    used.push_back(std::exchange(block, std::move(ready.front())));
    ready.pop_front();
    changed.notify_all();
    return block.rows();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<PointBlock> ready;
  std::vector<PointBlock> used;
  std::exception_ptr error;
  bool ended = false, stop = false;
  std::thread thread;  // last: it uses all of the above
};

ReadAhead::ReadAhead(std::unique_ptr<PointSource> source, const ReadSchedule& schedule)
    : PointSource(source->position()), source_(std::move(source)), schedule_(schedule) {
  SOTTO_REQUIRE(schedule.block >= 1 && schedule.batch >= 1 && schedule.total >= 0,
                "cannot read {} records in batches of {} and blocks of {}", schedule.total,
                schedule.batch, schedule.block);
}

ReadAhead::~ReadAhead() = default;

Index ReadAhead::fill(Index max_rows, PointBlock& block) {
  SOTTO_REQUIRE(max_rows == next_rows(schedule_, handed_out_),
                "asked for {} records where the schedule has {}", max_rows,
                next_rows(schedule_, handed_out_));
  if (!worker_) worker_ = std::make_unique<Worker>(*source_, schedule_, handed_out_);
  const Index rows = worker_->take(block);
  handed_out_ += rows;
  return rows;
}

void ReadAhead::restart() {
  worker_.reset();
  source_->rewind();
}

}  // namespace sotto
