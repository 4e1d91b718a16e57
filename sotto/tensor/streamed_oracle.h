// An oracle that answers from a stream of records and can continue where an earlier run stopped.
#pragma once

#include "sotto/base/keyed_digest.h"
#include "sotto/tensor/oracle.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

// The position of a stream between two answers.
struct StreamPosition {
  Index answers = 0;            // given so far
  Index pass = 0;               // how many times the source was rewound
  Index record = 0;             // records of this pass that have been used
  double bound = 0;             // the norm bound of the answers, where the run chose it; 0: none
  KeyedDigest::Value digest{};  // of those records; zero: none was kept

  bool operator==(const StreamPosition&) const = default;
};

enum class Asked { contract, values };

class StreamedOracle : public SymmetricOracle {
 public:
  virtual StreamPosition position() const = 0;
  // Must be called before the first answer. Positions then hold a digest of the records.
  virtual void keep_digest(const SecretKey& key) = 0;
  // Must be called before the first answer. Continues from a position that an equal oracle has
  // reported; refuses a stream that begins with other records than that oracle's.
  virtual void resume_at(const StreamPosition& position) = 0;
  // After resume_at: an answer of the earlier run is given again, to the same question. An oracle
  // that keeps accounts charges it.
  virtual void replayed(const Matrix&, Asked) {}
};

// Throws unless `source` has reached the record of the position over the same records.
void check_resumed(const PointSource& source, const StreamPosition& position);

}  // namespace sotto
