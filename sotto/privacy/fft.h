// Linear convolution of two real sequences by FFTW, callable from any thread.
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
