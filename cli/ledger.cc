// sotto ledger: what all runs over the same data may cost, and what they have cost.
#include <fmt/format.h>

#include <limits>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/io/atomic_file.h"
#include "sotto/io/same_file.h"
#include "sotto/ledger/forecast.h"
#include "sotto/ledger/ledger_text.h"
#include "sotto/ledger/run_ledger.h"
#include "sotto/report/ledger_page.h"

namespace sotto::cli {
namespace {

class LedgerCommand : public Command {
 public:
  std::vector<Positional> positionals() override { return {{"FILE", "the ledger", &path_}}; }

 protected:
  OptionTable with_limit(OptionTable table) {
    constexpr double kMost = std::numeric_limits<double>::infinity();
    return table
        .real("epsilon", 'e', limit_.epsilon, {0, kMost, true, true},
              "the most that all runs together may cost")
        .required()
        .real("delta", 0, limit_.delta, {0, 1, true, true},
              "the probability with which that bound may fail")
        .required();
  }
  OptionTable with_name(OptionTable table) {
    return table.text("data", 0, name_, "NAME", "the data set");
  }
  // Those that were asked for: one, or all.
  std::vector<LedgerAccount> accounts() {
    RunLedger ledger(path_);
    if (name_.empty()) return ledger.accounts();
    return {ledger.account(name_)};
  }

  std::string path_, name_;
  PrivacyClaim limit_{0, 0};
};

// `ledger init` and `ledger add`.
class LedgerWithData : public LedgerCommand {
 public:
  OptionTable options() override {
    return with_limit(with_name({}).required())
        .text("unit", 0, unit_, "TEXT", "whom the limit protects, in your words: \"one patient\"")
        .required()
        .text("disjoint-from", 0, disjoint_from_, "NAMES",
              "data sets of the ledger that share nobody with this one, comma separated");
  }

 protected:
  LedgerData data() const {
    LedgerData data{name_, limit_, unit_, {}};
    for (std::size_t from = 0; from < disjoint_from_.size();) {
      const std::size_t comma = std::min(disjoint_from_.find(',', from), disjoint_from_.size());
      data.disjoint_from.push_back(disjoint_from_.substr(from, comma - from));
      from = comma + 1;
    }
    return data;
  }
  ExitCode say_added() const {
    fmt::print("{}: epsilon {:g} at delta {:g} for {}\n", name_, limit_.epsilon, limit_.delta,
               unit_);
    return exit_done;
  }

 private:
  std::string unit_, disjoint_from_;
};

class LedgerInit final : public LedgerWithData {
 public:
  std::string name() const override { return "ledger init"; }
  std::string summary() const override { return "Make a ledger with a data set and its limit"; }
  std::string example() const override {
    return "sotto ledger init runs.ledger --data visits --epsilon 3 --delta 1e-5 --unit \"one "
           "patient\"";
  }
  ExitCode run() override {
    RunLedger::init(path_, data());
    return say_added();
  }
};

class LedgerAdd final : public LedgerWithData {
 public:
  std::string name() const override { return "ledger add"; }
  std::string summary() const override { return "Add a data set to a ledger"; }
  std::string example() const override {
    return "sotto ledger add runs.ledger --data staff --epsilon 1 --delta 1e-6 --unit \"one "
           "person\" --disjoint-from visits";
  }
  ExitCode run() override {
    RunLedger(path_).add(data());
    return say_added();
  }
};

class LedgerLower final : public LedgerCommand {
 public:
  std::string name() const override { return "ledger lower"; }
  std::string summary() const override { return "Lower the limit of a data set, for good"; }
  std::string example() const override {
    return "sotto ledger lower runs.ledger --data visits --epsilon 2 --delta 1e-6";
  }
  OptionTable options() override { return with_limit(with_name({})); }
  ExitCode run() override {
    fmt::print("{}", totals_text({RunLedger(path_).lower(name_, limit_)}));
    return exit_done;
  }
};

class LedgerShow final : public LedgerCommand {
 public:
  std::string name() const override { return "ledger show"; }
  std::string summary() const override { return "Check a ledger and show its limits and totals"; }
  std::string example() const override { return "sotto ledger show runs.ledger --html spent.html"; }
  OptionTable options() override {
    return with_name({}).text("html", 0, html_, "FILE",
                              "write a page with the curve of spending and every run, too");
  }
  ExitCode run() override {
    const std::vector<LedgerAccount> found = accounts();
    if (!html_.empty()) {
      SOTTO_REQUIRE_AT(!same_file(html_, path_), "`html`", "{} is the ledger", html_);
      write_file_atomic(html_, render(ledger_page(found)));
    }
    fmt::print("{}", totals_text(found));
    return exit_done;
  }

 private:
  std::string html_;
};

class LedgerHistory final : public LedgerCommand {
 public:
  std::string name() const override { return "ledger history"; }
  std::string summary() const override { return "List every run of a ledger, one a line"; }
  std::string example() const override { return "sotto ledger history runs.ledger"; }
  OptionTable options() override { return with_name({}); }
  ExitCode run() override {
    fmt::print("{}", history_text(accounts()));
    return exit_done;
  }
};

class LedgerForecastCommand final : public LedgerCommand {
 public:
  std::string name() const override { return "ledger forecast"; }
  std::string summary() const override {
    return "Say what a run would leave of a limit, and how many such runs fit";
  }
  std::string example() const override {
    return "sotto ledger forecast runs.ledger --data visits --epsilon 0.5 --delta 1e-7";
  }
  OptionTable options() override {
    constexpr double kMost = std::numeric_limits<double>::infinity();
    return with_name({})
        .real("epsilon", 'e', limit_.epsilon, {0, kMost, true, true}, "epsilon of the run")
        .required()
        .real("delta", 0, limit_.delta, {0, 1, true, true}, "delta of the run")
        .required()
        .flag("json", json_, "print the forecast as JSON");
  }
  ExitCode run() override {
    const LedgerAccount account = RunLedger(path_).account(name_);
    const LedgerForecast forecast(account, {"", account.run_unit, limit_});
    fmt::print("{}", json_ ? to_text(forecast.to_json()) : forecast.to_text());
    return exit_done;
  }

 private:
  bool json_ = false;
};

class LedgerExport final : public LedgerCommand {
 public:
  std::string name() const override { return "ledger export"; }
  std::string summary() const override { return "Print a ledger as JSON or CSV, without its key"; }
  std::string example() const override { return "sotto ledger export runs.ledger --json"; }
  OptionTable options() override {
    return with_name({})
        .flag("json", json_, "data sets, runs and their releases as JSON")
        .flag("csv", csv_, "the runs as CSV");
  }
  ExitCode run() override {
    SOTTO_REQUIRE_AT(json_ != csv_, "`json`", "or `csv` must be given, one of the two");
    fmt::print("{}", json_ ? to_text(ledger_json(accounts())) : ledger_csv(accounts()));
    return exit_done;
  }

 private:
  bool json_ = false, csv_ = false;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_ledger_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<LedgerInit>());
  commands.push_back(std::make_unique<LedgerAdd>());
  commands.push_back(std::make_unique<LedgerLower>());
  commands.push_back(std::make_unique<LedgerShow>());
  commands.push_back(std::make_unique<LedgerHistory>());
  commands.push_back(std::make_unique<LedgerForecastCommand>());
  commands.push_back(std::make_unique<LedgerExport>());
  return commands;
}

}  // namespace sotto::cli
