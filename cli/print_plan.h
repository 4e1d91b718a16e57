// --plan: the same for all commands.
#pragma once

#include "cli/command.h"
#include "sotto/release/plan.h"
#include "sotto/release/privacy_options.h"

namespace sotto::cli {

// The plan on standard output, as text or as JSON, and what the run would leave of the limit where
// the options name a ledger. Returns exit_done.
ExitCode print_plan(const Plan& plan, const TargetOptions& options, const std::string& unit,
                    bool json);

}  // namespace sotto::cli
