// An object that sees the releases of a run; only an audit has one.
//
// A run has an observer only if the code that made its options handed one in. No option, variable
// or file does so. In the program only `sotto audit` does, which is not private and says so first
// (scripts/check_includes.py checks this). An observer sees what the run releases, never the data
// from which it is computed.
#pragma once

#include "sotto/privacy/certificate.h"
#include "sotto/release/tap.h"

namespace sotto {

class ReleaseObserver {
 public:
  virtual ~ReleaseObserver() = default;
  virtual void released(const ReleaseRecord& record, const ReleaseContents& contents) = 0;
  virtual void certified(const Certificate& certificate) = 0;
};

}  // namespace sotto
