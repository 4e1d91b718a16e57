// What a run would leave of a limit, and how many such runs fit: from the ledger alone.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/json.h"
#include "sotto/ledger/run_ledger.h"

namespace sotto {

class LedgerForecast {
 public:
  LedgerForecast(const LedgerAccount& account, const RunLedger::Request& request);

  // Lines, each with its end.
  std::string to_text() const;
  Json to_json() const;

 private:
  // No more runs than these are counted.
  static constexpr std::int64_t kMostRuns = 100000;

  std::string name_;
  PrivacyClaim asked_, limit_;
  std::string refusal_;  // empty: the run would be admitted
  double composed_;      // epsilon so far
  double after_gaussian_, after_claim_;
  std::int64_t gaussian_runs_, claimed_runs_;
};

}  // namespace sotto
