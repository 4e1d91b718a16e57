// For programs without MPI: there is only one rank.
#include "cli/ranks.h"
#include "cluster/started_by_mpirun.h"
#include "sotto/base/error.h"

namespace sotto::cli {

std::unique_ptr<Ranks> join_ranks() {
  SOTTO_REQUIRE(!started_by_mpirun(),
                "this program was built without MPI and cannot be one of several ranks: run it "
                "without mpirun, or build it where Open MPI is installed");
  return nullptr;
}

}  // namespace sotto::cli
