#include "sotto/report/describe.h"

#include "sotto/base/json.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/report/describe_scores.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace sotto {
namespace {

template <class Names>
void describe_ratings(const RatingShape& shape, const Names& names, ResultDocument& document) {
  document.input("entries", shape.ratings)
      .input("dims", shape.dims, "Dimensions")
      .input("modes", names);
}

void describe_test(const std::optional<CompletionScores>& scores, ResultDocument& document) {
  if (scores) describe_scores(*scores, "the test ratings", document);
}

void describe_folds(const std::vector<CompletionScores>& folds, ResultDocument& document) {
  if (folds.empty()) return;
  Json rows = Json::array();
  for (const CompletionScores& fold : folds) {
    rows.push_back({{"entries", fold.entries}, {"rmse", fold.rmse}, {"mae", fold.mae}});
  }
  document.table("cross_validation", "Cross-validation: each part predicted from the others",
                 std::move(rows));
}

struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};

MeanAndDeviation over_folds(const std::vector<CompletionScores>& folds,
                            double CompletionScores::*measure) {
  const auto count = static_cast<double>(folds.size());
  MeanAndDeviation found;
  for (const CompletionScores& fold : folds) found.mean += fold.*measure / count;
  for (const CompletionScores& fold : folds) {
    found.deviation += std::pow(fold.*measure - found.mean, 2) / (count - 1);
  }
  found.deviation = std::sqrt(found.deviation);
  return found;
}

std::string folds_text(const std::vector<CompletionScores>& folds) {
  const MeanAndDeviation rmse = over_folds(folds, &CompletionScores::rmse);
  const MeanAndDeviation mae = over_folds(folds, &CompletionScores::mae);
  return fmt::format(
      "cross-validation, {} parts: rmse {:.4f} (deviation {:.4f}), mae {:.4f} ({:.4f})",
      folds.size(), rmse.mean, rmse.deviation, mae.mean, mae.deviation);
}

void describe_training(const CompletionResult& result, ResultDocument& document) {
  const TrainingRecord& training = *result.training;
  document.fact("status", name_of(result.status))
      .fact("method", result.method)
      .fact("epochs", training.history.size())
      .fact("best_epoch", training.best_epoch);
  if (!training.history.empty()) {
    document.fit("train_rmse", training.history.back().train_rmse, "RMSE of the training ratings");
  }
  Json errors, seconds;
  for (const EpochRecord& epoch : training.history) {
    errors["train_rmse"].push_back(epoch.train_rmse);
    if (epoch.validation_rmse) errors["validation_rmse"].push_back(*epoch.validation_rmse);
    seconds.push_back(epoch.seconds);
  }
  document.epoch_history(std::move(errors)).epoch_seconds(std::move(seconds));
  document.seconds(training.seconds);
}

std::vector<std::string> labels_of(const LabelTable& table) {
  std::vector<std::string> labels;
  for (Index i = 0; i < table.size(); ++i) labels.emplace_back(table.label(i));
  return labels;
}

// The labels of a mode. Numbers among them are names: those of items and users.
RowNames mode_rows(const RatingMode& mode, Index rows) {
  RowNames names;
  names.identities = true;
  for (Index i = 0; i < rows; ++i) names.labels.push_back(mode.label(i));
  return names;
}

// What was learnt about items and contexts. Users, the first mode, are in the arrays alone: their
// labels mean little to a reader.
void describe_rows(const CompletionResult& result, ResultDocument& document) {
  for (std::size_t m = 1; m < result.modes.size(); ++m) {
    if (result.model.holds(static_cast<Index>(m))) continue;
    const RatingMode& mode = result.modes[m];
    const RowNames rows = mode_rows(mode, result.shape.dims[m]);
    const Vector& biases = result.model.biases.rows[m];
    document.columns(fmt::format("biases_{}", m), Matrix(biases), rows, "Bias by " + mode.name)
        .columns(fmt::format("factors_{}", m), result.model.factor(static_cast<Index>(m)), rows,
                 mode.name);
  }
}

// The items of each taste, and what is liked at what time.
void describe_user_model(const UserCompletionResult& result, ResultDocument& document) {
  const UserModel& model = result.model;
  document
      .columns("factors_1", model.factors,
               {.labels = labels_of(result.rows.items), .identities = true}, "items")
      .columns("biases_1", Matrix(model.effects),
               {.labels = labels_of(result.rows.items), .identities = true}, "Effect of an item");
  if (model.times.size() == 0) return;
  document.columns("biases_2", Matrix(model.times), {.labels = labels_of(*result.rows.times)},
                   "Effect of time");
}

// The part of the model that is in no array.
void describe_model(const CompletionModel& model, ResultDocument& document) {
  document.detail("mean", model.biases.mean);
  if (model.unknown_value) document.detail("unknown_value", *model.unknown_value);
  if (model.scaling) {
    const BiScaling::Numbers scaling = model.scaling->numbers();
    document.detail("scaling", {{"mean", scaling.mean}, {"deviation", scaling.deviation}});
  }
  if (model.unknown_factors.empty()) return;
  Json unknown = Json::array();
  for (std::size_t m = 0; m < model.unknown_factors.size(); ++m) {
    const Vector factor = model.unknown_factors[m].head(model.rank);
    unknown.push_back({{"bias", model.biases.unknown[m]},
                       {"factor", std::vector<double>(factor.begin(), factor.end())}});
  }
  document.detail("unknown_rows", std::move(unknown));
}

// The number of ratings at given shares of the rows.
Json contributions(const std::vector<Index>& counts) {
  const auto at = [&](double share) {
    return counts[static_cast<std::size_t>(share * static_cast<double>(counts.size() - 1))];
  };
  return {{"users", counts.size()}, {"least", at(0)},          {"median", at(0.5)},
          {"ninety", at(0.9)},      {"ninety_nine", at(0.99)}, {"most", at(1)}};
}

Json check_json(const RatingCheck& check) {
  Json found{{"duplicates", check.duplicates},
             {"empty_slices", check.empty_slices},
             {"contributions", contributions(check.ratings_of_rows)},
             {"values", {{"lowest", check.lowest}, {"highest", check.highest}}}};
  if (check.test) {
    found["test"] = {{"entries", check.test->entries},
                     {"duplicates", check.test->duplicates},
                     {"overlap", check.test->overlap},
                     {"unknown_rows", check.test->unknown_rows}};
  }
  return found;
}

std::string certificate_lines(const Certificate& certificate) {
  return with_dashes(certificate.to_text()) + "\n";
}

}  // namespace

void describe(const CompletionResult& result, ResultDocument& document) {
  std::vector<std::string> names;
  for (const RatingMode& mode : result.modes) names.push_back(mode.name);
  describe_ratings(result.shape, names, document);
  describe_test(result.scores, document);
  describe_folds(result.folds, document);
  if (result.certificate) {
    document.certificate(*result.certificate).fact("method", result.method);
  } else {
    describe_training(result, document);
  }
  describe_rows(result, document);
  describe_model(result.model, document);
}

void describe(const UserCompletionResult& result, ResultDocument& document) {
  const UserModel& model = result.model;
  document.input("items", result.rows.items.size());
  describe_test(result.scores, document);
  document.certificate(result.certificate).fact("method", result.method);
  describe_user_model(result, document);
  document.detail("mean", model.mean);
  Json user{{"level_variance", model.level_variance},
            {"error_variance", model.error_variance},
            {"low", model.bounds.low},
            {"high", model.bounds.high}};
  if (model.times.size() > 0) user["times"] = model.times.size();
  document.detail("user", std::move(user));
}

void describe(const RatingCheck& check, ResultDocument& document) {
  describe_ratings(check.shape, check.modes, document);
  const Json found = check_json(check);
  document.value("check/duplicates", found["duplicates"], "Ratings of a place that had one")
      .value("check/empty_slices", found["empty_slices"], "Rows without a rating, by mode");
  for (const auto& [key, label] :
       {std::pair{"users", "Users"}, std::pair{"least", "Fewest ratings of a user"},
        std::pair{"median", "Median ratings of a user"},
        std::pair{"ninety", "90 % of the users have at most"},
        std::pair{"ninety_nine", "99 % of the users have at most"},
        std::pair{"most", "Most ratings of a user"}}) {
    document.value(std::string("check/contributions/") + key, found["contributions"][key], label);
  }
  document.value("check/values", found["values"], "Values");
  if (check.test) document.value("check/test", found["test"], "Test");
}

std::string to_text(const CompletionResult& result) {
  std::string text = result.method;
  if (result.training) {
    const std::vector<EpochRecord>& history = result.training->history;
    text +=
        fmt::format(": {} after {} epochs, {:.3g} s; training error {:.4f}", name_of(result.status),
                    history.size(), result.training->seconds, history.back().train_rmse);
  }
  text += "\n";
  if (result.scores) {
    text += "test: " + scores_text(*result.scores);
    if (result.scores->unknown > 0) {
      text += fmt::format(", {} of them with rows that were not learnt", result.scores->unknown);
    }
    text += "\n";
  }
  if (!result.folds.empty()) text += folds_text(result.folds) + "\n";
  return result.certificate ? text + certificate_lines(*result.certificate) : text;
}

std::string to_text(const UserCompletionResult& result) {
  const std::string scores = result.scores ? "test: " + scores_text(*result.scores) + "\n" : "";
  return result.method + "\n" + scores + certificate_lines(result.certificate);
}

std::string to_text(const RatingCheck& check) { return to_text(check_json(check)); }

}  // namespace sotto
