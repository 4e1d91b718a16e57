// The privacy certificate of a result: a claim computed from the noise that was added, never copied
// from what was asked for.
//
// A Ledger collects the records that mechanisms wrote while they drew noise; certify() has the
// accountant turn them into (epsilon, delta). `guarantee` is "proved" or "none", and `why` says
// why. The releases listed in the certificate suffice to compute its epsilon again.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/privacy/release_record.h"

namespace SOTTO_API sotto {

struct PrivacyClaim {
  double epsilon;
  double delta;
};

// A condition of a published analysis: value <= limit. Both are computed from the data, in runs
// that protect nothing.
struct PublishedCondition {
  std::string what;
  double value;
  double limit;
  bool met() const { return value <= limit; }
};

// How many units there are, a public number or a public guess; 0: neither.
struct ProtectedUnits {
  std::int64_t count = 0;
  std::string what = "units";  // "documents"
};

// A warning that says what a delta not below 1/count means; empty where delta is below.
std::string large_delta_warning(double delta, const ProtectedUnits& units);

// What the caller states; everything else is computed.
struct PrivacyStatement {
  std::string unit;                       // what is protected: "one document"
  std::string neighbours;                 // "replace one document", "add or remove one rating"
  bool adds_or_removes = false;           // whether neighbours differ in size; sampling needs it
  std::vector<std::string> public_facts;  // what is assumed known
  double delta = 0;                       // where epsilon is stated; 0 for pure releases only
  ProtectedUnits units;                   // where delta is not below 1/count, the certificate warns
  std::optional<PrivacyClaim> claimed;    // what a published analysis says of the same releases
  // Releases chosen during the run are covered by a budget that was fixed in advance. The
  // certificate then states the promise of the budget, and only checks the sum of what was spent
  // against it.
  std::optional<PrivacyClaim> budget;
};

struct CertifiedRelease {
  ReleaseRecord record;
  int parallel = 0;  // releases with the same number > 0 read disjoint records: the largest counts
};

struct Certificate {
  PrivacyStatement statement;
  double epsilon = 0;  // NaN where the releases have no finite account
  bool proved = false;
  std::string why;
  std::string accountant;
  std::vector<CertifiedRelease> releases;

  // No record pays more than the largest of these.
  std::vector<RecordBill> bills() const;

  // The `privacy` object of result.json, numbers in full precision.
  nlohmann::ordered_json to_json() const;
  // A few plain sentences.
  std::string to_text() const;
};

class Ledger {
 public:
  explicit Ledger(PrivacyStatement statement);

  // All three ways to add a record refuse one whose counts or charges are negative or NaN.
  void add(ReleaseRecord record);

  // Releases over disjoint sets of records: a record is read by one of them only, so together they
  // cost as much as the most expensive one (parallel composition). Costs of different kinds cannot
  // be compared: epsilon is then accounted with each kind in turn, and the largest counts
  // (release/private_stream.md, step 3).
  void add_disjoint(const std::vector<ReleaseRecord>& records);

  // The same for releases that come one after the other: a group, and a release that joins it.
  int open_disjoint_group() { return ++groups_; }
  void add_to_group(int group, ReleaseRecord record);

  // The guarantee becomes "none": an insecure seed, a proof that does not hold.
  void deny(const std::string& reason);

  Certificate certify() const;

 private:
  PrivacyStatement statement_;
  std::vector<CertifiedRelease> releases_;
  std::vector<std::string> denials_;
  int groups_ = 0;
};

}  // namespace sotto
