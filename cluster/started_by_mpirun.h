// Whether this process is one of several that mpirun, or srun, has started together.
#pragma once

#include <cstdlib>
#include <string_view>

namespace sotto::cli {

inline bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// Launchers tell by variables: Open MPI the number of ranks, others that there are some. Nothing is
// set for a program that is started alone, which then has nothing to do with MPI.
inline bool started_by_mpirun() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr) size = std::getenv("PMI_SIZE");
  if (size != nullptr) return std::string_view(size) != "1";
  return is_set("PMIX_RANK") || is_set("PMI_RANK");
}

}  // namespace sotto::cli
