// Whether the input of a task is protected: said in one place, held to by every task.
#pragma once

#include <string>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"

namespace sotto {

// The one place where what was read is declared public: when no privacy was asked for. `what`:
// "the points".
template <class T>
Input<T> declared(Sensitive<T> data, bool is_private, const std::string& what) {
  if (is_private) return Input<T>(std::move(data));
  return Input<T>(std::move(data),
                  PublicDeclaration("no privacy was asked for " + what + ": taken as public"));
}

// A file that stands beside the input is public by the caller's word (tasks/companions.h).
template <class T>
T opened_companion(Sensitive<T> data, const std::string& option) {
  return std::move(data).open(
      PublicDeclaration("the file of `" + option + "` stands beside the input: taken as public"));
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
