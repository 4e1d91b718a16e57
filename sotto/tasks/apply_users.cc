// Completions of unit user: a model of items. What belongs to a user is worked out from the user's
// own ratings, here as in the training run.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "sotto/complete/private/user_model.h"
#include "sotto/io/read_ratings.h"
#include "sotto/tasks/apply_ratings.h"

namespace sotto {
namespace {

struct SavedUserModel {
  UserModel model;
  ListedRows rows;
};

SavedUserModel load_users(const ResultFolder& folder) {
  SavedUserModel saved;
  UserModel& model = saved.model;
  model.mean = folder.number("mean");
  model.level_variance = folder.number("user/level_variance");
  model.error_variance = folder.number("user/error_variance");
  model.bounds = {folder.number("user/low"), folder.number("user/high")};
  model.effects = folder.vector("biases_1.npy");
  model.factors = folder.matrix("factors_1.npy");
  saved.rows.items = folder.labels("labels_1.txt");
  bool together = model.factors.rows() == model.effects.size() &&
                  saved.rows.items.size() == model.effects.size() && model.error_variance > 0 &&
                  model.level_variance >= 0 && model.bounds.low < model.bounds.high;
  if (!folder.find("user/times").is_null()) {
    model.times = folder.vector("biases_2.npy");
    saved.rows.times = folder.labels("labels_2.txt");
    together = together && saved.rows.times->size() == model.times.size();
  }
  folder.require_together(together);
  return saved;
}

using OwnRatings = std::map<std::string, std::vector<OwnRating>>;

OwnRatings ratings_by_user(const Ratings& ratings, const ObservedEntries& entries) {
  OwnRatings own;
  for (Index e = 0; e < entries.size(); ++e) {
    if (entries.row(1, e) == kUnknownRow) continue;
    own[ratings.modes[0].label(ratings.entries.row(0, e))].push_back(
        {entries.row(1, e), entries.at(e), entries.row(2, e)});
  }
  return own;
}

ApplyResult recommend_by_items(const SavedUserModel& saved, const std::string& path,
                               RatingFileOptions file, const ApplyTask& task) {
  file.one_user = true;
  const Ratings own = read_ratings(path, file).open(callers_own_data());
  const ObservedEntries entries = numbered(saved.rows, own);
  require_one_user(own, entries);
  const OwnTaste taste = solve_user(saved.model, ratings_by_user(own, entries).begin()->second);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(saved.model.items()));
  for (std::int32_t i = 0; i < saved.model.items(); ++i) {
    values.push_back(predict(saved.model, taste, i));
  }
  return best_items(saved.rows.items, values, entries, task.top);
}

ApplyResult predict_by_items(const SavedUserModel& saved, const std::string& path,
                             RatingFileOptions file, const ApplyTask& task) {
  OwnRatings own;
  if (!task.given.empty()) {
    const Ratings given = read_ratings(task.given, file).open(callers_own_data());
    own = ratings_by_user(given, numbered(saved.rows, given));
  }
  file.positions_only = file.values_if_any = true;
  const Ratings asked = read_ratings(path, file).open(callers_own_data());
  const ObservedEntries entries = numbered(saved.rows, asked);
  const std::size_t columns = saved.rows.times ? 3 : 2;
  std::map<std::string, OwnTaste> tastes;
  std::vector<double> values;
  ApplyResult result;
  for (Index e = 0; e < entries.size(); ++e) {
    std::vector<std::string> place = place_of(asked, e, columns);
    const auto [taste, is_new] = tastes.try_emplace(place[0]);
    if (is_new) taste->second = solve_user(saved.model, own[place[0]]);
    const bool unknown = own[place[0]].empty() || entries.row(1, e) == kUnknownRow;
    result.unknown += unknown ? 1 : 0;
    values.push_back(predict(saved.model, taste->second, entries.row(1, e), entries.row(2, e)));
    result.predictions.push_back({std::move(place), values.back()});
  }
  const ValueBounds& bounds = saved.model.bounds;
  result.scores = scores_of_values(entries, values, std::pair(bounds.low, bounds.high));
  result.scored_column = asked.value_column;
  for (std::size_t m = 0; m < columns; ++m) result.modes.push_back(asked.modes[m].name);
  result.input = "places";
  result.records = entries.size();
  return result;
}

}  // namespace

ApplyResult apply_users(const ResultFolder& folder, const std::string& path,
                        const ApplyTask& task) {
  const SavedUserModel saved = load_users(folder);
  RatingFileOptions file = reading_of_places(folder, task);
  file.for_users = true;
  file.modes = {"user", "item"};
  if (saved.rows.times && file.time_mode == TimeMode::none) file.modes.emplace_back("time");
  ApplyResult result = task.recommend ? recommend_by_items(saved, path, file, task)
                                      : predict_by_items(saved, path, file, task);
  result.model.what =
      fmt::format("{} items of rank {}", saved.model.items(), saved.model.factors.cols());
  return result;
}

}  // namespace sotto
