#include "sotto/tensor/sharded_points.h"

#include <algorithm>
#include <bit>

#include "sotto/base/error.h"
#include "sotto/tensor/shard_answer.h"

namespace sotto {
namespace {

constexpr std::string_view kQuestionMark = "sotto question";

// Of the places where a sum may be cut a shard gets so many at least, where it has as many pieces.
// The fewer there are, the larger are the nodes of the tree, and the shorter its part. The longest
// share is at most so many times that of equal ones, but where there are few pieces.
constexpr Index kFewestCutsOfShard = 4;
constexpr double kLongestShare = 1.1;

// These numbers are public, also where the records are not.
void require_same_source(const PointSource& whole, const ShardQuestion& asked, Index shard) {
  if (whole.dim() == asked.dim && whole.records() == asked.all_records) return;
  throw Error(
      fmt::format("has {} records of dimension {} for rank {}, and {} of dimension {} for rank 0: "
                  "give all ranks the same files",
                  whole.records().value_or(-1), whole.dim(), shard, asked.all_records, asked.dim),
      whole.name(), Fault::unopened);
}

std::string answer_of_pieces(PointSource& source, const ShardQuestion& asked, const RecordSum& sum,
                             std::pair<Index, Index> pieces,
                             const std::function<void()>& before_block = {}) {
  const Piece piece = piece_of(source, sum);
  const Index first = pieces.first * piece.rows();
  const Index last = std::min(pieces.second * piece.rows(), asked.records);
  ShardAnswer answer;
  answer.question = asked.number;
  answer.part.emplace(sum.rows(), sum.cols(), piece.count(asked.records));
  if (first < last) {
    source.seek(asked.first + first);
    sum_pieces(source, sum, pieces.first, last - first, *answer.part, before_block);
  }
  return answer.bytes();
}

std::string question_bytes(const ShardQuestion& asked, const RecordSum& sum) {
  ByteWriter question;
  asked.write(question);
  sum.write(question);
  return std::move(question).sealed();
}

// The sum of all parts, which must be whole.
RecordTotal total_of(const std::string& answers, const ShardQuestion& asked, const Piece& piece) {
  const auto answer = ShardAnswer::of(answers, asked.number);
  require_whole(answer.part && answer.part->records == asked.records,
                "the parts of the shards are not those of this question");
  return {asked.records, answer.part->total(piece.count(asked.records))};
}

}  // namespace

void ShardQuestion::write(ByteWriter& bytes) const {
  write_mark(kQuestionMark, bytes);
  for (const Index value : {number, shards, dim, all_records, first, records}) bytes.integer(value);
}

ShardQuestion ShardQuestion::read(ByteReader& bytes) {
  require_mark(kQuestionMark, bytes);
  ShardQuestion asked;
  for (Index* value : {&asked.number, &asked.shards, &asked.dim, &asked.all_records, &asked.first,
                       &asked.records}) {
    *value = bytes.integer();
  }
  return asked;
}

std::pair<Index, Index> pieces_of_shard(Index pieces, Index shard, Index shards) {
  Index unit = static_cast<Index>(std::bit_floor(
      static_cast<std::uint64_t>(std::max<Index>(1, pieces / (shards * kFewestCutsOfShard)))));
  const auto cut = [&](Index s) {
    const Index cuts = (pieces + unit - 1) / unit;
    return std::min(pieces, cuts * s / shards * unit);
  };
  const auto longest = [&] {
    Index most = 0;
    for (Index s = 0; s < shards; ++s) most = std::max(most, cut(s + 1) - cut(s));
    return static_cast<double>(most);
  };
  const double fair = static_cast<double>(pieces) / static_cast<double>(shards);
  while (unit > 1 && longest() > kLongestShare * fair) unit /= 2;
  return {cut(shard), cut(shard + 1)};
}

std::string answer_of_shard(PointSource& whole, const ShardQuestion& asked, const RecordSum& sum,
                            Index shard, const std::function<void()>& before_block) {
  require_same_source(whole, asked, shard);
  const Piece piece = piece_of(whole, sum);
  const auto range = pieces_of_shard(piece.count(asked.records), shard, asked.shards);
  return answer_of_pieces(whole, asked, sum, range, before_block);
}

std::string answer_of_holder(PointSource& held, const OwnRecords& own, const ShardQuestion& asked,
                             const RecordSum& sum) {
  require_whole(held.dim() == asked.dim && own.end <= asked.all_records,
                "a partition is not one of the records that are asked for");
  const Piece piece = piece_of(held, sum);
  // The number of pieces that begin before this record.
  const auto begun = [&](Index record) {
    return piece.count(std::clamp<Index>(record - asked.first, 0, asked.records));
  };
  return answer_of_pieces(held, asked, sum, {begun(own.first), begun(own.end)});
}

ShardedPoints::ShardedPoints(Points whole, Shards& shards)
    : whole_(std::move(whole)), shards_(shards) {
  SOTTO_REQUIRE_AT(whole_->has_random_access() && !whole_->is_sparse(), whole_->name(),
                   "cannot be shared out among ranks: give plain .npy files or files of raw "
                   "numbers, whose records can be read from any place on");
}

// A digest is of the records in their order: the coordinator reads them all.
void ShardedPoints::pass_summed(Index records) {
  if (digest() == decltype(digest()){}) return pass_over(records);
  whole_->seek(position());
  PointBlock block;
  while (records > 0) {
    shards_.require_all();
    records -= read(std::min(records, block_rows(*whole_)), block);
  }
}

RecordTotal ShardedPoints::take_sum(const RecordSum& sum, Index most) {
  const Index first = position(), all = *whole_->records();
  const ShardQuestion asked{questions_++, shards_.count(), dim(),
                            all,          first,           std::min(most, all - first)};
  const auto own = [&](const std::string&, Index shard) {
    return answer_or_error([&] {
      return answer_of_shard(*whole_, asked, sum, shard, [&] { shards_.require_all(); });
    });
  };
  RecordTotal total =
      total_of(shards_.ask(question_bytes(asked, sum), own), asked, piece_of(*whole_, sum));
  pass_summed(asked.records);
  whole_->seek(position());
  return total;
}

Index RemotePoints::fill(Index, PointBlock&) {
  throw Error(
      "has records that stay with their workers, and this fit has to read some of them itself",
      name_);
}

RecordTotal RemotePoints::take_sum(const RecordSum& sum, Index most) {
  SOTTO_REQUIRE(digest() == decltype(digest()){}, "shards keep no digest of the records");
  const Index first = position();
  const ShardQuestion asked{questions_++, 1,     dim_,
                            records_,     first, std::min(most, records_ - first)};
  const Piece piece = piece_of(*this, sum);
  RecordTotal total = total_of(ask_(question_bytes(asked, sum), piece.rows() - 1), asked, piece);
  pass_over(asked.records);
  return total;
}

}  // namespace sotto
