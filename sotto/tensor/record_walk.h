// Sums over a stream of records, on all threads.
//
// Every thread reads the next block, works on it while it is in its own cache, and adds its result.
// One thread at a time reads or adds, in the order of the records; all threads work at once in
// between. So one thread reads while others multiply, no thread is reserved for reading, and a sum
// does not depend on the number of threads.
//
// Cost: that of the work. Memory: one block and one part of the sum per thread.
// Privacy: none here. The sums are exact; the caller who releases them adds the noise.
#pragma once

#include <functional>

#include "sotto/tensor/point_source.h"

namespace sotto {

// Reads the next records; returns their number, 0 when there are no more.
using ReadRecords = std::function<Index(PointBlock& block)>;

// An error in any of the three ends the walk: the other threads finish their blocks, and the error
// is thrown to the caller. The sum is then meaningless.
struct RecordWalk {
  ReadRecords read;
  std::function<void(const PointBlock& block, RowMatrix& part)> work;
  std::function<void(const PointBlock& block, RowMatrix& part)> add;  // may take `part` over
};
void walk_records(const RecordWalk& walk);

}  // namespace sotto
