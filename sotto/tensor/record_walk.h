// Sums over a stream of records, on all threads.
//
// Every thread reads the next block, works on it while it is in its own cache, and adds what came
// of it. Reading and adding are done by one thread at a time, in the order of the records; the work
// in between by all at once. So one thread reads while others multiply, none is set aside for
// reading, and a sum does not depend on the number of threads.
//
// Cost: that of the work. Memory: one block and one part of the sum a thread.
// Privacy: none here. The sums are exact; whoever releases them adds the noise.
#pragma once

#include <functional>

#include "sotto/tensor/point_source.h"

namespace sotto {

// The next records; returns how many, 0 when there are no more.
using ReadRecords = std::function<Index(PointBlock& block)>;

// An error in any of the three ends the walk: the other threads finish what they hold, and it is
// thrown to the caller. What has been added by then is of no use.
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

// Sum += 1^T f(X U), one number a column.
void add_mapped_scores(const ReadRecords& read, const RowMatrix& u, const ScoreMap& f,
                       Eigen::RowVectorXd& sum);

}  // namespace sotto
