// Dense matrices and vectors. One choice for the whole library, made here.
#pragma once

#include <Eigen/Core>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;  // column-major
using Vector = Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace sotto
