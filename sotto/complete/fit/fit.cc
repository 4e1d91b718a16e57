#include "sotto/complete/fit/fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/complete/fit/als.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/fit/sgd.h"
#include "sotto/complete/kernels/packs.h"

namespace sotto {
namespace {

// The best values on sparse ratings, measured on MovieLens (docs/completion.md). Penalties of least
// squares are in units of the deviation that the biases leave, so that the scale of the values does
// not matter: a product of two rows grows with the values, each row with their root, and rows and
// cores around 1 do not grow.
struct MethodDefaults {
  double lambda;          // times the deviation
  double context_lambda;  // of rows pulled to 1; times the deviation squared
  std::int64_t epochs;
};
constexpr MethodDefaults kBayesDefaults = {7, 300, 30};
constexpr MethodDefaults kAlsDefaults = {20, 5000, 30};
constexpr MethodDefaults kSgdDefaults = {18, 1500, 50};
constexpr double kStartSpread = 0.1;  // times the root of the deviation
constexpr Index kTrialEpochs = 20;    // of each of several starts
constexpr double kSgdStep = 0.01, kSgdDecay = 0.95;
constexpr double kDefaultTolerance = 1e-5;  // least squares only; gradients linger at saddle points
constexpr double kDefaultCoreLambda = 0.001;

bool has_no_penalty(const CompletionOptions& options) {
  return std::any_of(options.lambda.begin(), options.lambda.end(), [](double l) { return l == 0; });
}

MethodDefaults defaults_of(CompletionMethod method) {
  if (method == CompletionMethod::bayes) return kBayesDefaults;
  return method == CompletionMethod::als ? kAlsDefaults : kSgdDefaults;
}

// One fit: the data as the solver sees it, the model it works on, and how.
class Fit {
 public:
  Fit(const ObservedEntries& entries, const CompletionOptions& options)
      : options_(options),
        method_(chosen_method(options)),
        order_(static_cast<std::size_t>(entries.order())),
        pull_to_one_(
            options.centre == ContextCentre::one ||
            (options.centre == ContextCentre::automatic && options.bias != BiasPart::none)) {
    if (options.scale == ValueScale::slices) scaling_ = std::make_shared<BiScaling>(entries);
    data_ = scaling_ ? scaling_->scaled(entries) : entries;
    biases_ = fitted_biases();
    const double mean_square = squared_error(data_, biases_) / static_cast<double>(data_.size());
    deviation_ = std::max(std::sqrt(mean_square), 1e-12);
  }

  CompletionModel start(std::int64_t attempt) const {
    Start values = start_values();
    values.attempt = static_cast<std::uint64_t>(attempt);
    CompletionModel model = start_model(options_.model, options_.rank, data_.dims, values);
    model.biases = biases_;
    model.scaling = scaling_;
    if (options_.bias == BiasPart::none) {
      model.unknown_value = Biases::constant(data_).mean;
    }
    return model;
  }

  std::unique_ptr<Solver> solver(CompletionModel& model) const {
    return method_ == CompletionMethod::sgd ? make_sgd(data_, sgd_settings(), model)
                                            : make_als(data_, als_settings(), model);
  }

  CompletionMethod method() const { return method_; }
  Index size() const { return data_.size(); }

 private:
  Biases fitted_biases() const {
    if (options_.bias == BiasPart::modes)
      return fit_biases(data_, default_bias_shrink(data_.order()));
    Biases biases = Biases::constant(data_);
    if (options_.bias == BiasPart::none) biases.mean = 0;
    return biases;
  }

  std::vector<double> centre() const {
    std::vector<double> values(order_, 0);
    if (pull_to_one_) std::fill(values.begin() + 2, values.end(), 1.0);
    return values;
  }

  // With biases, rows start small and contexts change nothing at first. Without biases, the
  // products of the rows have the mean of the values and half their spread.
  Start start_values() const {
    Start start;
    start.centre = centre();
    start.seed = static_cast<std::uint64_t>(options_.seed);
    start.spread = kStartSpread * std::sqrt(deviation_);
    if (pull_to_one_) return start;
    const double mean =
        Biases::constant(data_).mean + (options_.bias == BiasPart::none ? 0 : -biases_.mean);
    const auto rank = static_cast<double>(options_.rank);
    const double order = static_cast<double>(order_);
    const double level = std::pow(std::abs(mean) / rank, 1 / order);
    start.centre.assign(order_, level);
    if (mean < 0) start.centre[0] = -level;
    start.spread = 0.5 * std::pow(deviation_ / std::sqrt(rank), 1 / order);
    return start;
  }

  std::vector<double> lambda() const {
    if (options_.lambda.size() == order_) return options_.lambda;
    if (options_.lambda.size() == 1) return std::vector<double>(order_, options_.lambda[0]);
    const MethodDefaults defaults = defaults_of(method_);
    std::vector<double> values(order_, deviation_ * defaults.lambda);
    if (pull_to_one_) std::fill(values.begin() + 2, values.end(), context_lambda());
    return values;
  }

  double context_lambda() const {
    return deviation_ * deviation_ * defaults_of(method_).context_lambda;
  }

  // A free core would undo the penalties of the rows.
  double core_lambda() const {
    if (options_.core_lambda) return *options_.core_lambda;
    return pull_to_one_ ? context_lambda() : kDefaultCoreLambda;
  }

  PenaltySettings penalties() const {
    const bool biases = options_.bias == BiasPart::modes;
    return {lambda(),      centre(),
            core_lambda(), pull_to_one_ ? 1.0 : 0.0,
            biases,        default_bias_shrink(data_.order())};
  }

  SgdSettings sgd_settings() const {
    return {penalties(), options_.step.value_or(kSgdStep), options_.decay.value_or(kSgdDecay),
            options_.penalty, static_cast<std::uint64_t>(options_.seed)};
  }

  AlsSettings als_settings() const { return {penalties(), method_ == CompletionMethod::bayes}; }

  CompletionOptions options_;
  CompletionMethod method_;
  std::size_t order_;
  bool pull_to_one_;
  std::shared_ptr<const BiScaling> scaling_;
  ObservedEntries data_;
  Biases biases_;
  double deviation_ = 0;
};

// Runs epochs until there is a reason to stop.
class Training {
 public:
  using Clock = std::chrono::steady_clock;

  Training(const CompletionOptions& options, const Fit& fit, const ObservedEntries* validation,
           std::optional<std::pair<double, double>> range)
      : options_(options), fit_(fit), validation_(validation) {
    found_.model = best_start();
    found_.model.range = range;
    found_.method = fit.method();
    if (validation != nullptr) best_ = found_.model;
  }

  CompletionFit run(const ProgressCallback& progress) {
    const Index epochs = options_.epochs.value_or(defaults_of(fit_.method()).epochs);
    const auto solver = fit_.solver(found_.model);
    for (Index epoch = 1; epoch <= epochs && !done_; ++epoch) {
      record(epoch, solver->epoch());
      if (!report_progress(progress, {"epochs", epoch, epochs})) stop(FitStatus::stopped);
    }
    if (validation_ != nullptr) {
      found_.model = std::move(best_);
    } else {
      found_.best_epoch = std::ssize(found_.history);
    }
    return std::move(found_);
  }

 private:
  // The start that leads furthest in a few epochs. Alternating least squares in particular may end
  // in a local minimum.
  CompletionModel best_start() const {
    CompletionModel chosen = fit_.start(0);
    if (options_.starts == 1) return chosen;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t attempt = 0; attempt < options_.starts; ++attempt) {
      CompletionModel model = fit_.start(attempt);
      const auto solver = fit_.solver(model);
      double error = 0;
      for (Index epoch = 0; epoch < kTrialEpochs; ++epoch) error = solver->epoch();
      if (!(error < least)) continue;
      least = error;
      chosen = fit_.start(attempt);
    }
    return chosen;
  }

  void record(Index epoch, double squared_error) {
    EpochRecord now{};
    now.train_rmse = std::sqrt(squared_error / static_cast<double>(fit_.size()));
    if (!std::isfinite(now.train_rmse)) return stop(FitStatus::diverged);
    if (validation_ != nullptr) {
      now.validation_rmse =
          root_mean_square_error(*validation_, found_.model.predict(*validation_));
      keep_best(epoch, *now.validation_rmse);
    }
    now.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const bool first = found_.history.empty();
    const double before = first ? 0 : found_.history.back().train_rmse;
    found_.history.push_back(now);
    if (!first && std::abs(before - now.train_rmse) < tolerance() * before) {
      stop(FitStatus::converged);
    }
    if (options_.time_limit > 0 && now.seconds > options_.time_limit) stop(FitStatus::time_limit);
  }

  double tolerance() const {
    return options_.tolerance.value_or(fit_.method() == CompletionMethod::sgd ? 0
                                                                              : kDefaultTolerance);
  }

  void keep_best(Index epoch, double rmse) {
    if (rmse < best_rmse_) {
      best_rmse_ = rmse;
      best_ = found_.model;
      found_.best_epoch = epoch;
    } else if (epoch - found_.best_epoch >= options_.patience) {
      stop(FitStatus::early_stop);
    }
  }

  void stop(FitStatus status) {
    found_.status = status;
    done_ = true;
  }

  const CompletionOptions& options_;
  const Fit& fit_;
  const ObservedEntries* validation_;
  CompletionFit found_;
  CompletionModel best_;
  double best_rmse_ = std::numeric_limits<double>::infinity();
  bool done_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

CompletionMethod chosen_method(const CompletionOptions& options) {
  if (options.method != CompletionMethod::automatic) return options.method;
  return options.model == LowRank::cp && !has_no_penalty(options) ? CompletionMethod::bayes
                                                                  : CompletionMethod::als;
}

OptionTable CompletionOptions::table() {
  const RealRange above_zero{0, 1e300, true}, not_negative{0, 1e300};
  return OptionTable()
      .integer("rank", 'r', rank, {1, kMaxCompletionRank}, "rank of the low-rank part")
      .choice("model", model, "form of the low-rank part")
      .choice("method", method,
              "sgd: stochastic gradients; als: alternating least squares; bayes: variational least "
              "squares, CP only; auto: bayes for cp, als for tucker and without penalty")
      .choice("bias", bias,
              "modes: a mean and one number a row of every mode, learnt with the rest; global: the "
              "mean alone; none: the low-rank part alone")
      .choice("scale", scale,
              "slices: bi-scaling of every slice of the third mode (Mazumder et al. 2010)")
      .choice(
          "centre", centre,
          "the value to which the rows of the third and later modes are shrunk; one: rows without "
          "data leave the model of the first two modes unchanged; auto: one when there are biases")
      .reals(
          "lambda", lambda, not_negative,
          "penalty of the rows, one number or one a mode; 0: none, not for bayes (none given: by "
          "method)")
      .real("lambda-core", 0, core_lambda, not_negative,
            "penalty of the Tucker core; 0: none (none given: by centre)")
      .choice("penalty", penalty,
              "row: a row is penalised once; entry: once for each of its entries, sgd only")
      .real("step", 0, step, above_zero, "step of sgd (none given: 0.01)")
      .real("decay", 0, decay, {0, 1, true},
            "factor on the step of sgd after every epoch (none given: 0.95)")
      .integer("epochs", 0, epochs, {1, 1000000},
               "passes over the entries at most (none given: 30, sgd 50)")
      .real("tolerance", 0, tolerance, not_negative,
            "converged when the training error changes by less than this share (none given: 1e-05, "
            "sgd 0)")
      .real("validation", 0, validation, {0, 1, false, true},
            "share of the entries to hold out; the best model on them is kept")
      .integer("patience", 0, patience, {1, 1000000},
               "epochs without a better model on the held-out entries before an early stop")
      .real("time-limit", 0, time_limit, not_negative, "seconds after which to stop; 0: none")
      .integer("starts", 'L', starts, {1, 100000},
               "random starts, of which the one with the smallest error after 20 epochs is taken")
      .integer("seed", 0, seed, {0, std::numeric_limits<std::int64_t>::max()},
               "seed of the start, the order of the entries and the held-out ones");
}

void CompletionOptions::check() const {
  SOTTO_REQUIRE_AT(method != CompletionMethod::bayes || model == LowRank::cp, "`method`",
                   "bayes is for `model` cp; use als or sgd for tucker");
  SOTTO_REQUIRE_AT(scale == ValueScale::none || bias != BiasPart::modes, "`scale`",
                   "scaled slices have no biases left; use `bias` none or global");
  SOTTO_REQUIRE_AT(penalty == Penalised::once_a_row || method == CompletionMethod::sgd, "`penalty`",
                   "entry only works with `method` sgd");
  SOTTO_REQUIRE_AT((!step && !decay) || method == CompletionMethod::sgd,
                   step ? "`step`" : "`decay`", "only works with `method` sgd");
  SOTTO_REQUIRE_AT(method != CompletionMethod::bayes || !has_no_penalty(*this), "`lambda`",
                   "bayes needs penalties above 0, they are its prior; use `method` als or sgd");
}

void CompletionOptions::check_for(const std::vector<Index>& dims) const {
  check_model(model, rank, std::ssize(dims));
  SOTTO_REQUIRE_AT(lambda.size() <= 1 || lambda.size() == dims.size(), "`lambda`",
                   "expected one number, or {}, one a mode, got {}", dims.size(), lambda.size());
}

CompletionFit fit_completion(const ObservedEntries& entries, const CompletionOptions& options,
                             std::optional<std::pair<double, double>> range,
                             const ProgressCallback& progress) {
  options.check();
  SOTTO_REQUIRE(entries.size() >= 2, "{} observed entry is not enough to learn from",
                entries.size());
  options.check_for(entries.dims);
  if (options.validation == 0) {
    return Training(options, Fit(entries, options), nullptr, range).run(progress);
  }
  const EntrySplit split =
      split_entries(entries, options.validation, static_cast<std::uint64_t>(options.seed));
  SOTTO_REQUIRE_AT(split.held_out.size() > 0 && split.kept.size() >= 2, "`validation`",
                   "{} of {} entries would be held out", split.held_out.size(), entries.size());
  return Training(options, Fit(split.kept, options), &split.held_out, range).run(progress);
}

}  // namespace sotto
