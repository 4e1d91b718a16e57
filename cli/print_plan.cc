#include "cli/print_plan.h"

#include <fmt/format.h>

namespace sotto::cli {

ExitCode print_plan(const Plan& plan, bool json) {
  fmt::print("{}", json ? to_text(plan.to_json()) : with_dashes(plan.to_text()) + "\n");
  return exit_done;
}

}  // namespace sotto::cli
