// An audit by one run over many planted canaries (Steinke, Nasr & Jagielski 2023; audit.md, 6).
//
// Each canary is one protected unit, put in in one of two forms by a fair coin. From what the run
// releases, the coins are guessed; the more guesses are right, the larger the epsilon that is
// disproved. Cost: O(canaries^2 x numbers + canaries^3).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/seen_run.h"

namespace sotto::audit {

// The two forms of a canary, as lines of a file.
using CanaryPair = std::pair<std::string, std::string>;

// Records of this norm in random directions, forwards or backwards.
std::vector<CanaryPair> record_canaries(std::size_t count, std::size_t dim, double norm);
// Documents of two words, or of two others.
std::vector<CanaryPair> document_canaries(std::size_t count, const std::vector<std::string>& words);
// These lines of CSV with the lowest or the highest value in one column.
std::vector<CanaryPair> rating_canaries(const std::vector<std::string>& lines, std::size_t column,
                                        double low, double high);

struct CanaryRuns {
  std::vector<SeenRun> none;     // every canary in its first form; seeds 1, 2, ..
  std::vector<SeenRun> flipped;  // seed 1, with one canary in its second form, each in turn
  SeenRun other_seed;            // the first of these with seed 2
  std::vector<bool> coins;       // of the audited run: whether a canary has its second form
  SeenRun audited;
  Certificate certificate;
};

struct CanaryResult {
  std::int64_t canaries = 0, guesses = 0, right = 0;
  PrivacyClaim claim{0, 0};  // for the exchange of one unit
  double proved = 0;         // a smaller epsilon does not hold at the claim's delta
  double most = 0;           // what so many guesses would prove if all were right

  bool exceeds() const { return proved > claim.epsilon; }
  std::string to_text() const;
  nlohmann::ordered_json to_json() const;
};

// The largest epsilon at which so many right guesses have a probability of at most alpha.
double epsilon_of_guesses(std::int64_t right, std::int64_t guesses, std::int64_t canaries,
                          double delta, double alpha);

// Refuses runs without a release in which canaries show up independently of the noise.
CanaryResult audit_canaries(const CanaryRuns& runs);

}  // namespace sotto::audit
