// Dense matrices and vectors. One choice for the whole library, made here.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/array_memory.h"
#ifdef SOTTO_MENDS_EIGEN  // in this project's own targets
#include "sotto/linalg/eigen_storage.h"
#endif

namespace SOTTO_API sotto {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;  // column-major
using Vector = Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// Numbers that always begin at the same alignment. Where vectorised sums begin depends on it, and
// so do their last digits.
using AlignedValues = std::vector<double, ArrayAllocator<double>>;

}  // namespace sotto
