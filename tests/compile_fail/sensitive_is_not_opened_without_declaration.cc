#include <utility>

#include "sotto/base/sensitive.h"

int main() {
  sotto::Sensitive<int> data(1);
#ifdef SHOULD_NOT_COMPILE
  return std::move(data).open("just this once");
#else
  return std::move(data).open(sotto::PublicDeclaration("made up"));
#endif
}
