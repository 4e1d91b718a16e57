#include "sotto/base/sensitive.h"

int read(const sotto::Released<int>& released) { return released.value(); }

int main() {
#ifdef SHOULD_NOT_COMPILE
  return read(sotto::Released<int>(1));
#else
  return 0;
#endif
}
