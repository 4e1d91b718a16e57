// Questions about records as bytes: the kinds of sums that a shard can be asked for, and the answer
// of a shard. Bytes of another version are refused.
#pragma once

#include <memory>
#include <string>

#include "sotto/base/bytes.h"
#include "sotto/tensor/record_sum.h"

namespace sotto {

struct OwnRecords;

// These numbers are written into the bytes, so they are never reused.
enum class SumKind : std::int64_t {
  power_products = 1,
  power_values = 2,
  norm_counts = 3,
  moments = 4,
  cubes = 5,
  expectation = 6,
  components = 7,
  grid = 8,
  spread = 9
};
void write_kind(SumKind kind, ByteWriter& bytes);

// Reads what RecordSum::write has written.
std::unique_ptr<RecordSum> read_record_sum(ByteReader& bytes);

// A matrix with its shape.
void write_matrix(const RowMatrix& matrix, ByteWriter& bytes);
RowMatrix read_matrix(ByteReader& bytes);
// A matrix of one column.
Vector read_vector(ByteReader& bytes);

// The answer of shard number `shard` to a question of ShardedPoints, from its own view of the whole
// source. Throws an Error where it cannot answer.
std::string answer_record_question(PointSource& whole, const std::string& question, Index shard);
// The answer of the holder of a partition, as answer_of_holder() of sharded_points.h.
std::string answer_record_question(PointSource& held, const std::string& question,
                                   const OwnRecords& own);

}  // namespace sotto
