#include "sotto/release/private_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/clip.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/calibration.h"

namespace sotto {
namespace {

GaussianMechanism entries_mechanism(const PublicDims& dims, const PrivacyTarget& target,
                                    const EntryBounds& bounds) {
  return {"the entries", bounds.sensitivity(), entries_deviation(dims, target, bounds),
          dims.entries()};
}

DenseTensor dense_form(AnyTensor tensor) {
  if (auto* dense = std::get_if<DenseTensor>(&tensor)) return std::move(*dense);
  return std::get<SparseTensor>(tensor).to_dense(kMostEntries);
}

}  // namespace

double EntryBounds::sensitivity() const {
  return max_entry ? std::min(change, 2 * *max_entry) : change;
}

std::vector<std::string> entry_facts(double change) {
  return {"the shape of the tensor", fmt::format("that one entry changes by at most {}", change),
          "all options"};
}

std::string clipping_fact(double max_entry) {
  return fmt::format("that entries are clipped to the range from -{0} to {0}", max_entry);
}

ProtectedUnits entry_units(const PublicDims& dims) { return {dims.entries(), "entries"}; }

PrivacyStatement entries_statement(const PublicDims& dims, const PrivacyTarget& target,
                                   const EntryBounds& bounds) {
  PrivacyStatement statement;
  statement.unit = "one entry of the tensor";
  statement.neighbours =
      fmt::format("one entry changed by at most {} in either direction", bounds.change);
  statement.public_facts = entry_facts(bounds.change);
  if (bounds.max_entry) statement.public_facts.push_back(clipping_fact(*bounds.max_entry));
  statement.delta = target.delta;
  statement.units = entry_units(dims);
  return statement;
}

double entries_deviation(const PublicDims& dims, const PrivacyTarget& target,
                         const EntryBounds& bounds) {
  const double mu = affordable_mu(target, 1, dims.entries());
  return deviation_for({bounds.sensitivity(), std::sqrt(static_cast<double>(dims.entries()))}, mu);
}

Plan plan_entries(const PublicDims& dims, const PrivacyTarget& target, const EntryBounds& bounds) {
  const ReleaseRecord record = entries_mechanism(dims, target, bounds).record();
  Plan plan{entries_statement(dims, target, bounds), target, "noise on the entries", {}, {}, {}};
  plan.releases = {planned(record, 1)};
  return plan;
}

Released<Noisy<DenseTensor>> release_entries(Sensitive<AnyTensor> tensor,
                                             const PrivacyTarget& target, const EntryBounds& bounds,
                                             PrivateRun& run) {
  DenseTensor exact = dense_form(ReleaseAccess::take(std::move(tensor)));
  if (bounds.max_entry) {
    for (double& x : exact.values()) x = clipped(x, -*bounds.max_entry, *bounds.max_entry);
  }
  const PublicDims dims(exact.dims());
  return run.publish(entries_mechanism(dims, target, bounds), std::move(exact));
}

}  // namespace sotto
