// Ratings as they were read: observed entries, and what their rows stand for.
//
// Privacy: ratings that belong to persons travel as Sensitive<Ratings>; release/rating_split.h says
// which part of them is public.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/tensor/label_table.h"
#include "sotto/tensor/observed.h"

namespace SOTTO_API sotto {

// u_data: the MovieLens file of that name, with tabs between user, item, rating and time.
// automatic: recognised by the reader, so ratings that were read have another value.
// npy: a dense array, whose NaN are the places that were not observed.
enum class RatingFormat { automatic, tns, csv, tsv, movielens, u_data, npy };
constexpr auto enum_names(RatingFormat) {
  return std::to_array<EnumName<RatingFormat>>({{RatingFormat::automatic, "auto"},
                                                {RatingFormat::tns, "tns"},
                                                {RatingFormat::csv, "csv"},
                                                {RatingFormat::tsv, "tsv"},
                                                {RatingFormat::movielens, "movielens"},
                                                {RatingFormat::u_data, "u.data"},
                                                {RatingFormat::npy, "npy"}});
}

// The rows of one mode and what they stand for.
struct RatingMode {
  std::string name;      // "userId", "month", "mode 1"
  bool numbered = true;  // row i is the index i + 1, and `labels` is empty
  LabelTable labels;     // otherwise

  std::string label(Index row) const;
};

// The line of its file on which each entry is. Lines follow one another except for blank lines,
// comments and the header, so only the gaps are stored.
class EntryLines {
 public:
  void add(Index entry, std::uint64_t line);
  std::uint64_t line_of(Index entry) const;
  bool known() const { return !runs_.empty(); }

 private:
  struct Run {
    Index entry;
    std::uint64_t line;
  };
  std::vector<Run> runs_;
};

struct Ratings {
  std::string path;
  ObservedEntries entries;
  std::vector<RatingMode> modes;
  EntryLines lines;  // not known for private ratings or ratings without a file
  RatingFormat format = RatingFormat::automatic;
  // "the column userId", "column 2"; empty: not looked for, or the last of a .tns.
  std::string user_column, value_column;
  Index left_out = 0;  // entries of users of other shards
};

// The sizes of a rating tensor; public where positions are.
struct RatingShape {
  std::vector<Index> dims;
  Index ratings = 0;
  // Whether the positions tell of tastes (complete/private/position_features.h); not known: yes.
  std::optional<bool> positions_tell = {};
};
RatingShape shape_of(const ObservedEntries& entries);

// Ratings that come from no file: rows are their numbers.
Ratings unlabelled(ObservedEntries entries);

// Throws an Error when two entries are at one place; it names both lines where they are known.
void refuse_duplicates(const Ratings& ratings);

// Public lists of rows, declared beside the data rather than read off it.
struct ListedRows {
  LabelTable items;
  std::optional<LabelTable> times;  // where time is part of the model
};

// Users' ratings (mode 0: the users, mode 1: the items) with items and times numbered as listed.
// Rows that are not listed become `kUnknownRow`; so does all of mode 2 without a list of times.
ObservedEntries numbered(const ListedRows& rows, const Ratings& ratings);

}  // namespace sotto
