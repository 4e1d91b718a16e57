// Matrices of many numbers, in memory that is fast to read (array_memory.h).
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Keeps the memory, and the numbers, of a matrix that has this shape; else the numbers are
// undefined.
inline void resize_large(RowMatrix& m, Index rows, Index columns) {
  if (m.rows() == rows && m.cols() == columns) return;
  m.resize(rows, columns);
  prefer_huge_pages(m.data(), static_cast<std::size_t>(m.size()) * sizeof(double));
}

inline RowMatrix large_zeros(Index rows, Index columns) {
  RowMatrix m;
  resize_large(m, rows, columns);
  m.setZero();
  return m;
}

}  // namespace sotto
