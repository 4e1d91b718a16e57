// A network that is slower than this machine's memory: for bench/ranks.py.
//
//   LD_PRELOAD=slow_network.so SLOW_LATENCY=SECONDS SLOW_BYTES=PER_SECOND mpirun -n 4 sotto ...
//
// Every message between ranks is held back for the latency and the time of its bytes. Its length,
// which travels before it in a message of 8 bytes, is not.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double number(const char* name) {
  const char* text = getenv(name);
  return text != NULL ? atof(text) : 0;
}

int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const double speed = number("SLOW_BYTES");
  const double seconds = number("SLOW_LATENCY") + (speed > 0 ? count / speed : 0);
  if (count > 8) {
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
  }
  return PMPI_Isend(bytes, count, type, to, tag, ranks, request);
}
