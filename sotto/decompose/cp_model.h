// A CP model X^ = sum_r a^1_r (x) a^2_r (x) .. as its factor matrices, one of d_m x k for each
// mode, and what can be said about it without a tensor.
#pragma once

#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

using Factors = std::vector<Matrix>;

// A^T A of each factor.
std::vector<Matrix> grams_of(const Factors& factors);
// The entrywise product of all grams but those of two modes (-1 for none).
Matrix gram_product(const std::vector<Matrix>& grams, Index skip = -1, Index skip_too = -1);

// Gives the columns of a component the same length in every mode; X^ stays the same. Returns by
// what the columns of each mode were multiplied.
std::vector<Vector> balance(Factors& factors);

// prod_m cos(a^m_r, b^m_s): rows r are components of a, columns s those of b. A zero component has
// congruence 0 with all others.
Matrix congruence(const Factors& a, const Factors& b);

// For each component of `a` the one of `b` it goes with, best pairs first, each used once.
std::vector<Index> matched_components(const Factors& a, const Factors& b);

// Unit columns, sorted by weight, with signs that make weights positive and the largest entry of
// every column, in all modes but the last, positive.
struct UnitComponents {
  Vector weights;
  Factors factors;
};
UnitComponents unit_components(const Factors& factors);

}  // namespace sotto
