// sotto stream: the components of the third moment of points that pass by once.
#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/not_private.h"
#include "cli/print_plan.h"
#include "sotto/base/error.h"
#include "sotto/io/checkpoint.h"
#include "sotto/report/describe.h"
#include "sotto/report/write_result.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/stream.h"

namespace sotto::cli {
namespace {

class Stream final : public Command {
 public:
  std::string name() const override { return "stream"; }
  std::string summary() const override {
    return "Find the components of the moment of points, in memory that does not grow with their "
           "number";
  }
  std::vector<Positional> positionals() override { return {files_of_points(paths_)}; }
  OptionTable options() override {
    return OptionTable()
        .append(task_.table())
        .flag("plan", plan_,
              "say what a private run would do; no record is read, and with `dim` and `records` "
              "(or `batch`) no file is opened")
        .integer("records", 0, records_, {1, std::numeric_limits<std::int64_t>::max()},
                 "number of records for `plan`")
        .real("weight", 0, task_.weight, {0, 1, true},
              "for `plan`: a weight, as a share of max-norm^p; the plan says at which epsilon a "
              "component of this weight is recovered (none given: 1/2k)")
        .append(common_.table());
  }
  std::vector<std::string> usual_options() const override {
    return {"components", "epsilon",    "delta",  "max-norm", "plan", "records",
            "format",     "checkpoint", "passes", "seed",     "out",  "json"};
  }
  std::string example() const override {
    return "sotto stream points.npy -k 3 --epsilon 1 --delta 1e-7 --max-norm 1 --out found";
  }

  TargetOptions* privacy() override { return &task_.privacy; }
  ExitCode run() override {
    common_.apply(ranks);
    task_.check();
    require_for_ranks();
    SOTTO_REQUIRE_AT(plan_ || (!records_ && !task_.weight), records_ ? "`records`" : "`weight`",
                     "only works with `plan`");
    if (plan_) {
      const PublicStream shape = stream_shape(paths_, task_.file.dim, records_, task_.stream.batch);
      return print_plan(plan(task_, shape), task_.privacy, kUnit, common_.json);
    }
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, paths_, task_.privacy);
    const bool is_private = task_.privacy.asked();
    if (!is_private) say_not_private("the points are treated as public", common_.json);
    task_.privacy.reserve(name(), kUnit, paths_);
    Input<Points> points = points_input(paths_, task_.file, is_private, ranks);
    const StreamResult result = with_progress([&](const ProgressCallback& progress) {
      return sotto::run(std::move(points), task_, progress);
    });
    write(result, folder);
    task_.privacy.commit();
    return exit_done;
  }

  bool runs_on_ranks() const override { return true; }
  AnswerQuestion answers() override {
    common_.apply(ranks);
    return points_answers(paths_, task_.file, task_.privacy.asked());
  }

 private:
  // Ranks know no order but that of the files.
  void require_for_ranks() const {
    SOTTO_REQUIRE_AT(ranks == nullptr || !task_.shuffle, "`shuffle`",
                     "does not work on several ranks");
  }

  // The checkpoint is removed only when the result made from its answers has arrived.
  void write(const StreamResult& result, std::optional<OutputFolder>& folder) {
    ResultDocument document =
        start_document("Components of a stream of records", {"plan", "records", "weight"});
    describe(result, document);
    if (folder) {
      save(result, *folder);
      write_result(*folder, document);
    }
    if (!has_arrived(result, document)) {
      const std::string kept =
          result.checkpoint
              ? fmt::format("; the checkpoint {} is kept, run again", result.checkpoint->path())
              : "";
      throw Error("cannot write to standard output" + kept, "", Fault::system);
    }
    if (result.checkpoint) result.checkpoint->remove();
  }

  bool has_arrived(const StreamResult& result, const ResultDocument& document) const {
    try {
      if (common_.json) {
        fmt::print("{}", result_text(document));
      } else {
        print(result);
        if (ranks != nullptr) fmt::print("{}\n", ranks->traffic());
      }
      return std::fflush(stdout) == 0;
    } catch (const std::system_error&) {  // from fmt::print
      return false;
    }
  }

  static void print(const StreamResult& result) {
    const Decomposition& found = result.found;
    fmt::print("{:>5}  {:>14}  {:>10}\n", "", "weight", "agreement");
    for (Index j = 0; j < found.weights.size(); ++j) {
      fmt::print("{:>5}  {:>14.8g}  {:>9.0f}%\n", j + 1, found.weights[j],
                 100 * found.agreement[j]);
    }
    const std::string time = result.certificate ? "" : fmt::format(" in {:.3g} s", result.seconds);
    fmt::print("{} points{}, {} for each of {} answers\n", result.points_read, time, result.batch,
               result.answers);
    if (result.records_for_bound) {
      fmt::print(
          "records longer than {:.4g}, a bound chosen privately from the first {}, were "
          "clipped to it\n",
          result.max_norm, *result.records_for_bound);
    }
    if (result.certificate) fmt::print("{}\n", result.certificate->to_text());
  }

  static constexpr const char* kUnit = "record";
  std::vector<std::string> paths_;
  StreamTask task_;
  bool plan_ = false;
  std::optional<std::int64_t> records_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_stream() { return std::make_unique<Stream>(); }

}  // namespace sotto::cli
