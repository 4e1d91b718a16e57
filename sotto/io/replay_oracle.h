// Writes every answer of a streamed oracle to a checkpoint. After a restart it returns the stored
// answers before it asks for new ones.
//
// A solver is deterministic given its seed and the answers. So a run that is killed at any moment
// and started again with the same options goes through the stored answers in no time, the stream
// moves to its former position, and the result is that of an undisturbed run, bit for bit. Each
// stored answer has a checksum of its question: a solver that asks something else (another build,
// another machine) is refused rather than answered wrongly. It also has a keyed digest of the
// records that were used until then: a stream that begins with other records is refused. Cost: one
// write and one fsync of d L numbers an answer, and the digest of every record (about 1 GB/s). No
// record of the data is stored.
#pragma once

#include <string>
#include <vector>

#include "sotto/io/checkpoint.h"
#include "sotto/tensor/streamed_oracle.h"

namespace sotto {

class ReplayOracle final : public SymmetricOracle {
 public:
  // Borrows both.
  ReplayOracle(StreamedOracle& inner, CheckpointFile& file);

  Index dim() const override { return inner_.dim(); }
  int order() const override { return inner_.order(); }
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override;

  // Answers found in the file.
  Index stored() const { return static_cast<Index>(records_.size()); }

 private:
  template <class Ask>
  Matrix answer(char kind, const Matrix& block, Ask ask);
  Matrix replay(char kind, const Matrix& block);

  StreamedOracle& inner_;
  CheckpointFile& file_;
  std::vector<std::string> records_;
  std::size_t next_ = 0;
};

}  // namespace sotto
