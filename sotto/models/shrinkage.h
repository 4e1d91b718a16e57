// Many noisy numbers of one kind, each drawn towards what the others say such numbers are like:
// nonparametric empirical Bayes (Robbins 1956; Kiefer & Wolfowitz 1956).
//
// x_i = s_i r_i + noise of standard deviation d_i, with known scales s_i >= 0 and r_i >= 0 from an
// unknown law. The law is estimated by maximum likelihood on a grid of ratios, and a number that
// does not stand out of its noise is replaced by its posterior mean. In released topics most words
// are noise: without this they would take the place of the rest.
// Post-processing: it sees released numbers only.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Numbers more than three deviations above zero stay as they are; the grid would only blur them.
// `largest_ratio` bounds the r_i.
Matrix shrink(const Matrix& values, const Matrix& deviations, const Vector& row_scales,
              double largest_ratio);

}  // namespace sotto
