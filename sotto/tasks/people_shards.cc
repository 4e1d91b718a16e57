#include "sotto/tasks/people_shards.h"

#include <memory>
#include <optional>
#include <utility>

#include "sotto/io/public_format.h"
#include "sotto/io/read_progress.h"
#include "sotto/models/people_factors.h"
#include "sotto/tensor/shard_answer.h"

namespace sotto {
namespace {

// The people of one shard, from the file.
class PeopleShard {
 public:
  PeopleShard(PeopleFile file, std::function<void()> before)
      : file_(std::move(file)), before_(std::move(before)) {}

  std::string answer(const std::string& text, Index shard) {
    return answer_or_error([&] {
      const auto question = PeopleQuestion::read(text);
      if (!held_ || shards_ != question.shards) read(question.shards, shard);
      if (const auto* people = std::get_if<Sensitive<People>>(&*held_)) {
        return people_answer(*people, question, shard);
      }
      return slices_answer(std::get<Sensitive<Slices>>(*held_), question, shard);
    });
  }

 private:
  void read(Index shards, Index shard) {
    ReadTensorOptions options = file_.reading();
    options.people = {shard, shards};
    const ReadProgress watch([&](const ProgressReport&) {
      if (before_) before_();
      return true;
    });
    Sensitive<AnyTensor> tensor = read_tensor(file_.path, options);
    if (file_.values == PeopleValues::real) {
      held_.emplace(held_slices(std::move(tensor)));
    } else {
      held_.emplace(held_people(std::move(tensor)));
    }
    shards_ = shards;
  }

  PeopleFile file_;
  std::function<void()> before_;
  std::optional<HeldElsewhere> held_;
  Index shards_ = 0;
};

}  // namespace

ReadTensorOptions PeopleFile::reading() const {
  return {.format = format, .index_base = index_base, .records_are_private = true};
}

AnswerQuestion people_file_answers(const PeopleFile& file, std::function<void()> before) {
  const auto shard = std::make_shared<PeopleShard>(file, std::move(before));
  return [shard](const std::string& question, Index number) {
    return shard->answer(question, number);
  };
}

PeopleResult run_people(const PeopleFile& file, const PeopleTask& task, Shards& shards,
                        const ProgressCallback& progress) {
  const PublicPeopleShape shape = people_file_shape(file.path);
  const AnswerQuestion own = people_file_answers(file, [&shards] { shards.require_all(); });
  const auto ask = [&shards, own](const PeopleQuestion& question) {
    return shards.ask(question.bytes(), own);
  };
  const std::vector<std::string> facts{
      format_fact(name_of(tensor_format(file.path, file.reading())))};
  if (file.values == PeopleValues::real) {
    return run_people(
        Sensitive<Slices>(std::make_unique<AskedSlices>(ask, shape.features(), shards.count())),
        shape, facts, task, progress);
  }
  return run_people(
      Sensitive<People>(std::make_unique<AskedPeople>(ask, shape.features(), shards.count())),
      shape, facts, task, progress);
}

}  // namespace sotto
