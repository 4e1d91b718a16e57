// Linear convolution of two real sequences by a fast Fourier transform, callable from any thread.
//
// The product c = a b of two polynomials of degree sum below n = 2m is computed modulo x^m - i. The
// remainder of a real polynomial is its lower half plus i times its upper half, so one complex
// transform of length m holds all of it (right-angle convolution, Crandall & Fagin 1994). With x =
// w y, w^m = i, the modulus is y^m - 1, which a transform of length m multiplies by.
#pragma once

#include <vector>

namespace sotto {

struct Convolution {
  std::vector<double> values;  // of length |a| + |b| - 1
  // A bound of the sum of |error| over values, for |a|_1, |b|_1 <= 1.
  double error;
};

Convolution fft_convolve(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace sotto
