#include "sotto/release/private_shard.h"

#include <memory>
#include <utility>

#include "sotto/base/unquoted.h"
#include "sotto/moments/document_questions.h"
#include "sotto/moments/record_questions.h"
#include "sotto/release/access.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {

AnswerQuestion private_record_answers(SensitivePoints points) {
  std::shared_ptr<PointSource> source = ReleaseAccess::take(std::move(points));
  return [source](const std::string& question, Index shard) {
    return answer_or_error([&] {
      try {
        return answer_record_question(*source, question, shard);
      } catch (const Error& error) {
        refuse_records(error, source->name(), "");
      }
    });
  };
}

std::function<std::string(const std::string& question)> private_document_answers(
    Sensitive<Corpus> held, Index first, Index end, std::function<void()> before_piece) {
  const auto documents = std::make_shared<HeldDocuments>(
      std::make_shared<const Corpus>(ReleaseAccess::take(std::move(held))), first, end);
  return [documents, before = std::move(before_piece)](const std::string& question) {
    return answer_or_error([&] { return answer_document_question(*documents, question, before); });
  };
}

}  // namespace sotto
