// sotto complete: the missing values of a tensor of ratings.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/complete/fit.h"
#include "sotto/complete/scores.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_ratings.h"
#include "sotto/report/result.h"

namespace sotto::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Complete final : public Command {
 public:
  std::string name() const override { return "complete"; }
  std::string summary() const override {
    return "Learn the missing values of a tensor from the observed ones";
  }
  std::vector<Positional> positionals() override {
    return {{"RATINGS", "observed entries: .tns, CSV, TSV or MovieLens, plain or gzip", &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(completion_.table())
        .append(file_.table())
        .text("test", 0, test_path_, "FILE", "entries to be predicted: rmse, mae and ndcg10")
        .choice("perturb", perturb_, {"none"}, "none: the ratings are treated as public")
        .flag("check", check_, "report on the files and learn nothing")
        .append(common_.table());
  }

  ExitCode run() override {
    common_.apply();
    completion_.check();
    std::optional<OutputFolder> folder;
    if (!common_.out.empty()) folder.emplace(common_.out);
    const auto start = std::chrono::steady_clock::now();
    const PublicDeclaration declared("no privacy was asked for: the ratings are treated as public");
    const Ratings ratings = Sensitive<Ratings>(read_ratings(path_, file_)).open(declared);
    std::optional<Ratings> test;
    if (!test_path_.empty()) {
      test = Sensitive<Ratings>(read_more_ratings(test_path_, file_, ratings)).open(declared);
    }
    reading_ = seconds_since(start);
    if (check_) return report(folder, ratings, test);
    refuse_duplicates(ratings);
    SOTTO_REQUIRE_AT(ratings.entries.size() >= 2, path_, "has one entry: nothing to learn from");
    return learn(folder, ratings, test);
  }

 private:
  ExitCode learn(std::optional<OutputFolder>& folder, const Ratings& ratings,
                 const std::optional<Ratings>& test) {
    const auto range = cut();
    InteractiveProgress progress;
    const auto start = std::chrono::steady_clock::now();
    const CompletionFit fit =
        fit_completion(ratings.entries, completion_, range, progress.callback());
    SOTTO_REQUIRE(fit.status != FitStatus::stopped, "stopped; nothing was written");
    std::optional<CompletionScores> scores;
    if (test) scores = score_test(fit, *test, range);
    const double computing = seconds_since(start);

    Json result = make_result(name(), options(), describe(ratings));
    fill(result, fit, scores);
    result["seconds"] = computing;
    result["diagnostics"]["seconds_reading"] = reading_;
    if (folder) {
      write_arrays(*folder, fit.model, ratings, result);
      folder->write_text("result.json", to_text(result));
      folder->commit();
    }
    if (common_.json) {
      fmt::print("{}", to_text(result));
    } else {
      print_summary(fit, scores, computing);
    }
    return fit.status == FitStatus::time_limit ? exit_not_converged : exit_done;
  }

  std::optional<std::pair<double, double>> cut() const {
    const auto range = file_.value_range();
    if (!range) return std::nullopt;
    return std::pair(range->low, range->high);
  }

  static CompletionScores score_test(const CompletionFit& fit, const Ratings& test,
                                     const std::optional<std::pair<double, double>>& range) {
    const auto& values = test.entries.value;
    const double low = range ? range->first : *std::min_element(values.begin(), values.end());
    return score(test.entries, fit.model.predict(test.entries), low);
  }

  static Json describe(const Ratings& ratings) {
    Json input;
    input["entries"] = ratings.entries.size();
    input["dims"] = ratings.entries.dims;
    for (const RatingMode& mode : ratings.modes) input["modes"].push_back(mode.name);
    return input;
  }

  static void fill(Json& result, const CompletionFit& fit,
                   const std::optional<CompletionScores>& scores) {
    if (scores) {
      result["rmse"] = scores->rmse;
      result["mae"] = scores->mae;
      if (scores->ndcg10) result["ndcg10"] = *scores->ndcg10;
      result["test"] = {{"entries", scores->entries}, {"unknown_rows", scores->unknown}};
    }
    Json& diagnostics = result["diagnostics"];
    diagnostics["status"] = status_text(fit.status);
    diagnostics["method"] = fit.method;
    diagnostics["epochs"] = fit.history.size();
    diagnostics["best_epoch"] = fit.best_epoch;
    Json& history = diagnostics["history"];
    for (const EpochRecord& epoch : fit.history) {
      history["train_rmse"].push_back(epoch.train_rmse);
      if (epoch.validation_rmse) history["validation_rmse"].push_back(*epoch.validation_rmse);
      history["seconds"].push_back(epoch.seconds);
    }
  }

  static void write_arrays(OutputFolder& folder, const CompletionModel& model,
                           const Ratings& ratings, Json& result) {
    Json& files = result["files"];
    const auto listed = [&](const std::string& file) {
      files.push_back(file);
      return file;
    };
    for (Index m = 0; m < model.order(); ++m) {
      const auto n = static_cast<std::size_t>(m);
      folder.write_npy(listed(fmt::format("factors_{}.npy", m)), model.factor(m));
      folder.write_npy(listed(fmt::format("biases_{}.npy", m)), model.biases.rows[n]);
      std::string labels;
      for (Index i = 0; i < ratings.entries.dims[n]; ++i)
        labels += ratings.modes[n].label(i) + "\n";
      folder.write_text(listed(fmt::format("labels_{}.txt", m)), labels);
    }
    if (model.kind == LowRank::tucker) {
      folder.write_npy(listed("core.npy"), model.core_tensor());
    }
    result["mean"] = model.biases.mean;
  }

  static void print_summary(const CompletionFit& fit, const std::optional<CompletionScores>& scores,
                            double seconds) {
    fmt::print("{}: {} after {} epochs, {:.3g} s; training error {:.4f}\n", fit.method,
               status_text(fit.status), fit.history.size(), seconds, fit.history.back().train_rmse);
    if (scores) {
      fmt::print("test: rmse {:.4f}, mae {:.4f}", scores->rmse, scores->mae);
      if (scores->ndcg10) fmt::print(", ndcg10 {:.4f}", *scores->ndcg10);
      fmt::print(" over {} entries", scores->entries);
      if (scores->unknown > 0) {
        fmt::print(", {} of them with rows that were not learnt", scores->unknown);
      }
      fmt::print("\n");
    }
    fmt::print("not private: the ratings were treated as public\n");
  }

  // ---- --check ----

  ExitCode report(std::optional<OutputFolder>& folder, const Ratings& ratings,
                  const std::optional<Ratings>& test) {
    Json result = make_result(name(), options(), describe(ratings));
    Json& found = result["check"];
    found["duplicates"] = find_duplicates(ratings.entries).count;
    for (Index m = 0; m < ratings.entries.order(); ++m) {
      const RowEntries groups(ratings.entries, m);
      Index empty = 0;
      for (Index i = 0; i < groups.rows(); ++i) empty += groups.count(i) == 0 ? 1 : 0;
      found["empty_slices"].push_back(empty);
    }
    found["contributions"] = contributions(ratings.entries);
    const auto& values = ratings.entries.value;
    found["values"] = {{"lowest", *std::min_element(values.begin(), values.end())},
                       {"highest", *std::max_element(values.begin(), values.end())}};
    if (test) {
      Index unknown = 0;
      for (Index e = 0; e < test->entries.size(); ++e) {
        unknown += test->entries.has_unknown_row(e) ? 1 : 0;
      }
      found["test"] = {{"entries", test->entries.size()},
                       {"duplicates", find_duplicates(test->entries).count},
                       {"overlap", count_overlap(ratings.entries, test->entries)},
                       {"unknown_rows", unknown}};
    }
    result["seconds"] = reading_;
    if (folder) {
      folder->write_text("result.json", to_text(result));
      folder->commit();
    }
    fmt::print("{}", to_text(common_.json ? result : found));
    return exit_done;
  }

  // How many entries the rows of the first mode have.
  static Json contributions(const ObservedEntries& entries) {
    const RowEntries users(entries, 0);
    std::vector<Index> counts;
    for (Index u = 0; u < users.rows(); ++u) counts.push_back(users.count(u));
    std::sort(counts.begin(), counts.end());
    const auto at = [&](double share) {
      return counts[static_cast<std::size_t>(share * static_cast<double>(counts.size() - 1))];
    };
    return {{"users", users.rows()}, {"least", at(0)},          {"median", at(0.5)},
            {"ninety", at(0.9)},     {"ninety_nine", at(0.99)}, {"most", at(1)}};
  }

  std::string path_;
  std::string test_path_;
  std::string perturb_ = "none";
  bool check_ = false;
  double reading_ = 0;
  CompletionOptions completion_;
  RatingFileOptions file_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_complete() { return std::make_unique<Complete>(); }

}  // namespace sotto::cli
