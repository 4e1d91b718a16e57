#include "sotto/io/replay_oracle.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// The head of a stored answer, before its numbers.
struct AnswerHead {
  char kind[8] = {};  // 'c' contract, 'v' values
  std::uint64_t question = 0;
  std::int64_t rows = 0, columns = 0;
  std::int64_t answers = 0, pass = 0, record = 0;  // the stream after it
  double bound = 0;
  KeyedDigest::Value digest{};  // of the records until then
};
static_assert(sizeof(AnswerHead) == 96);

std::uint64_t checksum(const Matrix& block) {
  return ::crc32_z(0, reinterpret_cast<const Bytef*>(block.data()),
                   static_cast<std::size_t>(block.size()) * sizeof(double));
}

AnswerHead head_of(const std::string& record, const std::string& path) {
  AnswerHead head;
  SOTTO_REQUIRE_AT(record.size() >= sizeof head, path, "has a record that is too short");
  std::memcpy(&head, record.data(), sizeof head);
  const std::size_t numbers = (record.size() - sizeof head) / sizeof(double);
  SOTTO_REQUIRE_AT(head.rows >= 0 && head.columns >= 0 &&
                       static_cast<std::size_t>(head.rows * head.columns) == numbers,
                   path, "has a record of the wrong length");
  return head;
}

}  // namespace

ReplayOracle::ReplayOracle(StreamedOracle& inner, CheckpointFile& file)
    : inner_(inner), file_(file), records_(file.take_records()) {
  inner_.keep_digest(file.digest_key());
  if (records_.empty()) return;
  const AnswerHead last = head_of(records_.back(), file.path());
  inner_.resume_at({last.answers, last.pass, last.record, last.bound, last.digest});
}

Matrix ReplayOracle::replay(char kind, const Matrix& block) {
  const std::string& record = records_[next_++];
  const AnswerHead head = head_of(record, file_.path());
  SOTTO_REQUIRE_AT(head.kind[0] == kind && head.question == checksum(block) &&
                       head.columns == (kind == 'c' ? block.cols() : 1),
                   file_.path(),
                   "answer {} was given to another question: the checkpoint comes from another "
                   "build or machine; remove it and start anew",
                   next_);
  inner_.replayed(block, kind == 'v' ? Asked::values : Asked::contract);
  Matrix answer(head.rows, head.columns);
  std::memcpy(answer.data(), record.data() + sizeof head,
              static_cast<std::size_t>(answer.size()) * sizeof(double));
  return answer;
}

template <class Ask>
Matrix ReplayOracle::answer(char kind, const Matrix& block, Ask ask) {
  if (next_ < records_.size()) return replay(kind, block);
  Matrix given = ask();
  const StreamPosition at = inner_.position();
  AnswerHead head{{kind},  checksum(block), given.rows(), given.cols(), at.answers,
                  at.pass, at.record,       at.bound,     at.digest};
  std::string record(reinterpret_cast<const char*>(&head), sizeof head);
  record.append(reinterpret_cast<const char*>(given.data()),
                static_cast<std::size_t>(given.size()) * sizeof(double));
  file_.append(record);
  return given;
}

Matrix ReplayOracle::contract(const Matrix& block) {
  return answer('c', block, [&] { return inner_.contract(block); });
}

Vector ReplayOracle::values(const Matrix& block) {
  return answer('v', block, [&]() -> Matrix { return inner_.values(block); });
}

}  // namespace sotto
