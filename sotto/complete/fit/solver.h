// A method that improves a completion model by passing over the entries again and again.
#pragma once

namespace sotto {

class Solver {
 public:
  virtual ~Solver() = default;
  // One pass over all entries. Returns the sum of the squared errors of the training entries: for
  // stochastic gradients each as it was met, for least squares at the end of the pass.
  virtual double epoch() = 0;
};

}  // namespace sotto
