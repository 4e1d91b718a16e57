// A method that improves a completion model by passing over the entries again and again.
#pragma once

namespace sotto {

class Solver {
 public:
  virtual ~Solver() = default;
  // One pass over all entries. Returns the sum of the squared errors of the training entries:
  // stochastic gradients take each error when they visit the entry, least squares takes all at the
  // end of the pass.
  virtual double epoch() = 0;
};

}  // namespace sotto
