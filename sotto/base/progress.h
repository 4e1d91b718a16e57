// How a long computation tells its caller how far it is, and how the caller stops it.
//
// Library code calls `report` now and then with the work done so far; a false answer asks it to
// stop at the next safe point and return what it has with status `stopped`. The library itself
// never prints: ProgressBar writes to the stream its owner gives it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

struct ProgressReport {
  const char* stage = "";  // what is being done: "component 3 of 10"
  std::int64_t done = 0;   // units of work finished
  std::int64_t total = 0;  // units of work in all; 0 when unknown
  // Whether the number of units a second says something to a reader; that of bytes does not.
  bool has_rate = true;
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

// Units a second of a stage, from its first report on.
class ProgressRate {
 public:
  // Nothing for the first seconds of a stage and before two units of it are done: a guess made from
  // less is wrong by hours.
  std::optional<double> after(const ProgressReport& report, double seconds);

 private:
  std::string stage_;
  std::int64_t total_ = -1, first_done_ = 0, last_done_ = 0;
  double first_seconds_ = 0;
};

// A bar, redrawn in place at most ten times a second. Rate and time left are those of the current
// stage, and are shown once some of it has been seen. Draws only when the stream is a terminal (or
// when `always` is set, for tests), and clears its line when destroyed.
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
  Clock::time_point last_drawn_;
  ProgressRate rate_;
};

// "[#####.....]  50%  component 1 of 2  12/s  0:05 left"; without a rate: what is known of it.
std::string progress_line(const ProgressReport& report, std::optional<double> rate);

}  // namespace sotto
