// Records of a private stream: read once, from the first to the last, and never quoted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

// Throws in place of an error that a reader raised: those of the records' own text quote it, and
// what they say must not leave a private run. Errors about options, about a file that cannot be
// opened and about the machine stay. `released` says what has left by then.
[[noreturn]] void refuse_records(
    const Error& error, const std::string& name,
    const std::string& released = ", and nothing was released by this run");

class OnePassRecords {
 public:
  explicit OnePassRecords(std::unique_ptr<PointSource> source) : source_(std::move(source)) {}
  // What is wrong with a record that cannot be read is not said; nor what has been released before,
  // which the caller knows.
  Index read(Index max_rows, PointBlock& block);
  // Passes over records that an earlier part of the run has used, as many as there are.
  void skip(Index count);
  // Before the first record: see PointSource.
  void read_in_order(std::vector<Index> order) { source_->read_in_order(std::move(order)); }
  void keep_digest(const SecretKey& key) { source_->keep_digest(key); }
  const PointSource& source() const { return *source_; }  // const: what is public about it

 private:
  std::unique_ptr<PointSource> source_;
};

// What is public about a stream.
struct PublicStream {
  Index dim = 0;
  std::optional<Index> records;
  std::string name;           // for messages
  bool random_access = true;  // whether records can be read in any order
};

// Declares dimension, number of records and kind of file public; nothing else is looked at. Refuses
// a source whose dimension would have to be read off the records.
PublicStream public_stream(const Sensitive<std::unique_ptr<PointSource>>& data);

}  // namespace sotto
