// A released value with the size of its noise.
#pragma once

namespace sotto {

// Of the noise in a number; for symmetric matrices and tensors in isometric coordinates.
template <class T>
struct Noisy {
  T value;
  double deviation;
  double variance = deviation * deviation;
};

}  // namespace sotto
