#include "cli/print_plan.h"

#include <fmt/format.h>

#include "sotto/ledger/forecast.h"

namespace sotto::cli {

ExitCode print_plan(const Plan& plan, const TargetOptions& options, const std::string& unit,
                    bool json) {
  Json numbers = json ? plan.to_json() : Json();
  std::string text = json ? "" : with_dashes(plan.to_text()) + "\n";
  if (!options.ledger.empty()) {
    const LedgerAccount account = RunLedger(options.ledger).account(options.ledger_data);
    const PrivacyTarget target = options.target();
    const LedgerForecast forecast(account, {"", unit, {target.epsilon, target.delta}});
    if (json) numbers["ledger"] = forecast.to_json();
    text += forecast.to_text();
  }
  fmt::print("{}", json ? to_text(numbers) : text);
  return exit_done;
}

}  // namespace sotto::cli
