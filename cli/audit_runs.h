// Runs a private command many times for an audit, each time in a process of its own with a key of
// its own, and sees all that leaves it. Nothing is written to disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/seen_run.h"
#include "sotto/privacy/certificate.h"

namespace sotto::cli {

// One run to be made: over which file, and with which noise (none: noise of its own). `text` stands
// in for a file, and is made in the process of the run.
struct AuditedRun {
  std::string path;
  std::optional<std::int64_t> insecure_seed = {};
  std::function<std::string()> text = {};
};

struct AuditedOutcome {
  audit::SeenRun seen;
  int code = 0;
  std::string message;  // standard error
  std::optional<Certificate> certificate;
};

class AuditRuns {
 public:
  // The words of the command. Refuses one that is not private, and one that would leave something
  // behind: a folder, a checkpoint, a line in a ledger.
  AuditRuns(std::vector<std::string> words, std::int64_t jobs);

  // The name of the file that the command reads.
  const std::string& path() const { return path_; }
  const std::string& command() const { return words_.front(); }
  // The value of an option of the command, null where it is not given.
  nlohmann::ordered_json option(const std::string& name) const;

  // In the order in which they were asked for.
  std::vector<AuditedOutcome> run(const std::vector<AuditedRun>& runs) const;

  // From now on keeps, of releases with very many numbers, those in which these pairs of runs
  // differ most. Cuts the pairs, too.
  void keep_what_differs(std::vector<std::pair<audit::SeenRun, audit::SeenRun>>& same_noise);

 private:
  AuditedOutcome outcome_of(const AuditedRun& run) const;  // in the process of the run
  void cut(audit::SeenRun& run) const;

  std::vector<std::string> words_;
  std::int64_t jobs_;
  std::string path_;
  std::map<std::size_t, std::vector<std::size_t>> kept_;  // numbers of a release, by its place
};

}  // namespace sotto::cli
