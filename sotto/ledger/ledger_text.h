// A ledger for people and for programs: as text, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/between_libraries.h"
#include "sotto/base/json.h"
#include "sotto/ledger/run_ledger.h"

namespace SOTTO_BETWEEN_LIBRARIES sotto {

// How a run is counted: "settled", "counted in full", "open or broken off".
std::string state_of(const LedgerRun& run);

// Limits and totals, a few lines a data set.
std::string totals_text(const std::vector<LedgerAccount>& accounts);
// A line a run.
std::string history_text(const std::vector<LedgerAccount>& accounts);

// Everything but key and fingerprints.
Json ledger_json(const std::vector<LedgerAccount>& accounts);
// A line a run, after a line of names.
std::string ledger_csv(const std::vector<LedgerAccount>& accounts);

}  // namespace sotto
