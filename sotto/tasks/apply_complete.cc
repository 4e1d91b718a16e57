#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "sotto/base/join_text.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/complete/fit/fold_in.h"
#include "sotto/complete/kernels/packs.h"
#include "sotto/io/read_ratings.h"
#include "sotto/tasks/apply_ratings.h"
#include "sotto/tasks/input.h"

namespace sotto {
namespace {

// ---- a model with a row for each user ----

struct SavedCompletion {
  CompletionModel model;
  std::vector<std::string> modes;
  std::vector<LabelTable> labels;
  double error_variance = 1;
};

// None yet, in a tensor of the shape of the model.
ObservedEntries entries_of(const CompletionModel& model) {
  std::vector<Index> dims;
  for (const FactorRows& factor : model.factors) dims.push_back(factor.rows());
  return ObservedEntries(dims);
}

FactorRows padded_rows(const Eigen::Ref<const Matrix>& rows) {
  FactorRows padded = FactorRows::Zero(rows.rows(), padded_rank(rows.cols()));
  padded.leftCols(rows.cols()) = rows;
  return padded;
}

FactorRows saved_core(const ResultFolder& folder, const CompletionModel& model) {
  const DenseTensor core = folder.tensor("core.npy");
  for (const Index d : core.dims()) folder.require_together(d == model.rank);
  folder.require_together(core.order() == model.order());
  return padded_rows(
      Eigen::Map<const RowMatrix>(core.values().data(), core.size() / model.rank, model.rank));
}

// Values of rows that were not learnt, where the model has any but 0.
void take_unknown_rows(const ResultFolder& folder, CompletionModel& model) {
  const Json& unknown = folder.find("unknown_rows");
  if (unknown.is_null()) return;
  folder.require_together(unknown.is_array() && std::ssize(unknown) == model.order());
  for (const Json& row : unknown) {
    const bool whole = row.is_object() && row.contains("bias") && row["bias"].is_number() &&
                       row.contains("factor") && row["factor"].is_array() &&
                       std::ssize(row["factor"]) == model.rank;
    folder.require(whole, "has no values of unknown_rows that fit");
    model.biases.unknown.push_back(row["bias"].get<double>());
    Vector factor = Vector::Zero(model.stride());
    for (Index r = 0; r < model.rank; ++r) {
      const Json& number = row["factor"][static_cast<std::size_t>(r)];
      folder.require(number.is_number(), "has no values of unknown_rows that fit");
      factor[r] = number.get<double>();
    }
    model.unknown_factors.push_back(std::move(factor));
  }
}

std::shared_ptr<const BiScaling> saved_scaling(const ResultFolder& folder) {
  if (folder.find("options/scale") != std::string(name_of(ValueScale::slices))) return nullptr;
  BiScaling::Numbers numbers{folder.number("scaling/mean"),
                             folder.number("scaling/deviation"),
                             {folder.matrix("scaling_0.npy"), folder.matrix("scaling_1.npy")}};
  return std::make_shared<const BiScaling>(numbers);
}

std::optional<std::pair<double, double>> saved_range(const ResultFolder& folder) {
  RatingFileOptions file;
  const Json& range = folder.find("options/range");
  if (range.is_string()) file.range = range.get<std::string>();
  const std::optional<ValueRange> found = file.value_range();
  return found ? std::optional(std::pair(found->low, found->high)) : std::nullopt;
}

// The error of an entry: that of the training run, or a fifth of the range, as ratings have it.
double saved_error_variance(const ResultFolder& folder, const CompletionModel& model) {
  constexpr double kWidthsOfError = 5, kLeast = 1e-6;
  const Json& errors = folder.find("diagnostics/history/train_rmse");
  const double width = model.range ? model.range->second - model.range->first : 1;
  double error = width / kWidthsOfError;
  if (errors.is_array() && !errors.empty() && errors.back().is_number()) {
    error = std::max(errors.back().get<double>(), kLeast * width);
  }
  return error * error;
}

SavedCompletion load_completion(const ResultFolder& folder) {
  const Json& names = folder.find("input/modes");
  folder.require(names.is_array() && std::ssize(names) >= kMinObservedOrder &&
                     std::ssize(names) <= kMaxObservedOrder && folder.lists("factors_0.npy"),
                 "is not that of a completed tensor");
  SavedCompletion saved;
  CompletionModel& model = saved.model;
  for (std::size_t m = 0; m < names.size(); ++m) {
    folder.require(names[m].is_string(), "has a mode without a name");
    saved.modes.push_back(names[m].get<std::string>());
    const Matrix factor = folder.matrix(fmt::format("factors_{}.npy", m));
    model.biases.rows.push_back(folder.vector(fmt::format("biases_{}.npy", m)));
    saved.labels.push_back(folder.labels(fmt::format("labels_{}.txt", m)));
    if (m == 0) model.rank = factor.cols();
    folder.require_together(factor.cols() == model.rank && model.rank <= kMaxCompletionRank &&
                            factor.rows() == model.biases.rows[m].size() &&
                            factor.rows() == saved.labels[m].size());
    model.factors.push_back(padded_rows(factor));
  }
  if (folder.lists("core.npy")) {
    model.kind = LowRank::tucker;
    model.core = saved_core(folder, model);
  }
  model.biases.mean = folder.number("mean");
  model.range = saved_range(folder);
  model.scaling = saved_scaling(folder);
  const Json& bias = folder.find("options/bias");
  const bool unbiased = bias == std::string(name_of(BiasPart::none));
  if (unbiased || !folder.find("unknown_value").is_null()) {
    model.unknown_value = folder.number("unknown_value");
  }
  take_unknown_rows(folder, model);
  saved.error_variance = saved_error_variance(folder, model);
  return saved;
}

// ---- the new data ----

// Two modes that were read as three, with a third of one row.
bool has_implied_mode(const std::string& last, const LabelTable& labels) {
  return last == "all" && labels.size() == 1;
}

Ratings read_new_ratings(const std::string& path, const RatingFileOptions& file,
                         const SavedCompletion& saved) {
  Ratings ratings = read_ratings(path, file).open(callers_own_data());
  const RatingMode& last = ratings.modes.back();
  const auto columns = [](std::size_t modes, bool implied) { return modes - (implied ? 1 : 0); };
  const std::size_t found = columns(ratings.modes.size(), has_implied_mode(last.name, last.labels));
  const std::size_t wanted =
      columns(saved.modes.size(), has_implied_mode(saved.modes.back(), saved.labels.back()));
  SOTTO_REQUIRE_AT(found == wanted || (file.one_user && found < wanted), path,
                   "has {} modes, the model has {}: {}", found, wanted,
                   join_text(saved.modes, ", "));
  return ratings;
}

// The rows of the model that the rows of a file stand for. A mode of one row is the same for all.
ObservedEntries known_rows(const Ratings& ratings, const SavedCompletion& saved) {
  ObservedEntries entries = entries_of(saved.model);
  entries.value = ratings.entries.value;
  for (std::size_t m = 0; m < saved.labels.size(); ++m) {
    if (m >= ratings.modes.size()) {
      entries.index[m].assign(entries.value.size(), kUnknownRow);
      continue;
    }
    std::vector<std::int32_t> row_of;
    for (Index i = 0; i < ratings.entries.dims[m]; ++i) {
      const bool implied = has_implied_mode(saved.modes[m], saved.labels[m]);
      row_of.push_back(implied ? 0 : saved.labels[m].find(ratings.modes[m].label(i)));
    }
    for (const std::int32_t row : ratings.entries.index[m]) {
      entries.index[m].push_back(row_of[static_cast<std::size_t>(row)]);
    }
  }
  return entries;
}

// ---- predictions ----

// The modes that are columns of a file.
std::vector<std::string> column_modes(const SavedCompletion& saved, TimeMode time) {
  std::vector<std::string> modes = saved.modes;
  if (has_implied_mode(modes.back(), saved.labels.back())) modes.pop_back();
  if (time != TimeMode::none) modes.pop_back();
  return modes;
}

// A rating in a context that is not known, or not said, counts as one in the mean over all
// contexts: one more row in each mode after users and items.
CompletionModel with_mean_contexts(CompletionModel model) {
  for (Index m = 2; m < model.order(); ++m) {
    const Vector mean = mean_row(model, m);
    model = with_rows(std::move(model), m, {mean});
  }
  return model;
}

void take_mean_contexts(const CompletionModel& averaged, ObservedEntries& entries) {
  entries.dims = entries_of(averaged).dims;
  for (std::size_t m = 2; m < entries.index.size(); ++m) {
    const auto mean = static_cast<std::int32_t>(entries.dims[m] - 1);
    std::replace(entries.index[m].begin(), entries.index[m].end(), kUnknownRow, mean);
  }
}

ApplyResult recommend_by_rows(const SavedCompletion& saved, const std::string& path,
                              RatingFileOptions file, const ApplyTask& task) {
  file.one_user = true;
  const Ratings own = read_new_ratings(path, file, saved);
  ObservedEntries entries = known_rows(own, saved);
  require_one_user(own, entries);
  const CompletionModel averaged = with_mean_contexts(saved.model);
  take_mean_contexts(averaged, entries);
  const Vector row =
      at_place(path, [&] { return FoldIn(averaged, saved.error_variance).row(entries); });
  const CompletionModel model = with_rows(averaged, 0, {row});
  // The new user, an item, and the mean over all contexts.
  ObservedEntries places = entries_of(model);
  std::vector<std::int32_t> at;
  for (const Index rows : places.dims) at.push_back(static_cast<std::int32_t>(rows - 1));
  for (std::int32_t i = 0; i < saved.labels[1].size(); ++i) {
    at[1] = i;
    places.append(at, 0);
  }
  return best_items(saved.labels[1], model.predict(places), entries, task.top);
}

// The rows of users of `given` whom the model does not know, in the order of their labels.
struct NewUsers {
  std::map<std::string, Index> number;
  std::vector<Vector> rows;
};

NewUsers fold_in_users(const SavedCompletion& saved, const ApplyTask& task,
                       const RatingFileOptions& file) {
  NewUsers users;
  if (task.given.empty()) return users;
  const Ratings given = read_new_ratings(task.given, file, saved);
  refuse_duplicates(given);
  ObservedEntries entries = known_rows(given, saved);
  const CompletionModel averaged = with_mean_contexts(saved.model);
  take_mean_contexts(averaged, entries);
  std::map<std::string, std::vector<std::int32_t>> own;
  for (Index e = 0; e < entries.size(); ++e) {
    if (entries.row(0, e) != kUnknownRow) continue;
    own[given.modes[0].label(given.entries.row(0, e))].push_back(static_cast<std::int32_t>(e));
  }
  const FoldIn fold_in =
      at_place(task.given, [&] { return FoldIn(averaged, saved.error_variance); });
  for (const auto& [user, which] : own) {
    users.number.emplace(user, std::ssize(users.rows));
    users.rows.push_back(fold_in.row(entries.select(which)));
  }
  return users;
}

ApplyResult predict_by_rows(const SavedCompletion& saved, const std::string& path,
                            RatingFileOptions file, const ApplyTask& task, std::size_t columns) {
  const NewUsers users = fold_in_users(saved, task, file);
  file.positions_only = file.values_if_any = true;
  const Ratings asked = read_new_ratings(path, file, saved);
  ObservedEntries entries = known_rows(asked, saved);
  const Index before = entries.dims[0];
  entries.dims[0] += std::ssize(users.rows);
  ApplyResult result;
  for (Index e = 0; e < entries.size(); ++e) {
    std::vector<std::string> place = place_of(asked, e, columns);
    const auto user = users.number.find(place[0]);
    if (user != users.number.end()) {
      entries.index[0][static_cast<std::size_t>(e)] =
          static_cast<std::int32_t>(before + user->second);
    }
    result.unknown += entries.has_unknown_row(e) ? 1 : 0;
    result.predictions.push_back({std::move(place), 0});
  }
  const std::vector<double> values = with_rows(saved.model, 0, users.rows).predict(entries);
  for (std::size_t e = 0; e < values.size(); ++e) result.predictions[e].value = values[e];
  result.scores = scores_of_values(entries, values, saved.model.range);
  result.scored_column = asked.value_column;
  result.modes.assign(saved.modes.begin(), saved.modes.begin() + std::ptrdiff_t(columns));
  result.input = "places";
  result.records = entries.size();
  return result;
}

ApplyResult apply_rows(const ResultFolder& folder, const std::string& path, const ApplyTask& task) {
  const SavedCompletion saved = load_completion(folder);
  RatingFileOptions file = reading_of_places(folder, task);
  file.modes = column_modes(saved, file.time_mode);
  const std::size_t columns = file.modes.size() + (file.time_mode == TimeMode::none ? 0 : 1);
  ApplyResult result = task.recommend ? recommend_by_rows(saved, path, file, task)
                                      : predict_by_rows(saved, path, file, task, columns);
  result.model.what = fmt::format("{} of rank {}", join_text(saved.modes, ", "), saved.model.rank);
  return result;
}

}  // namespace

ApplyResult apply_completion(const ResultFolder& folder, const std::string& path,
                             const ApplyTask& task) {
  SOTTO_REQUIRE_AT(folder.lists("factors_1.npy"), folder.path(),
                   "holds a result of 'sotto complete' that learnt nothing");
  return folder.find("options/unit") == "user" ? apply_users(folder, path, task)
                                               : apply_rows(folder, path, task);
}

}  // namespace sotto
