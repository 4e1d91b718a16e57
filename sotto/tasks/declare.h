// Whether the input of a task is protected: decided here, and checked by every task.
#pragma once

#include <string>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"

namespace sotto {

// The one place where data that was read is declared public: when no privacy was asked for. `what`
// is "the points", for example.
template <class T>
Input<T> declared(Sensitive<T> data, bool is_private, const std::string& what) {
  if (is_private) return Input<T>(std::move(data));
  return Input<T>(std::move(data),
                  PublicDeclaration("no privacy was asked for " + what + ": taken as public"));
}

// A file that is given beside the input is public by the caller's word (tasks/companions.h).
template <class T>
T opened_companion(Sensitive<T> data) {
  return std::move(data).open(
      PublicDeclaration("a file that is given beside the input is taken as public"));
}

// What every task checks first: sensitive input needs an epsilon, public input takes none.
template <class T>
void require_declared(const Input<T>& input, bool is_private) {
  SOTTO_REQUIRE_AT(is_private || input.is_public(), "`epsilon`",
                   "is needed: the input is sensitive and was not declared public");
  SOTTO_REQUIRE_AT(!is_private || !input.is_public(), "`epsilon`",
                   "only works with sensitive input; this input was declared public");
}

}  // namespace sotto
