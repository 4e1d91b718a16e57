// Shrinks many noisy numbers of one kind towards their common law: nonparametric empirical Bayes
// (Robbins 1956; Kiefer & Wolfowitz 1956).
//
// x_i = s_i r_i + noise of standard deviation d_i, with known scales s_i >= 0 and r_i >= 0 from an
// unknown law. The law is estimated by maximum likelihood on a grid of ratios, and a number that
// does not stand out of its noise is replaced by its posterior mean. In released topics most words
// are noise, which would otherwise take the mass of the others.
// Privacy: post-processing of released numbers.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Numbers more than three deviations above zero do not change; the grid would only blur them.
// `largest_ratio` bounds the r_i.
Matrix shrink(const Matrix& values, const Matrix& deviations, const Vector& row_scales,
              double largest_ratio);

// For positive scales that may tell much or nothing: the power of them, of 0, 1/4, .. 1, under
// which the numbers are likeliest, with the same sum.
Vector likeliest_scales(const Vector& values, const Vector& deviations, const Vector& scales,
                        double largest_ratio);

// The posterior means themselves, for scales that are known to be near: a number below zero, too,
// becomes what its scale suggests.
Vector posterior_means(const Vector& values, const Vector& deviations, const Vector& scales,
                       double largest_ratio);

}  // namespace sotto
