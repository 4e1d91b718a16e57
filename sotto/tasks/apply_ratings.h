// What the models of ratings have in common when they are applied (apply_complete.cc,
// apply_users.cc): how new data is read, and what is made of predictions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/tasks/apply_kinds.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// How places are read: columns as in the training run, unless said otherwise.
RatingFileOptions reading_of_places(const ResultFolder& folder, const ApplyTask& task);

// Refuses a file of several users, a place that is rated twice, and items that the model does not
// know; `entries` has the rows of the model.
void require_one_user(const Ratings& own, const ObservedEntries& entries);

// The labels of an entry in the first modes.
std::vector<std::string> place_of(const Ratings& ratings, Index entry, std::size_t modes);

// How well `predicted` meets the values of the file, where it has any; NaN: none at this place. The
// values go over `range`, or as far as they do.
std::optional<CompletionScores> scores_of_values(
    const ObservedEntries& entries, const std::vector<double>& predicted,
    const std::optional<std::pair<double, double>>& range);

// The best items that were not rated, best first; ties keep the order of the items. `values` has a
// prediction for each item, `own` the ratings of the user.
ApplyResult best_items(const LabelTable& items, const std::vector<double>& values,
                       const ObservedEntries& own, std::int64_t top);

}  // namespace sotto
