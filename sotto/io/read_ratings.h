// Reads observed entries of order 3 to 5 (who rated what, and when) from text, plain or gzip.
//
//   .tns         both dialects; indices are the rows, counted from 1
//   CSV and TSV  with or without a header; MovieLens `ratings.csv` and `u.data`
//   MovieLens    `::` between the fields
//
// Columns of text are modes, the value, or a time stamp. A header names them: rating, value, score
// or stars is the value; timestamp, time or date the time; the others are modes, and where nothing
// is called a value it is the last column that is not the time. Without a header three columns are
// mode,mode,value and four are mode,mode,value,time. `--columns` overrides both. What stands in a
// mode column may be anything; rows are numbered as they appear. The time becomes one more mode of
// days, weeks or months in the order of time, or is left out. Two modes become three with a third
// of one row.
//
// A value that is not a finite number, or outside --range, an empty field, a wrong number of fields
// and a place given twice are Errors that name the line.
// Cost: about 200 ns a line.
// Privacy: none here; the caller wraps what belongs to persons as Sensitive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/io/label_table.h"
#include "sotto/tensor/observed.h"

namespace sotto {

struct ValueRange {
  double low, high;
};

struct RatingFileOptions {
  std::string format = "auto";  // tns, csv, tsv, movielens
  std::string columns;          // "mode,mode,value,time"; "-" leaves a column out
  std::string time_mode = "none";
  std::string range;  // "0.5:5"

  OptionTable table();
  std::optional<ValueRange> value_range() const;
};

// The rows of one mode and what they stand for.
struct RatingMode {
  std::string name;   // "userId", "month", "mode 1"
  bool numbered;      // .tns: row i is the index i + 1, and `labels` is empty
  LabelTable labels;  // otherwise

  std::string label(Index row) const;
};

// On which line of its file each entry stands. Lines follow one another but for blank lines,
// comments and the header, so only the gaps are kept.
class EntryLines {
 public:
  void add(Index entry, std::uint64_t line);
  std::uint64_t line_of(Index entry) const;

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
  EntryLines lines;
};

Ratings read_ratings(const std::string& path, const RatingFileOptions& options = {});

// More ratings of the same modes: rows get the numbers they have in `known`, others are
// `unknown_row`.
Ratings read_more_ratings(const std::string& path, const RatingFileOptions& options,
                          const Ratings& known);

// Throws an Error that names both lines when two entries stand at one place.
void refuse_duplicates(const Ratings& ratings);

}  // namespace sotto
