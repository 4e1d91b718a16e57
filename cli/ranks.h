// The processes of one run that mpirun has started together.
//
// Rank 0 is the coordinator: it runs the command, has key, noise, ledger and result, and is the
// only one to print or to write. The others answer its questions (sotto/tensor/shards.h). cluster/
// has the ranks of MPI, and a stand-in for programs without it.
#pragma once

#include <memory>
#include <string>

#include "sotto/tasks/shard_input.h"

namespace sotto::cli {

class Ranks : public Shards {
 public:
  virtual Index number() const = 0;  // of this process
  // How many ranks share this machine, this one included.
  virtual Index on_this_machine() const = 0;
  // For all but the coordinator: answers until it has no more questions.
  virtual void serve(const AnswerQuestion& answer) = 0;
  // For the coordinator: how much was sent, in one line. It depends on public numbers alone.
  virtual std::string traffic() const = 0;
};

// Null if this process runs alone. Refuses to be one of several ranks in a program without MPI,
// which would run the same command several times over the same output.
std::unique_ptr<Ranks> join_ranks();

}  // namespace sotto::cli
