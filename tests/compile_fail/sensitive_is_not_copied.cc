#include <iostream>

#include "sotto/base/sensitive.h"

int main() {
  sotto::Sensitive<int> data(1);
#ifdef SHOULD_NOT_COMPILE
  Sensitive<int> copy = data;
  (void)copy;
#endif
  return 0;
}
