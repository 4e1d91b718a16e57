// The door: the only code that opens Sensitive data and makes Released values.
//
// Whoever includes this holds both data and noise and owes a line in the certificate for whatever
// leaves. scripts/check_includes.py keeps both its definition and every include of this header
// within release/: library, program, benchmarks and tests alike.
#pragma once

#include <utility>

#include "sotto/base/sensitive.h"

namespace sotto {

struct ReleaseAccess {
  template <class T>
  static const T& view(const Sensitive<T>& data) {
    return data.value_;
  }
  template <class T>
  static T take(Sensitive<T>&& data) {
    return std::move(data.value_);
  }
  // The value must be made of public numbers and of what a run has released, and of nothing else.
  template <class T>
  static Released<T> released(T value) {
    return Released<T>(std::move(value));
  }
};

}  // namespace sotto
