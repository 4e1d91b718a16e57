// What holds the numbers of Eigen's matrices, mended: a matrix whose size is changed while there is
// no memory is empty afterwards. Eigen's own gives the old numbers back before it asks for new
// ones; where there are none, the destructor of the matrix would give them back again.
//
// For this project's own targets alone (linalg/matrix.h), not installed: another program may have
// used a matrix before it comes to this. Size and members are Eigen's, so both kinds may meet.
#pragma once

#include <Eigen/Core>
#include <type_traits>

namespace Eigen {

namespace sotto_storage {

// No option of Eigen's: tells what is mended from what it is made of.
inline constexpr int kAsItWas = 1 << 16;

template <class T, int Rows, int Cols, int Options>
class Mended : public DenseStorage<T, Dynamic, Rows, Cols, Options | kAsItWas> {
  using AsItWas = DenseStorage<T, Dynamic, Rows, Cols, Options | kAsItWas>;

 public:
  using AsItWas::AsItWas;

  void resize(Index size, Index rows, Index cols) {
    if (size != this->rows() * this->cols()) {
      AsItWas old;
      this->swap(old);
    }
    AsItWas::resize(size, rows, cols);
  }
};

// Numbers, as Eigen holds them; a size that is fixed is not that of another specialisation.
template <class T, int Options, int Fixed = 0>
concept Mendable = (std::is_arithmetic_v<T> && (Options & kAsItWas) == 0 && Fixed != Dynamic);

}  // namespace sotto_storage

template <class T, int Options>
requires sotto_storage::Mendable<T, Options>
class DenseStorage<T, Dynamic, Dynamic, Dynamic, Options>
    : public sotto_storage::Mended<T, Dynamic, Dynamic, Options> {
  using sotto_storage::Mended<T, Dynamic, Dynamic, Options>::Mended;
};

template <class T, int Rows, int Options>
requires sotto_storage::Mendable<T, Options, Rows>
class DenseStorage<T, Dynamic, Rows, Dynamic, Options>
    : public sotto_storage::Mended<T, Rows, Dynamic, Options> {
  using sotto_storage::Mended<T, Rows, Dynamic, Options>::Mended;
};

template <class T, int Cols, int Options>
requires sotto_storage::Mendable<T, Options, Cols>
class DenseStorage<T, Dynamic, Dynamic, Cols, Options>
    : public sotto_storage::Mended<T, Dynamic, Cols, Options> {
  using sotto_storage::Mended<T, Dynamic, Cols, Options>::Mended;
};

}  // namespace Eigen
