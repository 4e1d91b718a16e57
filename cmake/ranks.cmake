# The ranks of a run (cli/ranks.h): those of MPI for the program, where MPI is found, and a single one
# for all else that is made of the commands. The library knows nothing of MPI.
#
# Not in sanitized builds: MPI keeps memory until the end that the sanitizer takes for lost.
set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is all that is used
if(SOTTO_MPI AND NOT SOTTO_SANITIZE)
  find_package(MPI QUIET COMPONENTS CXX)
endif()

add_library(one_rank OBJECT cluster/one_rank.cc)
target_link_libraries(one_rank PRIVATE sotto sotto_flags)
set_target_properties(one_rank PROPERTIES POSITION_INDEPENDENT_CODE ON)

if(MPI_CXX_FOUND)
  add_library(mpi_ranks OBJECT cluster/mpi_ranks.cc)
  target_link_libraries(mpi_ranks PRIVATE sotto sotto_flags MPI::MPI_CXX)
  target_sources(sotto_cli PRIVATE $<TARGET_OBJECTS:mpi_ranks>)
  target_link_libraries(sotto_cli PRIVATE MPI::MPI_CXX)
else()
  target_sources(sotto_cli PRIVATE $<TARGET_OBJECTS:one_rank>)
endif()
