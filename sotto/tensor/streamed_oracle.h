// An oracle whose answers are made from records that pass by, and that can take up where an earlier
// run stopped.
#pragma once

#include "sotto/base/keyed_digest.h"
#include "sotto/tensor/oracle.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

// Where a stream stands between two answers.
struct StreamPosition {
  Index answers = 0;  // given so far
  Index pass = 0;     // times the source has been rewound
  Index record = 0;   // records of this pass that have been used
  double bound = 0;   // that the answers were made with, where it was found on the way; 0: none
  KeyedDigest::Value digest{};  // of those records; zero: none was kept

  bool operator==(const StreamPosition&) const = default;
};

enum class Asked { contract, values };

class StreamedOracle : public SymmetricOracle {
 public:
  virtual StreamPosition position() const = 0;
  // Before the first answer only: positions hold a digest of the records from now on.
  virtual void keep_digest(const SecretKey& key) = 0;
  // Before the first answer only: goes on from a position that an equal oracle has reported, and
  // refuses a stream that begins with other records than that oracle's.
  virtual void resume_at(const StreamPosition& position) = 0;
  // After resume_at: an answer of the earlier run is given again, to the same question. An oracle
  // that keeps accounts enters it.
  virtual void replayed(const Matrix&, Asked) {}
};

// Throws unless `source` has come to the record of the position over the same records.
void check_resumed(const PointSource& source, const StreamPosition& position);

}  // namespace sotto
