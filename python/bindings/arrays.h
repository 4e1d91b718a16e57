// numpy arrays and the library's matrices.
//
// What the library returns becomes a numpy array without a copy: the array owns the matrix. What
// Python hands over is read where it lies; the Python side has checked its kind.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace sotto::python {

namespace nb = nanobind;

// Arrays as they come in: any strides, numbers of any kind that the receiver names.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const Flat<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// A numpy array of this shape in C order over `values`, which live as long as `owner` does.
template <class Owner>
nb::object owned_array(std::unique_ptr<Owner> owner, double* values,
                       const std::vector<std::size_t>& shape) {
  nb::capsule capsule(owner.release(),
                      [](void* p) noexcept { delete static_cast<Owner*>(p); });  // NOLINT
  return nb::ndarray<nb::numpy, double>(values, shape.size(), shape.data(), capsule).cast();
}

// rows x cols, and its transpose without a copy where the other order is wanted.
nb::object to_numpy(RowMatrix matrix);
nb::object to_numpy_transposed(Matrix matrix);
inline nb::object to_numpy(const Matrix& matrix) { return to_numpy(RowMatrix(matrix)); }
nb::object to_numpy(Vector vector);
nb::object to_numpy(DenseTensor tensor);

inline RowMatrix to_rows(const Rows& array) {
  return Eigen::Map<const RowMatrix>(array.data(), static_cast<Index>(array.shape(0)),
                                     static_cast<Index>(array.shape(1)));
}
inline Matrix to_matrix(const Rows& array) { return to_rows(array); }
inline Vector to_eigen(const Flat<double>& array) {
  return Eigen::Map<const Vector>(array.data(), static_cast<Index>(array.size()));
}

}  // namespace sotto::python
