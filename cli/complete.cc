// sotto complete: the missing values of a tensor of ratings.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/complete_users.h"
#include "cli/interrupt.h"
#include "cli/private_run.h"
#include "cli/write_result.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/als.h"
#include "sotto/complete/private/published.h"
#include "sotto/complete/private/sgd.h"
#include "sotto/complete/private/sums.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_ratings.h"
#include "sotto/release/rating_options.h"
#include "sotto/report/result.h"

namespace sotto::cli {
namespace {

class Complete final : public Command {
 public:
  std::string name() const override { return "complete"; }
  std::string summary() const override {
    return "Learn the missing values of a tensor from the observed ones";
  }
  std::vector<Positional> positionals() override {
    return {{"RATINGS",
             "observed entries: .tns, CSV, TSV or MovieLens, plain or gzip; with --recommend the "
             "folder of a result",
             &files_.ratings}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(completion_.table())
        .append(file_.table())
        .text("test", 0, files_.test, "FILE", "entries to be predicted: rmse, mae and ndcg10")
        .append(privacy_.table())
        .text("given", 0, files_.given, "FILE",
              "unit user, with --test: public ratings of the test users, who should not be in "
              "RATINGS (that is not looked at)")
        .text("recommend", 0, files_.own, "FILE",
              "the ratings of one user: print what a result of --unit user predicts for the items "
              "not rated; nothing leaves")
        .integer("top", 0, files_.top, {1, 1000000}, "how many to recommend")
        .flag("check", check_, "report on the files and learn nothing")
        .append(common_.table());
  }

  ExitCode run() override {
    common_.apply();
    const bool recommends = !files_.own.empty();
    SOTTO_REQUIRE_AT(!recommends || !privacy_.asked(), "--recommend",
                     "takes the folder of a result; learn it first, with --out");
    completion_.check();
    privacy_.check();
    SOTTO_REQUIRE_AT(files_.given.empty() || privacy_.for_users(), "--given",
                     "goes with --unit user");
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, inputs());
    if (recommends) return recommend_to_user(user_run(), folder);
    if (privacy_.asked()) return run_private(folder);
    say_not_private("the ratings are treated as public", common_.json);
    const auto start = std::chrono::steady_clock::now();
    const PublicDeclaration declared("no privacy was asked for: the ratings are treated as public");
    const Ratings ratings = Sensitive<Ratings>(read_ratings(files_.ratings, file_)).open(declared);
    std::optional<Ratings> test;
    if (!files_.test.empty()) {
      test = Sensitive<Ratings>(read_more_ratings(files_.test, file_, ratings)).open(declared);
    }
    reading_ = seconds_since(start);
    if (check_) return report(folder, ratings, test);
    refuse_duplicates(ratings);
    SOTTO_REQUIRE_AT(ratings.entries.size() >= 2, files_.ratings,
                     "has one entry: nothing to learn from");
    return learn(folder, ratings, test);
  }

 private:
  Companions companions() const {
    return {{"--test", files_.test},
            {"--given", files_.given},
            {"--items", privacy_.items},
            {"--times", privacy_.times}};
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> paths{files_.ratings, files_.own};
    for (const Companion& companion : companions()) paths.push_back(companion.path);
    return paths;
  }

  ExitCode learn(std::optional<OutputFolder>& folder, const Ratings& ratings,
                 const std::optional<Ratings>& test) {
    const auto range = cut();
    InteractiveProgress progress;
    const auto start = std::chrono::steady_clock::now();
    const CompletionFit fit =
        fit_completion(ratings.entries, completion_, range, progress.callback());
    throw_if_stopped(fit.status == FitStatus::stopped);
    std::optional<CompletionScores> scores;
    if (test) scores = score_test(fit, *test, range);
    const double computing = seconds_since(start);

    Json result = start_result(describe(ratings));
    fill(result, scores);
    fill(result, fit);
    result["seconds"] = computing;
    result["diagnostics"]["seconds_reading"] = reading_;
    if (folder) {
      write_arrays(*folder, fit.model, ratings, result);
      write_result(*folder, result);
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

  static void fill(Json& result, const std::optional<CompletionScores>& scores) {
    if (!scores) return;
    result["rmse"] = scores->rmse;
    result["mae"] = scores->mae;
    if (scores->ndcg10) result["ndcg10"] = *scores->ndcg10;
    result["test"] = {{"entries", scores->entries}, {"unknown_rows", scores->unknown}};
  }

  static void fill(Json& result, const CompletionFit& fit) {
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
    for (Index m = 0; m < model.order(); ++m) {
      const auto n = static_cast<std::size_t>(m);
      folder.write_npy(fmt::format("factors_{}.npy", m), model.factor(m));
      folder.write_npy(fmt::format("biases_{}.npy", m), model.biases.rows[n]);
      std::string labels;
      for (Index i = 0; i < ratings.entries.dims[n]; ++i)
        labels += ratings.modes[n].label(i) + "\n";
      folder.write_text(fmt::format("labels_{}.txt", m), labels);
    }
    if (model.kind == LowRank::tucker) {
      folder.write_npy("core.npy", model.core_tensor());
    }
    result["mean"] = model.biases.mean;
    for (std::size_t m = 0; m < model.unknown_factors.size(); ++m) {
      const Vector factor = model.unknown_factors[m].head(model.rank);
      result["unknown_rows"].push_back(
          {{"bias", model.biases.unknown[m]},
           {"factor", std::vector<double>(factor.begin(), factor.end())}});
    }
  }

  static void print_summary(const CompletionFit& fit, const std::optional<CompletionScores>& scores,
                            double seconds) {
    fmt::print("{}: {} after {} epochs, {:.3g} s; training error {:.4f}\n", fit.method,
               status_text(fit.status), fit.history.size(), seconds, fit.history.back().train_rmse);
    if (scores) print_scores(*scores);
  }

  static void print_scores(const CompletionScores& scores) {
    fmt::print("test: rmse {:.4f}, mae {:.4f}", scores.rmse, scores.mae);
    if (scores.ndcg10) fmt::print(", ndcg10 {:.4f}", *scores.ndcg10);
    fmt::print(" over {} entries", scores.entries);
    if (scores.unknown > 0) {
      fmt::print(", {} of them with rows that were not learnt", scores.unknown);
    }
    fmt::print("\n");
  }

  // ---- --epsilon ----

  ExitCode run_private(std::optional<OutputFolder>& folder) {
    SOTTO_REQUIRE_AT(!check_, "--check", "shows the ratings and does not go with --epsilon");
    require_public(companions(), files_.ratings);
    if (privacy_.for_users()) {
      refuse_choices_by_data();
      return complete_for_users(user_run(), folder);
    }
    const auto range = file_.value_range();
    SOTTO_REQUIRE_AT(range, "--epsilon",
                     "needs --range LO:HI, the range that values can have: it is public and is not "
                     "read off the ratings");
    refuse_choices_by_data();
    Ratings ratings = read_private();
    refuse_huge_shape(ratings);
    // Positions are public here; the values leave this function through a release only.
    std::vector<double> none(ratings.entries.value.size(), 0);
    RatingValues values(std::exchange(ratings.entries.value, std::move(none)));
    refuse_duplicates(ratings);
    SOTTO_REQUIRE_AT(ratings.entries.size() >= 2, files_.ratings,
                     "has one entry: nothing to learn from");
    privacy_.require_small_delta({ratings.entries.size(), "ratings"});
    const std::optional<Ratings> test = read_public_test(ratings);

    PrivateFit fit = fit_private(ratings.entries, std::move(values), {range->low, range->high});
    append_reading_facts(fit.certificate, ratings);
    std::optional<CompletionScores> scores;
    if (test) {
      scores = score(test->entries, fit.model.predict(test->entries), range->low);
    }
    name_companions(fit.certificate, companions());
    Json result = start_result(describe(ratings), unused_options());
    fill(result, scores);
    result["privacy"] = Json(fit.certificate.to_json());
    result["diagnostics"]["method"] = fit.method;
    if (folder) {
      write_arrays(*folder, fit.model, ratings, result);
      write_result(*folder, result);
    }
    if (common_.json) {
      fmt::print("{}", to_text(result));
    } else {
      fmt::print("{}\n", fit.method);
      if (scores) print_scores(*scores);
      fmt::print("{}\n", fit.certificate.to_text());
    }
    return exit_done;
  }

  // Noise on every rating makes all else free; otherwise nothing may depend on the ratings.
  void refuse_choices_by_data() const {
    if (privacy_.perturb == "input" && !privacy_.as_published) return;
    const CompletionOptions usual;
    const auto refuse = [](bool given, const char* option) {
      SOTTO_REQUIRE_AT(!given, option, "does not go with --epsilon and this --perturb");
    };
    const bool as_there = privacy_.as_published && completion_.method == "sgd";
    refuse(completion_.method != usual.method && !as_there, "--method");
    refuse(completion_.bias != usual.bias, "--bias");
    refuse(completion_.scale != usual.scale, "--scale");
    refuse(completion_.centre != usual.centre, "--centre");
    refuse(completion_.validation != usual.validation, "--validation");
    refuse(completion_.time_limit != usual.time_limit, "--time-limit");
    refuse(completion_.starts != usual.starts, "--starts");
    refuse(completion_.tolerance.has_value(), "--tolerance");
    if (privacy_.as_published) return;
    refuse(!completion_.lambda.empty(), "--lambda");
    refuse(completion_.core_lambda.has_value(), "--lambda-core");
    refuse(completion_.epochs.has_value(), "--epochs");
  }

  // How the ratings were read: which column is protected, and which are not.
  static void append_reading_facts(Certificate& certificate, const Ratings& ratings) {
    std::vector<std::string> modes;
    for (const RatingMode& mode : ratings.modes) modes.push_back(mode.name);
    const bool named = !ratings.value_column.empty();
    for (const std::string& fact :
         {format_fact(ratings.format),
          fmt::format("that the values are {} and the positions {}",
                      named ? ratings.value_column : "the last column", fmt::join(modes, ", "))}) {
      certificate.statement.public_facts.push_back(fact);
    }
  }

  // Sizes that a header declares are public, and memory is needed for every row.
  static void refuse_huge_shape(const Ratings& ratings) {
    constexpr Index most = Index{1} << 24;
    for (const Index rows : ratings.entries.dims) {
      SOTTO_REQUIRE_AT(rows <= most, ratings.path,
                       "has a mode of {} rows, a private run takes up to {}; without a header the "
                       "rows of a .tns are those that occur",
                       rows, most);
    }
  }

  // Options of the plain solvers, which only noise on the input leaves in place.
  std::vector<std::string> unused_options() const {
    std::vector<std::string> unused{"items", "times",     "per-user", "given",
                                    "check", "recommend", "top"};
    const bool bare = privacy_.perturb == "gradient" || privacy_.perturb == "output";
    if (!bare) unused.emplace_back("clip");
    if (privacy_.perturb == "input" && !privacy_.as_published) return unused;
    unused.insert(unused.end(), {"method", "bias", "scale", "centre", "penalty", "decay",
                                 "tolerance", "validation", "patience", "time-limit", "starts"});
    if (privacy_.as_published) return unused;
    unused.insert(unused.end(), {"lambda", "lambda-core", "step", "epochs"});
    if (privacy_.mechanism != "sgd") unused.emplace_back("seed");
    return unused;
  }

  // What is wrong with a line is not shown, and values outside the range are held at it.
  Ratings read_private() const {
    RatingFileOptions any_value = file_;
    any_value.range.clear();
    any_value.records_are_private = true;
    return read_unquoted(files_.ratings, [&] { return read_ratings(files_.ratings, any_value); });
  }

  // A test file is taken as public; one that holds protected ratings is refused.
  std::optional<Ratings> read_public_test(const Ratings& ratings) const {
    if (files_.test.empty()) return std::nullopt;
    const PublicDeclaration declared("the test file is treated as public");
    Ratings test =
        Sensitive<Ratings>(read_more_ratings(files_.test, file_, ratings)).open(declared);
    const Index shared = count_overlap(ratings.entries, test.entries);
    SOTTO_REQUIRE_AT(shared == 0, files_.test,
                     "holds {} of the places of {}: a test file is treated as public, so it must "
                     "hold other ratings",
                     shared, files_.ratings);
    return test;
  }

  struct PrivateFit {
    CompletionModel model;
    Certificate certificate;
    std::string method;
  };

  PrivateFit fit_private(const ObservedEntries& positions, RatingValues values,
                         const ValueBounds& bounds) {
    RatingPlan plan{privacy_.target(), bounds};
    plan.ratings = positions.size();
    const LowRank kind = completion_.model == "cp" ? LowRank::cp : LowRank::tucker;
    if (privacy_.as_published) return fit_as_published(positions, std::move(values), plan, kind);
    if (privacy_.perturb == "input") return fit_on_input(positions, std::move(values), plan);
    if (privacy_.mechanism == "sgd") return fit_by_gradients(positions, std::move(values), plan);
    const bool chosen = privacy_.mechanism == "auto" && prefers_als(positions, plan.target.epsilon);
    if (chosen || privacy_.mechanism == "als") {
      return fit_by(positions, std::move(values), plan,
                    plan_private_als(positions, plan.target.epsilon, completion_.rank),
                    fit_private_als, "alternating least squares on noisy right-hand sides");
    }
    return fit_by(positions, std::move(values), plan,
                  plan_private_sums(positions, plan.target.epsilon, completion_.rank), fit_by_sums,
                  "noisy sums of ratings");
  }

  static CompletionModel fit_by_sums(const ObservedEntries& positions, const PrivateSumsPlan& parts,
                                     LowRank kind, Index rank, RatingSums& sums) {
    return fit_private_sums(positions, parts, kind, rank, sums).model;
  }

  // A mechanism made of noisy sums: `parts` says what is released, `fit` does it.
  template <class Parts, class Fit>
  PrivateFit fit_by(const ObservedEntries& positions, RatingValues values, RatingPlan plan,
                    const Parts& parts, Fit fit, const std::string& method) {
    plan.noise = choose_noise(plan.target, parts.shares());
    plan.values = parts.values;
    PrivateRun run(rating_statement(plan), privacy_.key());
    RatingSums sums(std::move(values), plan, run);
    const LowRank kind = completion_.model == "cp" ? LowRank::cp : LowRank::tucker;
    CompletionModel model = fit(positions, parts, kind, completion_.rank, sums);
    return {std::move(model), run.certify(), method};
  }

  PrivateFit fit_by_gradients(const ObservedEntries& positions, RatingValues values,
                              const RatingPlan& plan) {
    SOTTO_REQUIRE_AT(privacy_.delta, "--mechanism", "sgd needs --delta too, say --delta 1e-6");
    SOTTO_REQUIRE_AT(completion_.model == "cp", "--mechanism", "sgd is for --model cp");
    const GradientPlan parts =
        plan_private_sgd(positions, plan.target, plan.bounds, completion_.rank);
    PrivateRun run(gradient_statement(parts), privacy_.key());
    RatingGradients gradients(std::move(values), parts, run);
    CompletionModel model =
        fit_private_sgd(positions, parts, completion_.rank,
                        static_cast<std::uint64_t>(completion_.seed), gradients);
    return {std::move(model), run.certify(), "noisy gradients over samples of ratings"};
  }

  PrivateFit fit_on_input(const ObservedEntries& positions, RatingValues values,
                          const RatingPlan& plan) {
    PrivateRun run(rating_statement(plan), privacy_.key());
    ObservedEntries noisy = positions;
    noisy.value = release_values(std::move(values), plan, false, run);
    InteractiveProgress progress;
    CompletionFit fit = fit_completion(noisy, completion_, cut(), progress.callback());
    throw_if_stopped(fit.status == FitStatus::stopped);
    return {std::move(fit.model), run.certify(), fit.method + " on noisy ratings"};
  }

  PrivateFit fit_as_published(const ObservedEntries& positions, RatingValues values,
                              const RatingPlan& plan, LowRank kind) {
    PublishedSettings settings = published_defaults(kind);
    settings.rank = completion_.rank;
    if (!completion_.lambda.empty()) settings.lambda = completion_.lambda[0];
    settings.core_lambda = completion_.core_lambda.value_or(settings.core_lambda);
    settings.step = completion_.step.value_or(settings.step);
    settings.epochs = completion_.epochs.value_or(settings.epochs);
    settings.clip = privacy_.clip;
    settings.seed = static_cast<std::uint64_t>(completion_.seed);
    PrivacyStatement statement = rating_statement(plan);
    statement.claimed = published_claim(plan.target.epsilon);
    PrivateRun run(statement, privacy_.key());
    CompletionModel model = fit_published(positions, std::move(values), plan,
                                          perturbed_by_name(privacy_.perturb), settings, run);
    return {std::move(model), run.certify(), privacy_.perturb + " perturbation as published"};
  }

  // ---- --check ----

  ExitCode report(std::optional<OutputFolder>& folder, const Ratings& ratings,
                  const std::optional<Ratings>& test) {
    Json result = start_result(describe(ratings));
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
    const Json check = found;
    result["seconds"] = reading_;
    if (folder) write_result(*folder, result);
    fmt::print("{}", to_text(common_.json ? result : check));
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

  UserRun user_run() {
    std::vector<std::string> unused = unused_options();
    if (files_.own.empty()) {
      std::erase_if(unused, [](const std::string& name) {
        return name == "items" || name == "times" || name == "per-user" || name == "given";
      });
      unused.emplace_back("mechanism");
    }
    return {files_,
            completion_,
            privacy_,
            file_,
            common_.json,
            companions(),
            [this, unused](const Json& input) { return start_result(input, unused); }};
  }

  UserFiles files_;
  bool check_ = false;
  double reading_ = 0;
  CompletionOptions completion_;
  RatingPrivacyOptions privacy_;
  RatingFileOptions file_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_complete() { return std::make_unique<Complete>(); }

}  // namespace sotto::cli
