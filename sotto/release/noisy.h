// A released value and the size of its noise.
#pragma once

namespace sotto {

// Standard deviation and variance of the noise in one number. For symmetric matrices and tensors
// they are those in isometric coordinates.
template <class T>
struct Noisy {
  T value;
  double deviation = 0;
  double variance = deviation * deviation;
};

}  // namespace sotto
