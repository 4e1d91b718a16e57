#include "sotto/tasks/tensor_shards.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/progress.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/read_slices.h"
#include "sotto/tasks/decompose_fit.h"
#include "sotto/tasks/decompose_plan.h"
#include "sotto/tasks/decompose_solve.h"
#include "sotto/tensor/prepare.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/sharded_tensor.h"

namespace sotto {
namespace {

// The slices of one shard, from the file.
class SliceShard {
 public:
  SliceShard(std::string path, std::function<void()> before)
      : path_(std::move(path)), before_(std::move(before)) {}

  std::string answer(const std::string& text, Index shard) {
    return answer_or_error([&] {
      const auto question = TensorQuestion::read(text);
      const auto chunks = chunks_of_shard(question, shard);
      const auto order = static_cast<int>(question.order);
      if (!held_ || held_->dim != question.dim || held_->order != order ||
          std::pair(held_->first_chunk, held_->last_chunk) != chunks) {
        held_.reset();
        HeldSlices slices(question.dim, order, chunks);
        read_slices(path_, slices, before_);
        held_.emplace(std::move(slices));
      }
      return answer_tensor_question(*held_, question, shard);
    });
  }

 private:
  std::string path_;
  std::function<void()> before_;
  std::optional<HeldSlices> held_;
};

void require_cube(const std::vector<Index>& dims, const std::string& path) {
  const bool cube = std::all_of(dims.begin(), dims.end(), [&](Index d) { return d == dims[0]; });
  SOTTO_REQUIRE_AT(cube && (dims.size() == 3 || dims.size() == 4), path,
                   "on several ranks a tensor has order 3 or 4 and equal dimensions, this one is "
                   "{}",
                   shape_text(dims));
}

void require_symmetry(const SymmetryFound& found, double tolerance, const std::string& path) {
  SOTTO_REQUIRE_AT(found.worst <= tolerance * found.largest, path,
                   "the tensor is not symmetric: entries with the indices ({}), in any order, "
                   "differ by {:.3g} (largest entry {:.3g}); use `symmetry-tolerance` to accept "
                   "more, or run it in one process with `method` cp",
                   join_text(found.sorted, ","), found.worst, found.largest);
}

}  // namespace

AnswerQuestion tensor_file_answers(const std::string& path, std::function<void()> before) {
  const auto shard = std::make_shared<SliceShard>(path, std::move(before));
  return [shard](const std::string& question, Index number) {
    return shard->answer(question, number);
  };
}

void require_sharable(const DecomposeTask& task) {
  const std::pair<const char*, bool> alone[] = {
      {"`epsilon`", task.privacy.asked()},
      {"`whiten`", whitens(task)},
      {"`symmetrize`", task.symmetry.symmetrize},
      {"`method`", task.method == TensorMethod::alternating || asks_for_a_fit(task)}};
  for (const auto& [option, is_given] : alone) {
    SOTTO_REQUIRE_AT(!is_given, option,
                     "does not work on several ranks, which take public symmetric tensors and the "
                     "methods power, simultaneous and eigenpairs: run it without mpirun");
  }
}

DecomposeResult run_on_shards(const std::string& path, const DecomposeTask& task, Shards& shards,
                              const ProgressCallback& progress) {
  task.check();
  require_sharable(task);
  const Stopwatch computing;
  DecomposeResult result;
  result.dims = sliceable_dims(path);
  require_order(task, result.dims.size());
  require_cube(result.dims, path);
  result.labels = read_row_labels(label_files(task.labels), result.dims);
  result.csv = task.csv;
  result.power = task.power;
  result.method = task.method == TensorMethod::automatic ? TensorMethod::power : task.method;
  const AnswerQuestion own = tensor_file_answers(path, [&shards] { shards.require_all(); });
  const auto tensor = std::make_shared<AskedTensor>(
      [&shards, own](const std::string& question) { return shards.ask(question, own); },
      result.dims[0], static_cast<int>(result.dims.size()), shards.count());
  require_symmetry(tensor->symmetry(), task.symmetry.symmetry_tolerance, path);
  result.seconds_preparing = computing.seconds();
  result = run_symmetric(SymmetricInput(tensor), task, std::move(result), progress);
  result.seconds = computing.seconds();
  throw_if_stopped(result.found.status == Status::stopped);
  return result;
}

}  // namespace sotto
