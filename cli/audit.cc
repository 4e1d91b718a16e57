// sotto audit: tries to prove a private command wrong.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "cli/audit_canaries.h"
#include "cli/audit_runs.h"
#include "cli/command.h"
#include "cli/not_private.h"
#include "sotto/audit/audit.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/io/same_file.h"

namespace sotto::cli {
namespace {

constexpr std::int64_t kSameNoise = 8;  // pairs of runs

class AuditCommand final : public Command {
 public:
  std::string name() const override { return "audit"; }
  std::string summary() const override {
    return "Run a private command on two neighbours, many times, and try to disprove its epsilon";
  }
  std::vector<Positional> positionals() override {
    return {{"COMMAND", "a private command with its options, as it would be run", nullptr, false,
             &words_}};
  }
  std::vector<std::string>* rest() override { return &words_; }
  OptionTable options() override {
    return OptionTable()
        .text("neighbour", 0, neighbour_, "FILE",
              "the data of the command with one protected unit changed; the auditor cannot check "
              "this")
        .integer("canaries", 0, canaries_, {16, 2000},
                 "instead of `neighbour`: plant this many canaries in place of the first records "
                 "and judge one run by them; for stream and complete from CSV, topics from text")
        .integer("runs", 0, runs_, {audit::kFewestRuns, 1000000},
                 "runs on each of the two data sets; more find smaller faults")
        .integer("jobs", 0, jobs_, {0, 4096}, "runs at the same time; 0: one a processor")
        .flag("json", json_, "print what was found as JSON");
  }
  std::string example() const override {
    return "sotto audit mixture points.csv --header no --dim 3 -k 2 --max-norm 1 --epsilon 4 "
           "--delta 1e-6 --neighbour other.csv";
  }

  ExitCode run() override {
    SOTTO_REQUIRE_AT(neighbour_.empty() == canaries_.has_value(), "`neighbour`",
                     "or `canaries` is required, one of the two");
    if (jobs_ == 0) jobs_ = std::max(1U, std::thread::hardware_concurrency());
    AuditRuns runs(words_, jobs_);
    if (canaries_) return run_canaries(runs);
    SOTTO_REQUIRE_AT(!same_file(neighbour_, runs.path()), "`neighbour`",
                     "{} is the data itself; give data that differs from it in one unit",
                     neighbour_);
    if (!std::filesystem::is_regular_file(neighbour_) || !std::ifstream(neighbour_)) {
      throw Error("cannot be read", neighbour_, Fault::unopened);
    }
    say_first();
    return report(audit::audit(neighbour_runs(runs)));
  }

 private:
  ExitCode run_canaries(const AuditRuns& runs) {
    say_first();
    return report(audit::audit_canaries(canary_runs(runs, static_cast<std::size_t>(*canaries_))));
  }

  void say_first() const {
    say_not_private("an audit reads its data many times, and prints what it finds without noise",
                    json_);
  }
  template <class Result>
  ExitCode report(const Result& found) const {
    fmt::print("{}", json_ ? json_text(found.to_json()) + "\n" : found.to_text());
    return found.exceeds() ? exit_failed : exit_done;
  }

  audit::NeighbourRuns neighbour_runs(AuditRuns& runs) {
    audit::NeighbourRuns seen;
    std::vector<AuditedRun> seeded;
    for (std::int64_t seed = 1; seed <= kSameNoise; ++seed) {
      seeded.push_back({runs.path(), seed});
      seeded.push_back({neighbour_, seed});
    }
    std::vector<AuditedOutcome> outcomes = runs.run(seeded);
    for (std::size_t n = 0; n < outcomes.size(); n += 2) {
      seen.same_noise.emplace_back(std::move(outcomes[n].seen), std::move(outcomes[n + 1].seen));
    }
    runs.keep_what_differs(seen.same_noise);

    std::vector<AuditedRun> all;
    for (std::int64_t n = 0; n < runs_; ++n) {
      all.push_back({runs.path(), {}});
      all.push_back({neighbour_, {}});
    }
    outcomes = runs.run(all);
    require_runs_on_both(outcomes);
    seen.certificate = certificate_of(outcomes);
    for (std::size_t n = 0; n < outcomes.size(); n += 2) {
      seen.here.push_back(std::move(outcomes[n].seen));
      seen.there.push_back(std::move(outcomes[n + 1].seen));
    }
    return seen;
  }

  // If every run on one side is refused, there is nothing to compare.
  void require_runs_on_both(const std::vector<AuditedOutcome>& outcomes) const {
    const auto is_refused = [&](std::size_t side) {
      for (std::size_t n = side; n < outcomes.size(); n += 2) {
        if (outcomes[n].code != exit_refused) return false;
      }
      return true;
    };
    SOTTO_REQUIRE(!is_refused(0), "the command is refused: {}", outcomes[0].message);
    SOTTO_REQUIRE_AT(
        !is_refused(1), "`neighbour`",
        "every run over {} is refused (if one unit causes that, the refusal reveals it): {}",
        neighbour_, outcomes[1].message);
  }

  // That of the first run that has one. The public facts must be the same on both sides, or they
  // are not neighbours.
  static Certificate certificate_of(const std::vector<AuditedOutcome>& outcomes) {
    const Certificate* sides[2] = {nullptr, nullptr};
    for (std::size_t n = 0; n < outcomes.size(); ++n) {
      const auto& certificate = outcomes[n].certificate;
      if (certificate && sides[n % 2] == nullptr) sides[n % 2] = &*certificate;
    }
    SOTTO_REQUIRE(sides[0] != nullptr || sides[1] != nullptr,
                  "no run of the command reached its end: {}", outcomes.front().message);
    if (sides[0] != nullptr && sides[1] != nullptr) {
      SOTTO_REQUIRE_AT(sides[0]->statement.public_facts == sides[1]->statement.public_facts,
                       "`neighbour`",
                       "is not a neighbour: the public facts of the two files differ");
    }
    return sides[0] != nullptr ? *sides[0] : *sides[1];
  }

  std::vector<std::string> words_;
  std::string neighbour_;
  std::int64_t runs_ = 1000, jobs_ = 0;
  std::optional<std::int64_t> canaries_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_audit() { return std::make_unique<AuditCommand>(); }

}  // namespace sotto::cli
