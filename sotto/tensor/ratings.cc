#include "sotto/tensor/ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Numbers the rows of a mode as listed; rows that are not listed become `kUnknownRow`.
void number_mode(const LabelTable& listed, std::size_t mode, const Ratings& ratings,
                 ObservedEntries& entries) {
  std::vector<std::int32_t> row_of;
  for (Index r = 0; r < ratings.entries.dims[mode]; ++r) {
    row_of.push_back(listed.find(ratings.modes[mode].label(r)));
  }
  entries.dims[mode] = listed.size();
  for (std::int32_t& row : entries.index[mode]) {
    if (row != kUnknownRow) row = row_of[static_cast<std::size_t>(row)];
  }
}

}  // namespace

std::string RatingMode::label(Index row) const {
  return numbered ? fmt::format("{}", row + 1) : std::string(labels.label(row));
}

void EntryLines::add(Index entry, std::uint64_t line) {
  if (!runs_.empty()) {
    const Run& last = runs_.back();
    if (line - last.line == static_cast<std::uint64_t>(entry - last.entry)) return;
  }
  runs_.push_back({entry, line});
}

std::uint64_t EntryLines::line_of(Index entry) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), entry,
                                      [](Index e, const Run& run) { return e < run.entry; });
  const Run& run = *std::prev(after);
  return run.line + static_cast<std::uint64_t>(entry - run.entry);
}

RatingShape shape_of(const ObservedEntries& entries) { return {entries.dims, entries.size()}; }

Ratings unlabelled(ObservedEntries entries) {
  Ratings ratings;
  for (Index m = 0; m < entries.order(); ++m) {
    ratings.modes.push_back({fmt::format("mode {}", m + 1), true, {}});
  }
  ratings.entries = std::move(entries);
  return ratings;
}

void refuse_duplicates(const Ratings& ratings) {
  const DuplicateCount found = find_duplicates(ratings.entries);
  if (!found.lowest) return;
  SOTTO_REQUIRE_AT(ratings.lines.known(), ratings.path,
                   "has two ratings of one place; a place may be rated once");
  throw Error(fmt::format("the same place as on line {}: a place may be rated once (`check` counts "
                          "them; a `time-mode` may tell them apart)",
                          ratings.lines.line_of(found.lowest->first)),
              fmt::format("{}:{}", ratings.path, ratings.lines.line_of(found.lowest->again)));
}

ObservedEntries numbered(const ListedRows& rows, const Ratings& ratings) {
  SOTTO_REQUIRE_AT(!rows.times || ratings.modes.size() == 3, "`times`",
                   "{} has {} modes beside users and items, and one of them must be the times; "
                   "leave others out with `columns`",
                   ratings.path, ratings.modes.size() - 2);
  ObservedEntries entries = ratings.entries;
  number_mode(rows.items, 1, ratings, entries);
  if (rows.times) {
    number_mode(*rows.times, 2, ratings, entries);
  } else {
    std::fill(entries.index[2].begin(), entries.index[2].end(), kUnknownRow);
  }
  return entries;
}

}  // namespace sotto
