// The ledger over runs: what each data set may cost for all runs together, and every run.
//
// A run reserves its claim before it reads a record, and commits what it cost when its result is
// complete. A run that never commits counts with its whole claim. The arithmetic, and why runs may
// be chosen after seeing results: privacy/run_cost.md. The file is SQLite; every change is one
// transaction that begins with the lock for writing, so two processes never overspend together.
// What the file defends against: docs/ledger.md. Cost: all rows are read for every change.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/between_libraries.h"
#include "sotto/ledger/entries.h"
#include "sotto/privacy/run_cost.h"

namespace SOTTO_BETWEEN_LIBRARIES sotto {

// A data set and its limit, as somebody asks for it.
struct LedgerData {
  std::string name;
  PrivacyClaim limit{0, 0};
  std::string unit;                             // in the user's words: "one patient"
  std::vector<std::string> disjoint_from = {};  // data sets that share nobody with this one
};

struct LedgerRun {
  std::int64_t number = 0;
  std::string time, command, unit;
  PrivacyClaim asked{0, 0};
  CountedRun counted{{0, 0}, 0, {}};
  bool committed = false;
  bool proved = true;
  Json releases = Json::array();
  std::string fingerprint;     // empty: unknown
  bool other_version = false;  // of the data than the first run read
};

// A data set as it stands.
struct LedgerAccount {
  LedgerData data;
  std::vector<PrivacyClaim> limits;  // the first one, and those to which it was lowered
  std::string run_unit;              // "document"; empty before the first run
  std::vector<LedgerRun> runs;

  RunCount count(const PrivacyClaim& limit) const;
  RunCount count() const { return count(limits.back()); }
  // Under all limits.
  bool admits(const PrivacyClaim& claim) const;
  bool has_gaussian_room(double mu_squared) const;
  bool settles(const CountedRun& run, const RunCost& cost) const;
  std::int64_t open_runs() const;
};

// How many runs with this claim would be admitted one after the other, at most `most`: if they are
// settled as Gaussian runs that spend all of their claim, or if they count with their claims.
std::int64_t runs_that_fit(const LedgerAccount& account, const PrivacyClaim& claim, bool gaussian,
                           std::int64_t most);

// The largest total that somebody who may be in several data sets can meet: over all sets of data
// sets of which no two are disjoint, the sum of the values.
double largest_overlap(const std::vector<LedgerAccount>& accounts,
                       const std::vector<double>& values);

class RunLedger {
 public:
  // Opens a ledger that is there.
  explicit RunLedger(const std::string& path) : RunLedger(path, Database::Missing::refuse) {}
  // Adds a data set; makes the file if it is missing. Refuses a name that is taken.
  static void init(const std::string& path, const LedgerData& data);

  const std::string& path() const { return entries_.path(); }
  // In the order in which they were added.
  std::vector<LedgerAccount> accounts();
  // The one of this name; an empty name: the only one.
  LedgerAccount account(const std::string& name);

  void add(const LedgerData& data);
  // Refuses a limit that is not lower, or that the runs so far exceed. Returns the account as it is
  // then, read before the change holds: nothing can fail after it.
  LedgerAccount lower(const std::string& name, const PrivacyClaim& limit);

  struct Request {
    std::string command, unit;
    PrivacyClaim asked{0, 0};
  };
  // The number of the run. Refuses, with nothing changed, another unit than that of the runs before
  // and a claim that the limit does not cover.
  std::int64_t reserve(const std::string& name, const Request& request);
  void set_fingerprint(std::int64_t run, const std::string& name, const std::string& fingerprint);
  void commit(std::int64_t run, const std::string& name, const Certificate& certificate);
  const SecretKey& key() const { return entries_.key(); }

 private:
  RunLedger(const std::string& path, Database::Missing missing) : entries_(path, missing) {}
  LedgerAccount find(const std::vector<LedgerAccount>& all, const std::string& name) const;

  LedgerEntries entries_;
};

// Refuses, as a run would be refused, what the limit does not cover or another unit.
void require_admitted(const std::string& path, const LedgerAccount& account,
                      const RunLedger::Request& request);

}  // namespace sotto
