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

// What stands between the columns of a text.
enum class Separator { automatic, comma, semicolon, tab, bar };  // automatic: by the format
constexpr auto enum_names(Separator) {
  return std::to_array<EnumName<Separator>>({{Separator::automatic, "auto"},
                                             {Separator::comma, "comma"},
                                             {Separator::semicolon, "semicolon"},
                                             {Separator::tab, "tab"},
                                             {Separator::bar, "bar"}});
}

// What stands before the decimals of a number.
enum class DecimalMark { point, comma };
constexpr auto enum_names(DecimalMark) {
  return std::to_array<EnumName<DecimalMark>>(
      {{DecimalMark::point, "point"}, {DecimalMark::comma, "comma"}});
}

// The first number of a sparse file that counts rows or words.
enum class IndexBase { automatic, zero, one };  // automatic: 0 in LDA-C, 1 in all others
constexpr auto enum_names(IndexBase) {
  return std::to_array<EnumName<IndexBase>>(
      {{IndexBase::automatic, "auto"}, {IndexBase::zero, "0"}, {IndexBase::one, "1"}});
}
// 0 or 1.
constexpr std::int64_t first_index(IndexBase base, std::int64_t usual = 1) {
  if (base == IndexBase::automatic) return usual;
  return base == IndexBase::zero ? 0 : 1;
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
  Separator separator = Separator::automatic;
  DecimalMark decimal = DecimalMark::point;
  std::string drop_columns;  // "1,name"; "none": a column that looks like a saved index is data
  IndexBase index_base = IndexBase::automatic;
  // Set by the program, not by the user.
  bool records_are_private = false;  // whether the records belong to persons
  bool kept_in_memory = false;       // what can be read only once (a pipe) is kept in memory
  std::string id_column;             // of public text: names the records, and is no coordinate

  OptionTable table();
};

enum class CorpusFormat { automatic, uci, lda_c, mm, svmlight, text, csv, tsv };
constexpr auto enum_names(CorpusFormat) {
  return std::to_array<EnumName<CorpusFormat>>({{CorpusFormat::automatic, "auto"},
                                                {CorpusFormat::uci, "uci"},
                                                {CorpusFormat::lda_c, "lda-c"},
                                                {CorpusFormat::mm, "mm"},
                                                {CorpusFormat::svmlight, "svmlight"},
                                                {CorpusFormat::text, "text"},
                                                {CorpusFormat::csv, "csv"},
                                                {CorpusFormat::tsv, "tsv"}});
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
  IndexBase index_base = IndexBase::automatic;
  // CSV and TSV: columns by their names in the header or their numbers from 1 on.
  std::string text_column, id_column;
  Separator separator = Separator::automatic;
  HeaderLine header = HeaderLine::automatic;  // text, too: whether the first line is no document
  // Text only, in columns or not.
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
  Separator separator = Separator::automatic;
  DecimalMark decimal = DecimalMark::point;
  IndexBase index_base = IndexBase::automatic;
  TimeMode time_mode = TimeMode::none;
  std::string range;  // "0.5:5", as text_of writes it
  // Set by the program, not by the user.
  bool records_are_private = false;
  bool for_users = false;
  bool positions_only = false;  // values are not read: all are 0
  bool values_if_any = false;   // but with `positions_only` those that are numbers; others: NaN
  // A file that a model is applied to: the names of the model's modes, as far as they are columns.
  // Columns of a header are matched by these names, else by their order. Values may be left out
  // where only positions are read.
  std::vector<std::string> modes = {};
  bool one_user = false;          // with `modes`: only items and values are needed
  bool columns_of_model = false;  // `columns` holds for a file with as many columns, no other
  // Which users are kept, with `for_users`: one of `shards` shares, by their labels.
  std::int64_t shard = 0, shards = 1;

  OptionTable table();
  std::optional<ValueRange> value_range() const;
};

}  // namespace sotto
