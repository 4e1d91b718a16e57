#include <iostream>

#include "sotto/base/sensitive.h"

int main() {
  sotto::Sensitive<int> data(1);
#ifdef SHOULD_NOT_COMPILE
  int x = data;
  (void)x;
#endif
  return 0;
}
