#include "sotto/tensor/oracle.h"

namespace sotto {

[[gnu::noinline]] Vector column_dots(const Matrix& u, const Matrix& y) {
  return u.cwiseProduct(y).colwise().sum().transpose();
}

}  // namespace sotto
