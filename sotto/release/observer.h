// Somebody who looks at the releases of a run: an audit, and nobody else.
//
// A run has an observer only if the code that made its options handed one in. No option, variable
// or file does so: of the program, `sotto audit` alone, whose runs are not private and say so first
// (scripts/check_includes.py holds this). What an observer sees is what the run releases, never
// what it releases it from.
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
