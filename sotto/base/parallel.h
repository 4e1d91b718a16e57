// Loops over all threads: the only place where sotto starts any (tensor/record_walk takes turns and
// uses what is here).
//
// An exception must not leave an OpenMP region: the program would end without a word. These loops
// keep the first one, leave out the iterations that have not begun, and throw it again when all
// threads are done. Cost: a load and a branch an iteration.
//
// Which iteration runs on which thread is not defined, so no result may depend on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace sotto {

// The first exception of several threads.
class CarriedException {
 public:
  // Runs `work`, unless an exception has been kept, and keeps the one that it throws.
  template <class Work>
  void guard(Work&& work) noexcept {
    if (is_lost()) return;
    try {
      std::forward<Work>(work)();
    } catch (...) {
      keep();
    }
  }
  bool is_lost() const { return lost_.load(std::memory_order_relaxed); }
  // After the region: throws what was kept.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  [[gnu::cold, gnu::noinline]] void keep() noexcept {
    if (!lost_.exchange(true)) error_ = std::current_exception();
  }

  std::atomic<bool> lost_ = false;
  std::exception_ptr error_;
};

// `at_a_time`: how many iterations a thread takes at once; 0: threads share them out evenly before
// they begin. `worth_threads`: false runs the loop on the thread that asks.
struct LoopRules {
  int at_a_time = 1;
  bool worth_threads = true;
};

// make() gives each thread its work space; body(work, i) is called for i = 0 .. count-1.
template <class Make, class Body>
void parallel_for_with(std::ptrdiff_t count, const LoopRules& rules, const Make& make,
                       const Body& body) {
  using Work = std::invoke_result_t<const Make&>;
  struct Made {  // so that a work space that cannot be moved is made in its place
    const Make& make;
    operator Work() const { return make(); }  // NOLINT(google-explicit-constructor)
  };
  CarriedException carried;
  const int at_a_time = rules.at_a_time;
#pragma omp parallel if (rules.worth_threads)
  {
    std::optional<Work> work;
    carried.guard([&] { work.emplace(Made{make}); });
#pragma omp for schedule(dynamic, at_a_time)
    for (std::ptrdiff_t i = 0; i < count; ++i) carried.guard([&] { body(*work, i); });
  }
  carried.rethrow();
}

// body(i) for i = 0 .. count-1.
template <class Body>
void parallel_for(std::ptrdiff_t count, const LoopRules& rules, const Body& body) {
  CarriedException carried;
  const int at_a_time = rules.at_a_time;
  if (at_a_time == 0) {
#pragma omp parallel for schedule(static) if (rules.worth_threads)
    for (std::ptrdiff_t i = 0; i < count; ++i) carried.guard([&] { body(i); });
  } else {
#pragma omp parallel for schedule(dynamic, at_a_time) if (rules.worth_threads)
    for (std::ptrdiff_t i = 0; i < count; ++i) carried.guard([&] { body(i); });
  }
  carried.rethrow();
}

template <class Body>
void parallel_for(std::ptrdiff_t count, const Body& body) {
  parallel_for(count, {}, body);
}

// body() on every thread.
template <class Body>
void on_all_threads(const Body& body) {
  CarriedException carried;
#pragma omp parallel
  carried.guard(body);
  carried.rethrow();
}

// Takes as many threads as were asked for, or as there can be: the system may allow fewer, or
// memory for their stacks may lack. A loop that cannot start its threads would end the program.
// For a program to call before its first loop.
void take_threads(int asked);

}  // namespace sotto
