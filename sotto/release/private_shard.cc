#include "sotto/release/private_shard.h"

#include <memory>
#include <utility>

#include "sotto/base/unquoted.h"
#include "sotto/moments/document_questions.h"
#include "sotto/moments/record_questions.h"
#include "sotto/release/access.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {
namespace {

// `which`: the number of a shard, or the records that it has for its own.
template <class Which>
std::string unquoted_answer(PointSource& source, const std::string& question, const Which& which) {
  return answer_or_error([&] {
    try {
      return answer_record_question(source, question, which);
    } catch (const Error& error) {
      refuse_records(error, source.name(), "");
    }
  });
}

}  // namespace

AnswerQuestion private_record_answers(SensitivePoints points) {
  std::shared_ptr<PointSource> source = ReleaseAccess::take(std::move(points));
  return [source](const std::string& question, Index shard) {
    return unquoted_answer(*source, question, shard);
  };
}

std::function<std::string(std::string_view question)> private_document_answers(
    Sensitive<Corpus> held, Index first, Index end, std::function<void()> before_piece) {
  const auto documents = std::make_shared<HeldDocuments>(
      std::make_shared<const Corpus>(ReleaseAccess::take(std::move(held))), first, end);
  return [documents, before = std::move(before_piece)](std::string_view question) {
    return answer_or_error([&] { return answer_document_question(*documents, question, before); });
  };
}

std::string private_record_answer(SensitivePoints held, const OwnRecords& own,
                                  const std::string& question) {
  const Points source = ReleaseAccess::take(std::move(held));
  return unquoted_answer(*source, question, own);
}

}  // namespace sotto
