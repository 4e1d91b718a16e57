#include "sotto/tasks/shard_input.h"

#include <memory>
#include <utility>

#include "sotto/moments/record_questions.h"
#include "sotto/release/private_shard.h"
#include "sotto/tasks/input.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {
namespace {

AnswerQuestion opened_answers(Input<Points> points) {
  if (!points.is_public()) return private_record_answers(std::move(points).sensitive());
  const std::shared_ptr<PointSource> source = std::move(points).open();
  return [source](const std::string& question, Index shard) {
    return answer_or_error([&] { return answer_record_question(*source, question, shard); });
  };
}

}  // namespace

AnswerQuestion points_answers(const std::vector<std::string>& paths, const PointFileOptions& file,
                              bool is_private) {
  try {
    return opened_answers(points_input(paths, file, is_private));
  } catch (const Error& error) {
    return [answer = answer_or_error([&]() -> std::string { throw error; })](
               const std::string&, Index) { return answer; };
  }
}

}  // namespace sotto
