// sotto mixture: Gaussians behind points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/not_private.h"
#include "cli/print_plan.h"
#include "sotto/base/error.h"
#include "sotto/report/describe.h"
#include "sotto/report/write_result.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/mixture.h"

namespace sotto::cli {
namespace {

class Mixture final : public Command {
 public:
  std::string name() const override { return "mixture"; }
  std::string summary() const override { return "Find the Gaussians that points come from"; }
  std::vector<Positional> positionals() override { return {files_of_points(paths_)}; }
  OptionTable options() override {
    return OptionTable()
        .append(task_.table())
        .flag("plan", plan_,
              "say what a private run would do; no record is read, only the header of the file")
        .integer("records", 0, records_, {1, std::numeric_limits<std::int64_t>::max()},
                 "number of records for `plan`, where the file does not state it")
        .append(common_.table());
  }
  std::vector<std::string> usual_options() const override {
    return {"components", "covariance", "epsilon", "delta", "max-norm", "plan",
            "records",    "format",     "seed",    "out",   "json"};
  }
  std::string example() const override {
    return "sotto mixture points.npy -k 3 --epsilon 1 --delta 1e-7 --max-norm 4 --out found";
  }

  TargetOptions* privacy() override { return &task_.privacy; }
  ExitCode run() override {
    common_.apply(ranks);
    task_.check();
    const bool is_private = task_.privacy.asked();
    SOTTO_REQUIRE_AT(!plan_ || is_private, "`plan`", "needs `epsilon` and `delta`");
    for (const std::string& path : paths_) {
      if (is_private) require_public(task_.companions(), path);
    }
    SOTTO_REQUIRE_AT(plan_ || !records_, "`records`", "only works with `plan`");
    if (plan_) return print_plan(plan(task_, shape()), task_.privacy, kUnit, common_.json);
    std::optional<OutputFolder> folder;
    std::vector<std::string> inputs = paths_;
    inputs.insert(inputs.end(), {task_.infer, task_.truth});
    common_.open_folder(folder, inputs, task_.privacy);
    SOTTO_REQUIRE_AT(task_.infer.empty() || folder, "`infer`", "needs `out` to write to");
    if (!is_private) say_not_private("the points are treated as public", common_.json);
    task_.privacy.reserve(name(), kUnit, paths_, paths_of(task_.companions()));
    PointFileOptions file = task_.file;
    file.kept_in_memory = true;
    Input<Points> points = points_input(paths_, file, is_private, ranks);
    const MixtureResult result = with_progress([&](const ProgressCallback& progress) {
      return sotto::run(std::move(points), task_, progress);
    });
    write(result, folder);
    task_.privacy.commit();
    if (!common_.json) print(result);
    if (!common_.json && ranks != nullptr) fmt::print("{}\n", ranks->traffic());
    return result.converged() ? exit_done : exit_not_converged;
  }

  bool runs_on_ranks() const override { return true; }
  AnswerQuestion answers() override {
    common_.apply(ranks);
    return points_answers(paths_, task_.file, task_.privacy.asked());
  }

 private:
  PublicPointShape shape() const {
    PublicPointShape stated = points_shape(paths_, task_.file);
    SOTTO_REQUIRE_AT(!records_ || stated.records.value_or(*records_) == *records_, "`records`",
                     "{} has {} records", stated.name, *stated.records);
    if (records_) stated.records = records_;
    return stated;
  }

  void write(const MixtureResult& result, std::optional<OutputFolder>& folder) {
    ResultDocument document = start_document("Gaussians behind points", {"plan", "records"});
    describe(result, document);
    if (folder) {
      save(result, *folder);
      write_result(*folder, document);
    }
    if (common_.json) fmt::print("{}", result_text(document));
  }

  static void print(const MixtureResult& result) {
    print(result.mixture);
    if (result.largest_mean_error) {
      fmt::print("largest distance to a true mean: {:.4g}\n", *result.largest_mean_error);
    }
    if (result.open) {
      fmt::print("log likelihood of a point {:.6g}, BIC {:.8g}\n",
                 result.open->final_log_likelihood, result.open->bic);
      fmt::print("{} points in {:.3g} s\n", result.records, result.open->seconds);
    }
    if (!result.released) return;
    if (result.drowned() && result.released->known) {
      fmt::print(
          "the shares of {} of {} components stand out of their noise: trust these means only with "
          "more records, a larger --epsilon, a smaller --max-norm, or fewer components\n",
          *result.released->known, result.mixture.components());
    } else if (result.drowned()) {
      const Index spanned = result.mixture.components() - 1;
      fmt::print(
          "the released second moment shows {} directions above its noise, {} means span {}: "
          "trust these means only with more records, a larger --epsilon, a smaller --max-norm, "
          "or fewer components\n",
          *result.rank, spanned + 1, spanned);
    }
    if (result.released->max_norm) {
      fmt::print("records longer than {:.4g}, a bound chosen privately, were clipped to it\n",
                 *result.released->max_norm);
    }
    fmt::print("{}\n", with_dashes(result.released->certificate.to_text()));
    if (!result.exposes.empty()) fmt::print("{}\n", result.exposes);
  }

  // Of a coordinate of a component with a covariance of its own: root mean square.
  static double typical_deviation(const GaussianMixture& mixture, Index component) {
    const auto own = mixture.covariances.col(component);
    return std::sqrt(mixture.kind == CovarianceKind::full
                         ? own.reshaped(mixture.dim(), mixture.dim()).diagonal().mean()
                         : own.mean());
  }

  static void print(const GaussianMixture& mixture) {
    constexpr Index kShown = 6;
    fmt::print("{:>5} {:>9} {:>10}   {}mean\n", "", "weight", "|mean|",
               mixture.kind == CovarianceKind::common ? "" : "deviation   ");
    for (Index i = 0; i < mixture.components(); ++i) {
      std::string line;
      if (mixture.kind != CovarianceKind::common) {
        line = fmt::format(" {:>9.4g}  ", typical_deviation(mixture, i));
      }
      for (Index j = 0; j < std::min(kShown, mixture.dim()); ++j) {
        line += fmt::format(" {:>9.4g}", mixture.means(j, i));
      }
      fmt::print("{:>5} {:>9.4f} {:>10.4g}  {}{}\n", i + 1, mixture.weights[i],
                 mixture.means.col(i).norm(), line, mixture.dim() > kShown ? " .." : "");
    }
    if (mixture.kind == CovarianceKind::common) {
      fmt::print("standard deviation of a coordinate about its mean: {:.6g}\n",
                 std::sqrt(mixture.variance));
    }
  }

  static constexpr const char* kUnit = "record";
  std::vector<std::string> paths_;
  MixtureTask task_;
  bool plan_ = false;
  std::optional<std::int64_t> records_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_mixture() { return std::make_unique<Mixture>(); }

}  // namespace sotto::cli
