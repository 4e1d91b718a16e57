// sotto decompose: the components of a tensor.
#include <fmt/format.h>

#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/not_private.h"
#include "cli/people.h"
#include "cli/print_found.h"
#include "cli/print_plan.h"
#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/release/plan.h"
#include "sotto/report/describe.h"
#include "sotto/report/write_result.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/decompose.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/tensor_shards.h"

namespace sotto::cli {
namespace {

class Decompose final : public Command {
 public:
  std::string name() const override { return "decompose"; }
  std::string summary() const override { return "Find the components of a tensor"; }
  std::vector<Positional> positionals() override {
    return {{"TENSOR", "tensor to decompose: .npy or .tns, plain or gzip", &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .choice("format", format_,
                "format of the tensor; auto: recognised by content, with `epsilon` by the name of "
                "the file")
        .append(task_.table())
        .append(people_.table())
        .flag("plan", plan_,
              "say what a private run would do; the tensor is not read, only its shape")
        .integer("dim", 'd', dim_, {1, 1000000000},
                 "dimension for `plan`, if no file is given whose header has it")
        .append(common_.table());
  }
  std::vector<std::string> usual_options() const override {
    return {"components", "method", "non-negative", "missing", "labels",
            "epsilon",    "delta",  "unit",         "people",  "entry-change",
            "plan",       "starts", "seed",         "out",     "json"};
  }
  std::string example() const override {
    return "sotto decompose visits.tns --unit person -k 5 --epsilon 1 --delta 1e-6 --out found";
  }

  TargetOptions* privacy() override { return &task_.privacy; }
  ExitCode run() override {
    common_.apply(ranks);
    if (people_.chosen()) return run_people();
    people_.check_unused();
    task_.check();
    if (ranks != nullptr && !plan_) require_sharable(task_);
    SOTTO_REQUIRE_AT(plan_ || !dim_, "`dim`", "only works with `plan`");
    if (plan_) return run_plan();
    const bool is_private = task_.privacy.asked();
    if (is_private) require_public(task_.companions(), path_);
    std::optional<OutputFolder> folder;
    std::vector<std::string> inputs{path_, task_.whiten_with, task_.mask};
    for (const Companion& companion : task_.companions()) inputs.push_back(companion.path);
    common_.open_folder(folder, inputs, task_.privacy);
    if (!is_private) say_not_private("the tensor is treated as public", common_.json);
    task_.privacy.reserve(name(), kUnit, path_, paths_of(task_.companions()));
    if (ranks != nullptr) return run_on_ranks(folder);
    const Stopwatch reading;
    Input<AnyTensor> tensor = while_reading([&] {
      return tensor_input(path_, format_, is_private,
                          {task_.leaves_out(), task_.sum_repeated, task_.index_base});
    });
    const double seconds_reading = reading.seconds();
    const DecomposeResult result = at_place(path_, [&] {
      return with_progress([&](const ProgressCallback& progress) {
        return sotto::run(std::move(tensor), task_, progress);
      });
    });
    write(result, seconds_reading, folder);
    task_.privacy.commit();
    if (!common_.json) print_found(result);
    return result.converged() ? exit_done : exit_not_converged;
  }

  bool runs_on_ranks() const override { return true; }
  AnswerQuestion answers() override {
    common_.apply(ranks);
    return people_.chosen() ? people_.answers(path_, format_, task_.index_base)
                            : tensor_file_answers(path_);
  }

 private:
  ExitCode run_on_ranks(std::optional<OutputFolder>& folder) {
    SOTTO_REQUIRE_AT(format_ != TensorFormat::tns, "`format`",
                     "tns does not work on several ranks, which read .npy by ranges");
    const DecomposeResult result = at_place(path_, [&] {
      return with_progress([&](const ProgressCallback& progress) {
        return run_on_shards(path_, task_, *ranks, progress);
      });
    });
    write(result, 0, folder);
    if (!common_.json) {
      print_found(result);
      fmt::print("{}\n", ranks->traffic());
    }
    return result.converged() ? exit_done : exit_not_converged;
  }

  ExitCode run_plan() const {
    const auto order = static_cast<std::size_t>(task_.order.value_or(3));
    return at_place(dim_ ? "`dim`" : path_, [&] {
      const PublicDims dims =
          dim_ ? PublicDims(std::vector<Index>(order, *dim_)) : tensor_dims(path_);
      return print_plan(plan(task_, dims), task_.privacy, kUnit, common_.json);
    });
  }

  ExitCode run_people() {
    PeopleFront::check_others(task_, dim_.has_value());
    return people_.run({path_, format_, task_.index_base, task_.power.components, task_.power.seed,
                        task_.labels, task_.csv, task_.non_negative, task_.privacy, plan_, common_,
                        ranks, [&](const std::string& title, const auto& unused) {
                          return start_document(title, unused);
                        }});
  }

  void write(const DecomposeResult& result, double seconds_reading,
             std::optional<OutputFolder>& folder) {
    std::vector<std::string> unused = PeopleFront::options();
    unused.insert(unused.end(), {"plan", "dim"});
    if (result.certificate) unused.emplace_back("symmetry-tolerance");
    if (result.cp || result.tucker) unused.emplace_back("polish");
    if (result.tucker) {
      unused.emplace_back("components");
      unused.emplace_back("starts");
    }
    if (result.trials.empty()) unused.emplace_back("components-up-to");
    ResultDocument document = start_document("Components of a tensor", unused);
    describe(result, document);
    if (!result.certificate) document.seconds("reading", seconds_reading);
    if (folder) {
      save(result, *folder);
      write_result(*folder, document);
    }
    if (common_.json) fmt::print("{}", result_text(document));
  }

  static constexpr const char* kUnit = "entry";
  std::string path_;
  TensorFormat format_ = TensorFormat::automatic;
  DecomposeTask task_;
  PeopleFront people_;
  bool plan_ = false;
  std::optional<std::int64_t> dim_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_decompose() { return std::make_unique<Decompose>(); }

}  // namespace sotto::cli
