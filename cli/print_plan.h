// --plan: the same for all commands.
#pragma once

#include "cli/command.h"
#include "sotto/release/plan.h"

namespace sotto::cli {

// The plan on standard output, as text or as JSON. Returns exit_done.
ExitCode print_plan(const Plan& plan, bool json);

}  // namespace sotto::cli
