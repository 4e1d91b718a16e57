// Numbers of 113 bits, which measure the rounding errors of doubles. GCC and Clang.
#pragma once

namespace sotto::testing {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;  // 113 bits where there is no __float128
#endif

}  // namespace sotto::testing
