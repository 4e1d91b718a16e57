// A place in a ledger for one private run, taken before the run reads a record.
//
// The run settles it with its certificate; the command commits it when the result is complete. In
// every other case, a crash included, the run counts with its whole claim.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/ledger/run_ledger.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/run_statement.h"

namespace sotto {

class Reservation {
 public:
  // Takes the place, or refuses. A file that cannot be opened, among the input or the others that
  // the run will read, is refused before anything is reserved. Then stores the keyed fingerprint of
  // the input files: nothing that follows depends on it. No fingerprint for what cannot be read
  // twice ("-", pipes).
  Reservation(const std::string& path, const std::string& data, const RunLedger::Request& request,
              const std::vector<std::string>& inputs, const std::vector<std::string>& others = {});
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // For the one run that it pays for. Refuses a second one, a larger claim or another unit.
  void begin(const PrivacyClaim& target, const PrivacyStatement& statement);
  void settle(const Certificate& certificate) { certificate_ = certificate; }
  // Refused before settle().
  void commit();
  // The ledger as it admitted the run.
  const LedgerStanding& standing() const { return standing_; }

 private:
  RunLedger ledger_;
  std::string data_;
  RunLedger::Request request_;
  std::int64_t number_;
  LedgerStanding standing_;
  bool begun_ = false;
  std::optional<Certificate> certificate_;
};

}  // namespace sotto
