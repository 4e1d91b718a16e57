// What the operator states about a private run, for readers of its certificate. Nothing here
// depends on the data: all of it is fixed before a record is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sotto/base/export.h"
#include "sotto/privacy/certificate.h"

namespace SOTTO_API sotto {

class SigningKey;

// What a ledger over runs says at the moment at which it admits a run. Limit and sum follow from
// what was asked for, not from what came of it: whether earlier runs ended well may depend on the
// data, and so may what they cost by composition.
struct LedgerStanding {
  std::string unit;          // whom the limit protects, in the user's words
  PrivacyClaim limit{0, 0};  // for all runs together
  std::int64_t runs = 0;     // so far, with this one
  PrivacyClaim asked{0, 0};  // the plain sums of what they asked for
};

struct RunStatement {
  std::string day;                         // "2026-11-16"; empty: not known
  std::string protects, contact, purpose;  // in the user's words; empty: nothing was said
  std::optional<LedgerStanding> ledger = {};
  std::shared_ptr<const SigningKey> key = {};  // signs the folder; none: nobody does
};

}  // namespace sotto
