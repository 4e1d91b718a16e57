// The input of a task as a shard holds it: answers to the questions of the run's coordinator.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/tensor/point_source.h"
#include "sotto/tensor/sharded_points.h"
#include "sotto/tensor/shards.h"

namespace sotto {

// From the same files as points_input() of tasks/input.h. Files that cannot be opened are the
// answer to every question.
AnswerQuestion points_answers(const std::vector<std::string>& paths, const PointFileOptions& file,
                              bool is_private);

// The answer of the holder of a partition to one question. What is wrong is the answer.
std::string points_answer(Input<Points> held, const OwnRecords& own, const std::string& question);

}  // namespace sotto
