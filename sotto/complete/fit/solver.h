// A method that improves a completion model by passing over the entries again and again, and the
// penalties that all methods have.
#pragma once

#include <vector>

#include "sotto/base/error.h"
#include "sotto/complete/fit/model.h"

namespace sotto {

struct PenaltySettings {
  std::vector<double> lambda = {};  // of the rows, one per mode; 0: none
  std::vector<double> centre = {};  // what the rows are pulled to, one per mode
  double core_lambda = 0;           // 0: none
  double core_centre = 0;           // on the superdiagonal
  bool train_biases = false;
  std::vector<double> bias_shrink = {};  // one per mode

  void check(const ObservedEntries& entries, const CompletionModel& model) const {
    SOTTO_REQUIRE(entries.size() > 0, "there are no entries to learn from");
    const std::size_t order = model.factors.size();
    SOTTO_REQUIRE(lambda.size() == order && centre.size() == order,
                  "one penalty and one centre per mode are needed");
    SOTTO_REQUIRE(!train_biases || bias_shrink.size() == order,
                  "one shrinkage of the biases per mode is needed");
  }
};

class Solver {
 public:
  virtual ~Solver() = default;
  // One pass over all entries. Returns the sum of the squared errors of the training entries:
  // stochastic gradients take each error when they visit the entry, least squares takes all at the
  // end of the pass.
  virtual double epoch() = 0;
};

}  // namespace sotto
