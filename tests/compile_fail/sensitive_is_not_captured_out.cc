#include <utility>

#include "sotto/base/sensitive.h"

int main() {
  sotto::Sensitive<int> data(1);
  int leak = 0;
#ifdef SHOULD_NOT_COMPILE
  auto moved = std::move(data).transform([&leak](int x) { return leak = x; });
#else
  auto moved = std::move(data).transform([](int x) { return x + 1; });
#endif
  return leak;
}
