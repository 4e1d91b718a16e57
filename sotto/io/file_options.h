// How files of tensors, points, documents and ratings are read. What each format is, and how
// private records are read: read_tensor.h, read_points.h, read_corpus.h, read_ratings.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/tensor/ratings.h"

namespace SOTTO_API sotto {

// Whether the first line of a text names the columns.
enum class HeaderLine { automatic, yes, no };  // automatic: by its content
constexpr auto enum_names(HeaderLine) {
  return std::to_array<EnumName<HeaderLine>>(
      {{HeaderLine::automatic, "auto"}, {HeaderLine::yes, "yes"}, {HeaderLine::no, "no"}});
}

enum class TensorFormat { automatic, npy, tns };
constexpr auto enum_names(TensorFormat) {
  return std::to_array<EnumName<TensorFormat>>(
      {{TensorFormat::automatic, "auto"}, {TensorFormat::npy, "npy"}, {TensorFormat::tns, "tns"}});
}

enum class PointFormat { automatic, npy, csv, tsv, spaces, raw, uci, lda_c, svmlight };
constexpr auto enum_names(PointFormat) {
  return std::to_array<EnumName<PointFormat>>({{PointFormat::automatic, "auto"},
                                               {PointFormat::npy, "npy"},
                                               {PointFormat::csv, "csv"},
                                               {PointFormat::tsv, "tsv"},
                                               {PointFormat::spaces, "spaces"},
                                               {PointFormat::raw, "raw"},
                                               {PointFormat::uci, "uci"},
                                               {PointFormat::lda_c, "lda-c"},
                                               {PointFormat::svmlight, "svmlight"}});
}

// The size of raw numbers.
enum class RawNumbers { automatic, f4, f8 };
constexpr auto enum_names(RawNumbers) {
  return std::to_array<EnumName<RawNumbers>>(
      {{RawNumbers::automatic, "auto"}, {RawNumbers::f4, "f4"}, {RawNumbers::f8, "f8"}});
}

struct PointFileOptions {
  PointFormat format = PointFormat::automatic;
  std::optional<std::int64_t> dim;
  RawNumbers dtype = RawNumbers::automatic;
  HeaderLine header = HeaderLine::automatic;
  // Set by the program, not by the user: whether the records belong to persons.
  bool records_are_private = false;

  OptionTable table();
};

enum class CorpusFormat { automatic, uci, lda_c, mm, svmlight, text };
constexpr auto enum_names(CorpusFormat) {
  return std::to_array<EnumName<CorpusFormat>>({{CorpusFormat::automatic, "auto"},
                                                {CorpusFormat::uci, "uci"},
                                                {CorpusFormat::lda_c, "lda-c"},
                                                {CorpusFormat::mm, "mm"},
                                                {CorpusFormat::svmlight, "svmlight"},
                                                {CorpusFormat::text, "text"}});
}

// Stop words that need no file.
enum class StopWords { none, english };
constexpr auto enum_names(StopWords) {
  return std::to_array<EnumName<StopWords>>(
      {{StopWords::none, "none"}, {StopWords::english, "english"}});
}

struct CorpusFileOptions {
  CorpusFormat format = CorpusFormat::automatic;
  std::string vocab;  // file; empty: none
  std::int64_t min_df = 1;
  // Text only.
  std::string stop_words{name_of(StopWords::none)};  // the name of a list, or a file
  std::int64_t min_length = 2;
  bool keep_case = false;
  // Set by the program, not by the user: whether the documents belong to persons.
  bool records_are_private = false;

  OptionTable table();
  // Empty where `stop_words` names a list.
  std::string stop_words_file() const;
};

enum class TimeMode { none, day, week, month };  // none: times are not used
constexpr auto enum_names(TimeMode) {
  return std::to_array<EnumName<TimeMode>>({{TimeMode::none, "none"},
                                            {TimeMode::day, "day"},
                                            {TimeMode::week, "week"},
                                            {TimeMode::month, "month"}});
}

struct ValueRange {
  double low, high;
};
std::string text_of(const ValueRange& range);

struct RatingFileOptions {
  RatingFormat format = RatingFormat::automatic;
  std::string columns;      // "user,item,value,time"; "-" leaves a column out
  std::string user_column;  // a name of the header, or a number from 1 on
  HeaderLine header = HeaderLine::automatic;
  TimeMode time_mode = TimeMode::none;
  std::string range;  // "0.5:5", as text_of writes it
  // Set by the program, not by the user.
  bool records_are_private = false;
  bool for_users = false;
  bool positions_only = false;  // values are not read: all are 0
  // A file that a model is applied to: the names of the model's modes, as far as they are columns.
  // Columns of a header are matched by these names, else by their order. Values may be left out
  // where only positions are read.
  std::vector<std::string> modes = {};
  bool one_user = false;          // with `modes`: only items and values are needed
  bool columns_of_model = false;  // `columns` holds for a file with as many columns, no other

  OptionTable table();
  std::optional<ValueRange> value_range() const;
};

}  // namespace sotto
