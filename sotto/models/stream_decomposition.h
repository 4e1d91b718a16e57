// The components of the moment tensor of a stream (Wang & Anandkumar 2016, Algorithm 2): the power
// methods of decompose/, unchanged, with a number of questions that is known in advance.
//
// Records: n k (R+1) for the power method, n (R+1) for the simultaneous form, where n is the batch.
// The defaults are for streams, where every iteration costs fresh records: see docs/streaming.md.
#pragma once

#include <cstdint>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/power.h"

namespace SOTTO_API sotto {

struct StreamOptions {
  std::int64_t components = 0;
  std::int64_t starts = 16;
  std::int64_t iterations = 8;
  PowerForm method = PowerForm::robust;
  std::int64_t order = 3;
  std::int64_t batch = 0;  // 0: the records there are, shared out
  std::int64_t passes = 1;
  std::int64_t seed = 0;

  OptionTable table();
  // How many times the oracle will be asked.
  Index answers() const { return rounds() * (iterations + 1); }
  // How many of the answers are values T(u,..,u): the last of each round.
  Index rounds() const { return method == PowerForm::simultaneous ? 1 : components; }
  // The columns of each block that the oracle is asked about.
  Index columns() const { return method == PowerForm::simultaneous ? components * starts : starts; }
};

Decomposition decompose_stream(SymmetricOracle& oracle, const StreamOptions& options,
                               const ProgressCallback& progress = {});

}  // namespace sotto
