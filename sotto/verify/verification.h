// Checks the folder of a private result, for somebody who trusts neither the sender nor the program
// that made it: what its result.json says against its files and against the accountant.
//
// Nothing here is shared with a run but the accountants of privacy/: the certificate is read as
// text, costs are computed again from sensitivity and noise, and arrays are read by code of its
// own. What is in the folder is never trusted; a file that cannot be read is a check that fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/signature.h"

namespace sotto::verify {

enum class Check { holds, fails, unchecked };

struct Finding {
  Check check;
  std::string what;
};

class Findings {
 public:
  void holds(const std::string& what) { list_.push_back({Check::holds, what}); }
  void fails(const std::string& what) { list_.push_back({Check::fails, what}); }
  void unchecked(const std::string& what) { list_.push_back({Check::unchecked, what}); }
  // One of the two.
  bool require(bool condition, const std::string& holds_when, const std::string& otherwise);

  const std::vector<Finding>& list() const { return list_; }
  std::int64_t failures() const;

 private:
  std::vector<Finding> list_;
};

struct VerifyOptions {
  std::optional<PublicKey> key;  // of whom the signature must be
  std::string unit;              // what the certificate must protect; empty: anything
};

struct Verification {
  std::vector<Finding> findings;
  std::string verdict;  // one sentence
  bool verified = false;

  std::string to_text() const;
  Json to_json() const;
};

// Refuses what is not the folder of a result.
Verification verify_folder(const std::string& folder, const VerifyOptions& options);

}  // namespace sotto::verify
