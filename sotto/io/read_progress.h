// Tells a caller how much of a file has been read, while it is read.
//
//   ReadProgress watch([&](const ProgressReport& report) { return bar(report); });
//   read_tensor(path);  // reports {"reading", bytes read, bytes in all} now and then
//
// Only plain files of known size are reported: gzip and pipes do not say how much is left. Of the
// thread that holds it; a second one replaces the first until it is gone.
#pragma once

#include <cstdint>

#include "sotto/base/progress.h"

namespace sotto {

class ReadProgress {
 public:
  explicit ReadProgress(ProgressCallback report);
  ~ReadProgress();
  ReadProgress(const ReadProgress&) = delete;
  ReadProgress& operator=(const ReadProgress&) = delete;

  // Called by those who read.
  static void tell(std::uint64_t bytes, std::uint64_t in_all);

 private:
  ProgressCallback report_;
  ReadProgress* before_;
};

}  // namespace sotto
