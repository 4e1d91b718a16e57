// Alters a message between ranks: for tests/e2e/test_ranks.py.
//
//   LD_PRELOAD=alter_part.so ALTER_RANK=2 mpirun -n 3 sotto ...
//
// One byte of the first longer message that this rank sends is another one when it arrives.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int altered;

int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const char* which = getenv("ALTER_RANK");
  const char* own = getenv("OMPI_COMM_WORLD_RANK");
  const int is_part = count > 64 && which != NULL && own != NULL && strcmp(which, own) == 0;
  if (!is_part || altered) return PMPI_Isend(bytes, count, type, to, tag, ranks, request);
  altered = 1;
  char* copy = malloc((size_t)count);  // is not freed: the message may leave later
  memcpy(copy, bytes, (size_t)count);
  copy[count / 2] ^= 1;
  return PMPI_Isend(copy, count, type, to, tag, ranks, request);
}
