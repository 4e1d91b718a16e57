// Records as lines of numbers separated by commas, semicolons, tabs, bars or spaces; the first line
// may be a header.
//
// Plain or gzip, from a file or a pipe; blank lines and lines that begin with # are left out. Every
// record must have as many fields as the first. An error names file and line.
// What the records have in common is read off the first line, or given (CsvRules). For private
// records it must be given.
//
// A file that is not private is refused, with the option that decides, where reading it would be a
// guess: a first line 0,1,2,.. that may be a header, a column without a name or one that counts the
// records (a saved index), a first line with two kinds of separators.
// Cost: about 10 ns a digit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/file_options.h"
#include "sotto/io/line_reader.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

struct CsvRules {
  std::optional<char> separator;  // none: a comma or a tab where the first line has one, or a space
  // Whether the first line names the columns, after a # if it has one. None: it does when nothing
  // on the first line that is not left out is a number.
  std::optional<bool> header;
  std::optional<Index> dim;             // of files without a header; none: that of the first record
  bool every_line_is_a_record = false;  // blank lines and comments are refused
  DecimalMark decimal = DecimalMark::point;
  std::string drop_columns;  // names or numbers from 1 on; "none"
  std::string id_column;     // the same for the one that names the records; empty: none
  bool guarded = true;       // refuse what looks like a header or an index and was not declared
};

class CsvPoints final : public PointSource {
 public:
  explicit CsvPoints(std::unique_ptr<ByteSource> bytes, const CsvRules& rules = {});

  Index dim() const override { return dim_; }
  std::string name() const override { return bytes_->path(); }
  std::vector<std::string> columns() const override { return names_; }
  std::vector<std::string> ids() const override { return ids_; }
  bool can_rewind() const override { return bytes_->is_regular(); }

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override;

 private:
  void begin();
  bool take_header();
  bool next_line();
  void split();
  void choose_columns(bool header);
  std::size_t drop_column(std::string_view word, bool header, const char* option);
  void refuse_unnamed() const;
  void take_row_names();
  void name_columns(const std::vector<std::string>& header);
  double number(std::size_t column) const;
  void watch_index(double first);

  std::unique_ptr<ByteSource> bytes_;
  CsvRules rules_;
  std::optional<LineReader> lines_;
  char separator_ = ',';
  std::vector<std::size_t> kept_;     // the columns that are read
  std::vector<bool> dropped_;         // by column of the file
  std::vector<std::string> names_;    // of these columns; empty: no header
  std::optional<std::size_t> id_at_;  // the column that names the records
  std::vector<std::string> ids_;      // of those read
  Index dim_ = 0;
  std::uint64_t first_line_ = 0;  // the number of the first line with fields
  Index counted_ = 0;             // records whose first number is one more than that before
  double last_count_ = 0;
  bool may_be_index_ = false;
  bool there_ = false;                   // whether there is a current line
  std::string_view line_;                // the current line
  std::vector<std::string_view> words_;  // of the current line
};

}  // namespace sotto
