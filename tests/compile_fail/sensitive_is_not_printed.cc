#include <iostream>

#include "sotto/base/sensitive.h"

int main() {
  sotto::Sensitive<int> data(1);
#ifdef SHOULD_NOT_COMPILE
  std::cout << data;
#endif
  return 0;
}
