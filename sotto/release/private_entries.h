// The entries of any tensor, released once with noise (unit: one entry, whose change is bounded).
//
// One Gaussian release of all N entries; sensitivity X, the declared bound on the change of one
// entry, or 2M where entries are clipped to +-M and that is less. What is done with the released
// tensor is post-processing. Cost: O(N). Proof: private_entries.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/release/plan.h"
#include "sotto/release/private_run.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

// What is declared about entries.
struct EntryBounds {
  double change = 1;                // neighbours differ by at most this
  std::optional<double> max_entry;  // entries beyond +- this are clipped to it

  // Of one released entry.
  double sensitivity() const;
};

// The public facts of every run that protects entries.
std::vector<std::string> entry_facts(double change);
std::string clipping_fact(double max_entry);

// How many entries are protected.
ProtectedUnits entry_units(const PublicDims& dims);

// What the certificate states.
PrivacyStatement entries_statement(const PublicDims& dims, const PrivacyTarget& target,
                                   const EntryBounds& bounds);

// The standard deviation of the noise in an entry.
double entries_deviation(const PublicDims& dims, const PrivacyTarget& target,
                         const EntryBounds& bounds);

// The plan of a run that makes this one release, with its noise.
Plan plan_entries(const PublicDims& dims, const PrivacyTarget& target, const EntryBounds& bounds);

// Dense, however many entries are zero. The shape must have been checked (require_dims).
Released<Noisy<DenseTensor>> release_entries(Sensitive<AnyTensor> tensor,
                                             const PrivacyTarget& target, const EntryBounds& bounds,
                                             PrivateRun& run);

}  // namespace sotto
