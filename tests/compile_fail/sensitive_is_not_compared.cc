#include <iostream>

#include "sotto/base/sensitive.h"

int main() {
  sotto::Sensitive<int> data(1);
#ifdef SHOULD_NOT_COMPILE
  bool b = data == data;
  (void)b;
#endif
  return 0;
}
