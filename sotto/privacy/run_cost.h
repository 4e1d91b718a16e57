// What runs over the same data cost together, when each may be chosen after seeing the results of
// those before it, perhaps months later.
//
// A run is admitted with its whole claim (epsilon, delta) and settled with the cost of its releases
// where these simply add up: mu^2 for Gaussian releases, epsilon for pure ones. Two counts are
// kept, each with a share of the limit that is fixed in advance: the plain sum of the claims, and
// the Gaussian count, in which settled runs count by mu^2. A run is admitted while at least one of
// them stays within its share. Why this keeps the limit whatever is chosen: run_cost.md. Cost: a
// run O(releases); an answer below a millisecond.
#pragma once

#include <optional>
#include <string>

#include "sotto/base/between_libraries.h"
#include "sotto/privacy/certificate.h"

namespace SOTTO_BETWEEN_LIBRARIES sotto {

// Amounts that add up over runs.
struct RunCost {
  double pure = 0;
  double mu_squared = 0;
  double rounding = 0;  // epsilon of the precision charges
  double delta = 0;
};

// What a run may cost at most for its unit. Claims on ratings count twice: some of their mechanisms
// withdraw a value rather than replace it, and a replacement is two such changes.
PrivacyClaim whole_claim(const PrivacyClaim& asked, const std::string& unit);

// The cost of a run that protects `unit`, from its releases. None where they do not simply add up:
// samples, disjoint records, other neighbours, a certificate that proves nothing.
std::optional<RunCost> cost_of_releases(const Certificate& certificate, const std::string& unit);

// The largest mu^2 of a Gaussian run that keeps a claim, rounded down.
double most_mu_squared(const PrivacyClaim& claim);

// A run as it is counted: its claim, until it is settled with a cost.
struct CountedRun {
  PrivacyClaim claim{};
  double held = 0;  // room for its mu^2, set aside when it was admitted; 0: none was left
  std::optional<RunCost> cost;
};

// The limit for all runs over some data, and the runs so far.
class RunCount {
 public:
  // Refuses limits that are not positive and finite, or a delta of 1 and more.
  explicit RunCount(const PrivacyClaim& limit);

  void add(const CountedRun& run);

  const PrivacyClaim& limit() const { return limit_; }
  // Whether a run with this claim may start.
  bool admits(const PrivacyClaim& claim) const;
  // Whether room for the mu^2 of such a run is left: only then may it be settled with a cost.
  bool has_gaussian_room(const PrivacyClaim& claim) const {
    return has_gaussian_room(most_mu_squared(claim));
  }
  bool has_gaussian_room(double mu_squared) const;
  // Whether a run that was admitted is settled with this cost rather than with its claim.
  bool settles(const CountedRun& run, const RunCost& cost) const;
  // The largest epsilon and the largest delta, each alone, that admits() would still take.
  PrivacyClaim left() const;

  // epsilon at the limit's delta of everything so far, for a list of runs fixed in advance; what
  // is promised for chosen runs is the limit. Infinite where the deltas alone exceed that delta.
  double composed_epsilon() const;
  // The plain sums of the claims.
  PrivacyClaim plain_sum() const;

 private:
  // Sums of non-negative numbers.
  struct Amounts {
    long double pure = 0, mu_squared = 0, rounding = 0, delta = 0;
    void add(const RunCost& cost);
  };
  double delta_of_rounding(long double rounding) const;
  bool plain_covers(const PrivacyClaim& claim) const;
  bool gaussian_covers(const PrivacyClaim& claim) const;

  PrivacyClaim limit_;
  double gaussian_share_;  // of mu^2
  Amounts plain_;          // of all claims
  Amounts gaussian_;       // of claims and costs; open runs hold their mu^2 beside their claim
  Amounts settled_;        // the same without what is held
};

}  // namespace sotto
