// Steps that the power methods share: random starts, normalised columns, distances up to sign.
#pragma once

#include "sotto/base/random.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

// d x columns, each column uniform on the sphere.
Matrix random_unit_block(Index dim, Index columns, SeededRandom& random);

// Scales each column of `y` to length one. A zero column (the tensor vanishes there) keeps the
// direction it had in `before`.
Matrix unit_columns(const Matrix& y, const Matrix& before);

// The smaller of |a_l - b_l| and |a_l + b_l|, for each column.
Vector movement(const Matrix& a, const Matrix& b);

// Share of the columns of `block` within |cos| >= 0.999 of the unit vector v.
double agreement(const Matrix& block, const Vector& v);

}  // namespace sotto
