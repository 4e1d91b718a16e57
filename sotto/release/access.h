// The only code that opens Sensitive data and makes Released values.
//
// Code that includes this header holds both data and noise, and must add a line to the certificate
// for whatever leaves. scripts/check_includes.py keeps the definition and every include of this
// header within release/, in the library, the program, the benchmarks and the tests.
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
