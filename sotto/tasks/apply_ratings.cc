#include "sotto/tasks/apply_ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sotto/complete/fit/scores.h"

namespace sotto {
namespace {

std::string saved_option(const ResultFolder& folder, const std::string& name,
                         const std::string& given) {
  const Json& saved = folder.find("options/" + name);
  return given.empty() && saved.is_string() ? saved.get<std::string>() : given;
}

}  // namespace

RatingFileOptions reading_of_places(const ResultFolder& folder, const ApplyTask& task) {
  RatingFileOptions file;
  file.format = format_named<RatingFormat>(task);
  file.columns = saved_option(folder, "columns", task.columns);
  file.columns_of_model = task.columns.empty() && !file.columns.empty();
  file.user_column = saved_option(folder, "user-column", task.user_column);
  file.header = task.header;
  file.separator = task.separator;
  file.decimal = task.decimal;
  file.index_base = task.index_base;
  file.time_mode = folder.named<TimeMode>("options/time-mode");
  return file;
}

void require_one_user(const Ratings& own, const ObservedEntries& entries) {
  const auto& users = own.entries.index[0];
  const std::set<std::int32_t> different(users.begin(), users.end());
  SOTTO_REQUIRE_AT(different.size() == 1, own.path,
                   "holds {} users: `recommend` takes the ratings of one", different.size());
  refuse_duplicates(own);
  for (Index e = 0; e < entries.size(); ++e) {
    SOTTO_REQUIRE_AT(
        entries.row(1, e) != kUnknownRow, fmt::format("{}:{}", own.path, own.lines.line_of(e)),
        "the model does not know the item {}", own.modes[1].label(own.entries.row(1, e)));
  }
}

std::vector<std::string> place_of(const Ratings& ratings, Index entry, std::size_t modes) {
  std::vector<std::string> place;
  for (std::size_t m = 0; m < modes; ++m) {
    place.push_back(ratings.modes[m].label(ratings.entries.row(static_cast<Index>(m), entry)));
  }
  return place;
}

std::optional<CompletionScores> scores_of_values(
    const ObservedEntries& entries, const std::vector<double>& predicted,
    const std::optional<std::pair<double, double>>& range) {
  std::vector<std::int32_t> known;
  std::vector<double> predicted_there;
  for (std::size_t e = 0; e < predicted.size(); ++e) {
    if (std::isnan(entries.value[e])) continue;
    known.push_back(static_cast<std::int32_t>(e));
    predicted_there.push_back(predicted[e]);
  }
  if (known.empty()) return std::nullopt;
  const ObservedEntries there = entries.select(known);
  const auto [least, most] = std::minmax_element(there.value.begin(), there.value.end());
  return score(there, predicted_there, range ? range->first : *least,
               range ? range->second : *most);
}

ApplyResult best_items(const LabelTable& items, const std::vector<double>& values,
                       const ObservedEntries& own, std::int64_t top) {
  ApplyResult result;
  std::set<std::int32_t> rated(own.index[1].begin(), own.index[1].end());
  for (Index i = 0; i < items.size(); ++i) {
    if (rated.contains(static_cast<std::int32_t>(i))) continue;
    result.predictions.push_back(
        {{std::string(items.label(i))}, values[static_cast<std::size_t>(i)]});
  }
  std::stable_sort(result.predictions.begin(), result.predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.value > b.value; });
  if (std::ssize(result.predictions) > top) result.predictions.resize(std::size_t(top));
  result.recommended = true;
  result.modes = {"item"};
  result.input = "ratings";
  result.records = own.size();
  return result;
}

}  // namespace sotto
