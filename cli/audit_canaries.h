// An audit by one run with planted canaries, which take the place of the first records of the file.
#pragma once

#include "cli/audit_runs.h"
#include "sotto/audit/canaries.h"

namespace sotto::cli {

// Plants so many canaries and runs the command: often with known noise, to learn what each canary
// does, and once as it is. For stream (CSV), topics (text) and complete (CSV, unit rating).
audit::CanaryRuns canary_runs(const AuditRuns& runs, std::size_t canaries);

}  // namespace sotto::cli
