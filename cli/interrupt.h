// Ctrl-C ends a run at its next safe point, so that nothing half-written is left.
#pragma once

#include "sotto/base/progress.h"
#include "sotto/io/read_progress.h"

namespace sotto::cli {

// Draws the bar on standard error and stops the run once the user has asked for it.
class InteractiveProgress {
 public:
  InteractiveProgress();
  ~InteractiveProgress();
  InteractiveProgress(const InteractiveProgress&) = delete;
  InteractiveProgress& operator=(const InteractiveProgress&) = delete;

  ProgressCallback callback();

 private:
  ProgressBar bar_;
};

// Returns the result of work(callback); the bar is gone by then.
template <class Work>
auto with_progress(Work work) {
  InteractiveProgress progress;
  return work(progress.callback());
}

// The same for a file that is read: the share of it, where its size is known.
template <class Read>
auto while_reading(Read read) {
  ProgressBar bar(stderr);
  bar({"reading", 0, 0});
  const ReadProgress watch([&](const ProgressReport& report) { return bar(report); });
  return read();
}

}  // namespace sotto::cli
