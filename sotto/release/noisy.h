// A released value with the standard deviation of its noise.
#pragma once

namespace sotto {

// `deviation` is isometric for symmetric matrices and tensors.
template <class T>
struct Noisy {
  T value;
  double deviation;
};

}  // namespace sotto
