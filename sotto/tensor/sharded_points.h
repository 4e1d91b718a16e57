// Records that are summed by shards: a source whose sums are questions to all of them.
//
// The records are those of one list of files, in its order, and every shard can read any of them. A
// sum is cut into pieces (record_sum.h), and every shard gets a run of neighbouring pieces, as many
// as the others. The result has the bits of one process over the same list, whatever the number of
// shards. Records that are not summed are read by the coordinator.
//
// Cost of a sum: the question to every shard, and a part back: at most 10 nodes of the tree, each
// as large as the sum, whatever the number of records.
//
// Engines such as Spark cut records into partitions at places of their own. The holder of a
// partition sums the pieces that begin in it, for which it also holds the first records of the
// partitions behind. The coordinator holds none (RemotePoints).
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sotto/tensor/record_sum.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/shards.h"

namespace sotto {

// What every question begins with.
struct ShardQuestion {
  Index number = 0;  // of the question in its run
  Index shards = 1;
  Index dim = 0, all_records = 0;  // of the source, which must be the same for every shard
  Index first = 0, records = 0;    // which are to be summed

  void write(ByteWriter& bytes) const;
  static ShardQuestion read(ByteReader& bytes);
};

// The pieces of a shard: neighbours, cut at places where the tree has large nodes.
std::pair<Index, Index> pieces_of_shard(Index pieces, Index shard, Index shards);

// Sums the records of one shard, and writes the answer.
std::string answer_of_shard(PointSource& whole, const ShardQuestion& asked, const RecordSum& sum,
                            Index shard, const std::function<void()>& before_block = {});

// The records with these numbers, from `first` on, that a partition has for its own.
struct OwnRecords {
  Index first = 0, end = 0;
};

// The same for the holder of a partition: it sums the pieces that begin in its own records. `held`
// counts its records as all are counted, and must be readable from own.first to the end of the last
// of these pieces.
std::string answer_of_holder(PointSource& held, const OwnRecords& own, const ShardQuestion& asked,
                             const RecordSum& sum);

class ShardedPoints final : public PointSource {
 public:
  // Refuses, naming it, a source whose records cannot be read from any place. The shards must
  // outlive this object.
  ShardedPoints(Points whole, Shards& shards);

  Index dim() const override { return whole_->dim(); }
  std::string name() const override { return whole_->name(); }
  std::vector<std::string> columns() const override { return whole_->columns(); }
  std::optional<Index> records() const override { return whole_->records(); }
  bool dim_is_declared() const override { return whole_->dim_is_declared(); }
  bool can_rewind() const override { return whole_->can_rewind(); }
  // Shards know no order but that of the files; this one moves by itself.
  bool has_random_access() const override { return false; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override { return whole_->read(max_rows, block); }
  bool is_checked() const override { return true; }
  void restart() override { whole_->seek(0); }
  RecordTotal take_sum(const RecordSum& sum, Index most) override;

 private:
  void pass_summed(Index records);

  Points whole_;
  Shards& shards_;
  Index questions_ = 0;
};

// Records of which the coordinator has none: sums are all that it can learn of them.
class RemotePoints final : public PointSource {
 public:
  // Hands the question to the holders of all partitions and returns their answers, joined in any
  // order by joined_answers(). A holder needs the first `reach` records behind its own.
  using Ask = std::function<std::string(const std::string& question, Index reach)>;
  // `again`: whether the records can be summed a second time.
  RemotePoints(Ask ask, std::string name, Index dim, Index records, bool again)
      : ask_(std::move(ask)), name_(std::move(name)), dim_(dim), records_(records), again_(again) {}

  Index dim() const override { return dim_; }
  std::string name() const override { return name_; }
  std::optional<Index> records() const override { return records_; }
  bool can_rewind() const override { return again_; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  RecordTotal take_sum(const RecordSum& sum, Index most) override;

 private:
  Ask ask_;
  std::string name_;
  Index dim_, records_;
  bool again_;
  Index questions_ = 0;
};

}  // namespace sotto
