// Shrinks many noisy numbers of one kind towards their common law: nonparametric empirical Bayes
// (Robbins 1956; Kiefer & Wolfowitz 1956).
//
// x_i = s_i r_i + noise of standard deviation d_i, with known scales s_i >= 0 and r_i >= 0 from an
// unknown law. The law is estimated by maximum likelihood on a grid of ratios, and a number becomes
// its posterior mean: a number below zero, too, becomes what its scale and the law of the others
// suggest. In released topics most words are noise, which would otherwise take the mass of the
// others, or leave it to no word at all.
// Privacy: post-processing of released numbers.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Numbers more than six deviations above zero do not change; the grid would only blur them. Those
// whose ratio is more likely than not below 0.1 keep at most what exceeds half a deviation: where
// most words have no part in a topic, the small means of all of them would add up. `largest_ratio`
// bounds the r_i.
Matrix shrink(const Matrix& values, const Matrix& deviations, const Vector& row_scales,
              double largest_ratio);

// For positive scales that may tell much or nothing: the power of them, of 0, 1/4, .. 1, under
// which the numbers are likeliest, with the same sum.
Vector likeliest_scales(const Vector& values, const Vector& deviations, const Vector& scales,
                        double largest_ratio);

// The posterior means of all numbers that do not stand out, for scales that are known to be near.
Vector posterior_means(const Vector& values, const Vector& deviations, const Vector& scales,
                       double largest_ratio);

}  // namespace sotto
