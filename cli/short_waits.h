// Threads that wait for others leave the processor after some microseconds.
#pragma once

namespace sotto::cli {

// By default GCC's threads wait busily for milliseconds: where other programs share the processors,
// a run on two threads then takes longer than on one. Its runtime reads how long from the
// environment, before main() begins, so the program starts once more with GOMP_SPINCOUNT set.
// Returns where the environment already says how to wait, or where that is not possible.
void start_with_short_waits(char** argv);

}  // namespace sotto::cli
