// A tensor of people in a file, of which every shard holds some people: a private run of unit
// person, whose releases are sums over people (moments/people_questions.h).
#pragma once

#include <functional>
#include <string>

#include "sotto/io/read_tensor.h"
#include "sotto/tasks/people.h"
#include "sotto/tensor/shards.h"

namespace sotto {

// Where the people are, and how they are read.
struct PeopleFile {
  std::string path;
  TensorFormat format = TensorFormat::automatic;
  IndexBase index_base = IndexBase::automatic;
  PeopleValues values = PeopleValues::counts;

  ReadTensorOptions reading() const;
};

// What a shard answers: it reads its people when it is first asked, and keeps them. `before` is
// called now and then while it reads, and may throw to end the work.
AnswerQuestion people_file_answers(const PeopleFile& file, std::function<void()> before = {});

// The task over this file, with the result of one process. Needs epsilon.
PeopleResult run_people(const PeopleFile& file, const PeopleTask& task, Shards& shards,
                        const ProgressCallback& progress = {});

}  // namespace sotto
