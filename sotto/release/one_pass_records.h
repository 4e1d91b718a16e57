// The records of a private stream: read once, from the first to the last, and never quoted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/keyed_digest.h"
#include "sotto/base/sensitive.h"
#include "sotto/release/plan.h"
#include "sotto/tensor/point_source.h"
#include "sotto/tensor/record_sum.h"

namespace sotto {

class OnePassRecords {
 public:
  explicit OnePassRecords(std::unique_ptr<PointSource> source) : source_(std::move(source)) {}
  // An error about a record does not say what is wrong with it, nor what has been released before,
  // which the caller knows.
  Index read(Index max_rows, PointBlock& block);
  // The same for a sum over the next records (tensor/record_sum.h).
  RecordTotal sum_next(const RecordSum& sum, Index most);
  // Skips records that an earlier part of the run has used, or all that there are.
  void skip(Index count);
  // Before the first record: see PointSource.
  void read_in_order(std::vector<Index> order) { source_->read_in_order(std::move(order)); }
  void keep_digest(const SecretKey& key) { source_->keep_digest(key); }
  const PointSource& source() const { return *source_; }  // const: what is public about it

 private:
  std::unique_ptr<PointSource> source_;
};

// Declares the dimension, the number of records and the kind of file public; nothing else is read.
// Refuses a source whose dimension would have to be read off the records.
PublicStream public_stream(const SensitivePoints& data);

}  // namespace sotto
