// What an epsilon and a delta mean to somebody who decides: as odds, as the power of a test, for a
// group. Upper bounds, from the accounting of the releases where that says more than epsilon and
// delta (meaning.md). Cost: microseconds; with sampled releases three more accounts, 5 to 60 ms
// each.
#pragma once

#include <vector>

#include "sotto/base/between_libraries.h"
#include "sotto/privacy/certificate.h"

namespace SOTTO_BETWEEN_LIBRARIES sotto {

// Above this epsilon odds and powers say nothing.
inline constexpr double kMostTelling = 30;
inline constexpr int kGroup = 5;  // people
inline constexpr double kFalseAlarms = 0.05;

// Evens become at most odds:1, except with a probability.
struct Odds {
  double odds = 0;
  double except = 0;
};

struct Meaning {
  Odds one;
  double power = 1;          // of the best test with kFalseAlarms
  PrivacyClaim group{0, 1};  // for kGroup units together; delta 1: nothing is promised
  Odds several;              // the odds of the group

  nlohmann::ordered_json to_json() const;
};

// A promise, and what a record pays for it. `chosen`: a budget fixed in advance made it, and the
// bills are what was chosen.
struct Promise {
  PrivacyClaim claim;
  std::vector<RecordBill> bills;
  bool chosen = false;
};

// Only for 0 < epsilon <= kMostTelling.
Meaning meaning_of(const Promise& promise);

Promise promise_of(const Certificate& certificate);

}  // namespace sotto
