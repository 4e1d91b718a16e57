// A public symmetric tensor in a file that is shared out among shards by its slices.
#pragma once

#include <functional>
#include <string>

#include "sotto/tasks/decompose.h"
#include "sotto/tensor/shards.h"

namespace sotto {

// What a shard answers: it reads its slices when it is first asked for them, and keeps them.
// `before` is called now and then, and may throw to end the work.
AnswerQuestion tensor_file_answers(const std::string& path, std::function<void()> before = {});

// Refuses what needs all entries at one place: private tensors, whitening, methods for tensors
// without symmetry.
void require_sharable(const DecomposeTask& task);

// The task over the tensor in this file, with the result of one process. Refuses a tensor that is
// not symmetric.
DecomposeResult run_on_shards(const std::string& path, const DecomposeTask& task, Shards& shards,
                              const ProgressCallback& progress = {});

}  // namespace sotto
