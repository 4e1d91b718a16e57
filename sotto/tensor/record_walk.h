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
  std::function<void(const PointBlock& block, const RowMatrix& part)> add;
};
void walk_records(const RecordWalk& walk);

// Changes the scores X U of a block in place. Called from several threads at once.
using ScoreMap = std::function<void(const PointBlock& block, RowMatrix& scores)>;

// Y += X^T f(X U) over all records that `read` hands out.
void add_mapped_product(const ReadRecords& read, const RowMatrix& u, const ScoreMap& f,
                        RowMatrix& y);

// sum += 1^T f(X U), one number per column.
void add_mapped_scores(const ReadRecords& read, const RowMatrix& u, const ScoreMap& f,
                       Eigen::RowVectorXd& sum);

}  // namespace sotto
