// An audit of a private run: the largest epsilon that its outputs prove was exceeded.
//
// The runs over two neighbours are cut in half. On the first half a test and its threshold are
// fitted and chosen; on the second they are judged, once. What is reported is therefore exceeded
// with 95% confidence, whatever was tried. It says what fails, and never that something holds
// (audit.md). Cost: O(runs x numbers kept).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/audit/reach.h"
#include "sotto/audit/seen_run.h"

namespace sotto::audit {

inline constexpr double kConfidence = 0.95;
inline constexpr std::int64_t kFewestRuns = 40;  // on each data set

// One event, judged on runs that did not choose it.
struct Finding {
  std::string test;
  std::int64_t hits = 0, misses = 0;  // of the event on the side where it is likely, and the other
  double delta = 0;
  double claimed = 0;  // epsilon at this delta, of the releases that the test reads
  double proved = 0;   // a smaller epsilon does not hold at this delta
  bool exceeds() const { return proved > claimed; }
};

// What so many runs could have shown.
struct Power {
  double most = 0;  // epsilon that a perfect test could prove at the delta of the certificate
  // A true epsilon at that delta that is found to exceed the claim, 8 times of 10.
  double epsilon = 0;
  double noise = 0;  // the same as a share of the noise that was claimed; 0: none is found
};

struct AuditResult {
  std::int64_t runs = 0, judged = 0;  // on each data set
  PrivacyClaim claim{0, 0};
  Finding at_delta;  // the largest epsilon at the delta of the certificate
  Finding worst;     // the most beyond what the certificate claims, at any delta
  Power power;
  std::vector<Reach> reach;

  bool exceeds() const { return at_delta.exceeds() || worst.exceeds(); }
  std::string to_text() const;
  nlohmann::ordered_json to_json() const;
};

// Refuses fewer runs than kFewestRuns, sides of different lengths, and runs that claim nothing.
AuditResult audit(const NeighbourRuns& runs);

}  // namespace sotto::audit
