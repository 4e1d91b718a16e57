#include "sotto/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

std::string clock_text(double seconds) {
  const auto whole = std::llround(std::min(seconds, 3.6e8));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

void throw_if_stopped(bool stopped) {
  if (stopped) throw Error("stopped; nothing was written", "", Fault::stopped);
}

void continue_or_throw(const ProgressCallback& callback, const ProgressReport& report) {
  throw_if_stopped(!report_progress(callback, report));
}

std::string progress_line(const ProgressReport& report, double seconds_so_far) {
  const double rate = seconds_so_far > 0 ? static_cast<double>(report.done) / seconds_so_far : 0.0;
  if (report.total <= 0) return fmt::format("{}  {}  {:.3g}/s", report.stage, report.done, rate);
  constexpr int kWidth = 24;
  const double share =
      std::clamp(static_cast<double>(report.done) / static_cast<double>(report.total), 0.0, 1.0);
  const int full = static_cast<int>(share * kWidth);
  std::string line = fmt::format("[{}{}] {:3.0f}%  {}  {:.3g}/s", std::string(full, '#'),
                                 std::string(kWidth - full, '.'), 100 * share, report.stage, rate);
  if (rate > 0) {
    line += fmt::format("  {} left",
                        clock_text(static_cast<double>(report.total - report.done) / rate));
  }
  return line;
}

ProgressBar::ProgressBar(std::FILE* stream, When when)
    : stream_(stream),
      enabled_(when == When::always || isatty(fileno(stream)) != 0),
      started_(Clock::now()),
      last_drawn_(started_ - std::chrono::seconds(1)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) {
    std::fputs("\r\033[K", stream_);
    std::fflush(stream_);
  }
}

bool ProgressBar::operator()(const ProgressReport& report) {
  if (!enabled_) return true;
  const auto now = Clock::now();
  if (now - last_drawn_ < std::chrono::milliseconds(100)) return true;
  last_drawn_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  std::fputs(("\r\033[K" + progress_line(report, seconds)).c_str(), stream_);
  std::fflush(stream_);
  return true;
}

}  // namespace sotto
