#include "sotto/tensor/shard_answer.h"

#include <exception>
#include <new>
#include <utility>

#include "sotto/tensor/shards.h"

namespace sotto {
namespace {

constexpr std::string_view kAnswerMark = "sotto part";
constexpr std::int64_t kVersion = 2;

// These numbers are written into the bytes.
enum AnswerKind : std::int64_t {
  kErrorAnswer = 0,
  kSumAnswer = 1,
  kRowsAnswer = 2,
  kWordsAnswer = 3
};

}  // namespace

void write_mark(std::string_view mark, ByteWriter& bytes) {
  bytes.text(mark);
  bytes.integer(kVersion);
}

void require_mark(std::string_view mark, ByteReader& bytes) {
  require_whole(bytes.text() == mark && bytes.integer() == kVersion,
                "a shard speaks another version of sotto: start the same program everywhere");
}

void require_whole(bool holds, const char* message) {
  if (!holds) throw Error(message, "", Fault::system);
}

std::string ShardAnswer::bytes() const {
  ByteWriter bytes;
  write_mark(kAnswerMark, bytes);
  bytes.integer(part ? kSumAnswer : rows ? kRowsAnswer : words ? kWordsAnswer : kErrorAnswer);
  if (error) {
    bytes.integer(static_cast<std::int64_t>(error->fault()));
    bytes.text(error->place());
    bytes.text(error->message());
  } else {
    bytes.integer(question);
  }
  if (part) part->write(bytes);
  if (rows) rows->write(bytes);
  if (words) words->write(bytes);
  return std::move(bytes).sealed();
}

ShardAnswer ShardAnswer::read(const std::string& text) {
  ByteReader bytes(text, "the part of a shard");
  require_mark(kAnswerMark, bytes);
  ShardAnswer answer;
  const std::int64_t kind = bytes.integer();
  if (kind == kErrorAnswer) {
    const auto fault = static_cast<Fault>(bytes.integer());
    const std::string place = bytes.text();
    answer.error = Error(bytes.text(), place, fault);
  } else {
    answer.question = bytes.integer();
  }
  if (kind == kSumAnswer) answer.part = PartialSum::read(bytes);
  if (kind == kRowsAnswer) answer.rows = PartialRows::read(bytes);
  if (kind == kWordsAnswer) answer.words = PartialWords::read(bytes);
  bytes.require_end();
  return answer;
}

ShardAnswer ShardAnswer::of(const std::string& text, Index question) {
  ShardAnswer answer = read(text);
  if (answer.error) throw Error(*answer.error);
  require_whole(answer.question == question,
                "the parts of the shards are not those of this question");
  return answer;
}

void ShardAnswer::join(ShardAnswer&& other) {
  const bool same = question == other.question && part.has_value() == other.part.has_value() &&
                    rows.has_value() == other.rows.has_value() &&
                    words.has_value() == other.words.has_value();
  require_whole(same, "two shards answer different questions");
  if (part) part->join(std::move(*other.part));
  if (rows) rows->join(std::move(*other.rows));
  if (words) words->join(*other.words);
}

std::string joined_answers(const std::string& first, const std::string& second) {
  return answer_or_error([&] {
    ShardAnswer answer = ShardAnswer::read(first);
    if (answer.error) return first;
    ShardAnswer other = ShardAnswer::read(second);
    if (other.error) return second;
    answer.join(std::move(other));
    return answer.bytes();
  });
}

std::string answer_or_error(const std::function<std::string()>& work) {
  ShardAnswer answer;
  try {
    return work();
  } catch (const Error& error) {
    answer.error = error;
  } catch (const std::bad_alloc&) {
    answer.error = Error("a rank has not enough memory", "", Fault::system);
  } catch (const std::exception&) {  // its text may quote the data
    answer.error = Error("an internal fault of a rank", "", Fault::system);
  }
  return answer.bytes();
}

}  // namespace sotto
