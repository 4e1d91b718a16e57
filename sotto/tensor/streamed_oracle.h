// An oracle whose answers are made from records that pass by, and that can take up where an earlier
// run stopped.
#pragma once

#include "sotto/tensor/oracle.h"

namespace sotto {

// Where a stream stands between two answers.
struct StreamPosition {
  Index answers = 0;  // given so far
  Index pass = 0;     // times the source has been rewound
  Index record = 0;   // records of this pass that have been used
  double bound = 0;   // that the answers were made with, where it was found on the way; 0: none

  bool operator==(const StreamPosition&) const = default;
};

enum class Asked { contract, values };

class StreamedOracle : public SymmetricOracle {
 public:
  virtual StreamPosition position() const = 0;
  // Before the first answer only: goes on from a position that an equal oracle has reported.
  virtual void resume_at(const StreamPosition& position) = 0;
  // After resume_at: an answer of the earlier run is given again, to the same question. An oracle
  // that keeps accounts enters it.
  virtual void replayed(const Matrix&, Asked) {}
};

}  // namespace sotto
