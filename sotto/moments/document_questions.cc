#include "sotto/moments/document_questions.h"

#include <utility>

#include "sotto/base/error.h"
#include "sotto/moments/document_sums.h"
#include "sotto/moments/expectation_sums.h"
#include "sotto/tensor/shard_answer.h"

namespace sotto {
namespace {

constexpr std::string_view kDocumentMark = "sotto documents";

// These numbers are written into the bytes.
enum AskedFor : std::int64_t { kAskedSum = 1, kAskedRows = 2, kAskedWords = 3 };

// What every question begins with.
ByteWriter begun_question(Index number, AskedFor what, Index documents) {
  ByteWriter bytes;
  write_mark(kDocumentMark, bytes);
  for (const std::int64_t value : {std::int64_t{number}, std::int64_t{what}, documents}) {
    bytes.integer(value);
  }
  return bytes;
}

}  // namespace

RowMatrix AskedDocuments::sum(const DocumentSum& sum) {
  const Index number = questions_++;
  ByteWriter question = begun_question(number, kAskedSum, documents_);
  selection().write(question);
  sum.write(question);
  const auto answer = ShardAnswer::of(ask_(std::move(question).sealed()), number);
  require_whole(answer.part && answer.part->records == documents_,
                "the parts of the shards are not those of this question");
  return answer.part->total(document_pieces(documents_));
}

RowMatrix AskedDocuments::rows(const DocumentRows& rows) {
  const Index number = questions_++;
  ByteWriter question = begun_question(number, kAskedRows, documents_);
  selection().write(question);
  rows.write(question);
  const auto answer = ShardAnswer::of(ask_(std::move(question).sealed()), number);
  require_whole(answer.rows.has_value(), "the parts of the shards are not those of this question");
  return answer.rows->all(document_pieces(documents_));
}

PartialWords AskedDocuments::count_words(Index own_words) {
  const Index number = questions_++;
  ByteWriter question = begun_question(number, kAskedWords, documents_);
  question.integer(own_words);
  auto answer = ShardAnswer::of(ask_(std::move(question).sealed()), number);
  require_whole(answer.words.has_value(), "the parts of the shards are not those of this question");
  return std::move(*answer.words);
}

std::string answer_document_question(HeldDocuments& held, std::string_view question,
                                     const std::function<void()>& before_piece) {
  ByteReader bytes(question, "a question to a shard");
  require_mark(kDocumentMark, bytes);
  ShardAnswer answer;
  answer.question = bytes.integer();
  const std::int64_t what = bytes.integer();
  const Index documents = bytes.integer();
  if (what == kAskedWords) {
    const Index own_words = bytes.integer();
    bytes.require_end();
    answer.words = count_words(held.corpus(), held.end() - held.first(), own_words);
    return answer.bytes();
  }
  held.select(WordSelection::read(bytes), documents);
  if (what == kAskedSum) {
    const std::unique_ptr<DocumentSum> sum = read_document_sum(bytes);
    bytes.require_end();
    answer.part.emplace(sum->rows(), sum->cols(), document_pieces(documents));
    held.add(*sum, *answer.part, before_piece);
  } else {
    require_whole(what == kAskedRows, "a question asks for what a shard does not have");
    const std::unique_ptr<DocumentRows> rows = read_document_rows(bytes);
    bytes.require_end();
    answer.rows.emplace(rows->cols());
    held.add(*rows, *answer.rows);
  }
  return answer.bytes();
}

}  // namespace sotto
