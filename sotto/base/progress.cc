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

std::optional<double> ProgressRate::after(const ProgressReport& report, double seconds) {
  constexpr double kLeastSeconds = 2;
  constexpr std::int64_t kLeastUnits = 2;
  if (report.stage != stage_ || report.total != total_ || report.done < last_done_) {
    stage_ = report.stage;
    total_ = report.total;
    first_done_ = report.done;
    first_seconds_ = seconds;
  }
  last_done_ = report.done;
  const double spent = seconds - first_seconds_;
  if (spent < kLeastSeconds || report.done - first_done_ < kLeastUnits) return {};
  return static_cast<double>(report.done - first_done_) / spent;
}

std::string progress_line(const ProgressReport& report, std::optional<double> rate) {
  const std::string speed = rate && report.has_rate ? fmt::format("  {:.3g}/s", *rate) : "";
  if (report.total <= 0 && report.done <= 0) return report.stage;  // nothing to count
  if (report.total <= 0) return fmt::format("{}  {}{}", report.stage, report.done, speed);
  constexpr int kWidth = 24;
  const double share =
      std::clamp(static_cast<double>(report.done) / static_cast<double>(report.total), 0.0, 1.0);
  const int full = static_cast<int>(share * kWidth);
  std::string line = fmt::format("[{}{}] {:3.0f}%  {}{}", std::string(full, '#'),
                                 std::string(kWidth - full, '.'), 100 * share, report.stage, speed);
  if (rate) {
    line += fmt::format("  {} left",
                        clock_text(static_cast<double>(report.total - report.done) / *rate));
  }
  return line;
}

ProgressBar::ProgressBar(std::FILE* stream, When when)
    : stream_(stream),
      enabled_(when == When::always || isatty(fileno(stream)) != 0),
      last_drawn_(Clock::now() - std::chrono::seconds(1)) {}

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
  const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
  const std::string line = progress_line(report, rate_.after(report, seconds));
  std::fputs(("\r\033[K" + line).c_str(), stream_);
  std::fflush(stream_);
  return true;
}

}  // namespace sotto
