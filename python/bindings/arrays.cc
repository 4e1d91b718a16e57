#include "python/bindings/arrays.h"

namespace sotto::python {

nb::object to_numpy(RowMatrix matrix) {
  auto owner = std::make_unique<RowMatrix>(std::move(matrix));
  double* values = owner->data();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(owner->rows()),
                                       static_cast<std::size_t>(owner->cols())};
  return owned_array(std::move(owner), values, shape);
}

// The columns of a matrix lie one after the other, as the rows of its transpose do in C order.
nb::object to_numpy_transposed(Matrix matrix) {
  auto owner = std::make_unique<Matrix>(std::move(matrix));
  double* values = owner->data();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(owner->cols()),
                                       static_cast<std::size_t>(owner->rows())};
  return owned_array(std::move(owner), values, shape);
}

nb::object to_numpy(Vector vector) {
  auto owner = std::make_unique<Vector>(std::move(vector));
  double* values = owner->data();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(owner->size())};
  return owned_array(std::move(owner), values, shape);
}

nb::object to_numpy(DenseTensor tensor) {
  auto owner = std::make_unique<DenseTensor>(std::move(tensor));
  double* values = owner->data();
  const std::vector<std::size_t> shape(owner->dims().begin(), owner->dims().end());
  return owned_array(std::move(owner), values, shape);
}

}  // namespace sotto::python
