// Points from Python: arrays in place, sparse rows in place, and batches that come one by one.
#pragma once

#include <optional>

#include "python/bindings/arrays.h"
#include "sotto/tensor/point_source.h"

namespace sotto::python {

// Points and the Python objects whose memory they read. A run takes the points, once.
struct PointInput {
  Points points;
  std::vector<nb::object> kept_alive;
};

// An array of float64 or float32, one record a row, any strides.
PointInput points_of_array(nb::object array);

// Sparse rows (CSR): columns of a row increasing, none twice; indices of 32 or 64 bits.
PointInput points_of_rows(nb::object begin, nb::object column, nb::object value, Index dim);

// `begin()` returns an iterator over arrays of float64 in C order, each with `dim` columns. It is
// called once, and again for each further pass where `again` says that this is possible.
PointInput points_of_batches(nb::object begin, Index dim, std::optional<Index> records, bool again);

}  // namespace sotto::python
