// How a long computation tells its caller where it is, and how the caller stops it.
//
// Library code calls `report` now and then with the work done so far; a false answer asks it to
// stop at the next safe point and return what it has with status `stopped`. The library itself
// never prints: ProgressBar writes to the stream its owner gives it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

struct ProgressReport {
  const char* stage;   // what is being done: "component 3 of 10"
  std::int64_t done;   // units of work finished
  std::int64_t total;  // units of work in all; 0 when unknown
};

// Returns false to stop the run.
using ProgressCallback = std::function<bool(const ProgressReport&)>;

// Calls `callback` when there is one.
inline bool report_progress(const ProgressCallback& callback, const ProgressReport& report) {
  return !callback || callback(report);
}

// An Error with Fault::stopped when the caller has asked to stop.
void throw_if_stopped(bool stopped);
// For a computation that has nothing to show before its end.
void continue_or_throw(const ProgressCallback& callback, const ProgressReport& report);

// A bar with rate and time left, redrawn in place at most ten times a second. Draws only when the
// stream is a terminal (or when `always` is set, for tests), and clears its line when destroyed.
class ProgressBar {
 public:
  enum class When { on_terminal, always };
  explicit ProgressBar(std::FILE* stream, When when = When::on_terminal);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool operator()(const ProgressReport& report);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point started_;
  Clock::time_point last_drawn_;
};

// "[#####.....]  50%  component 1 of 2  12/s  0:05 left"
std::string progress_line(const ProgressReport& report, double seconds_so_far);

}  // namespace sotto
