// Ctrl-C ends a run at its next safe point, so that nothing half-written is left.
#pragma once

#include "sotto/base/progress.h"

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

}  // namespace sotto::cli
