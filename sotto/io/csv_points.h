// Records as lines of numbers separated by commas, tabs or spaces; the first line may be a header.
//
// Plain or gzip, from a file or a pipe; blank lines and lines that begin with # are left out. Every
// record must have as many numbers as the first. An error names file and line.
// What the records have in common is read off the first line, or given (CsvRules). For private
// records it must be given.
// Cost: about 10 ns a digit.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

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
};

class CsvPoints final : public PointSource {
 public:
  explicit CsvPoints(std::unique_ptr<ByteSource> bytes, const CsvRules& rules = {});

  Index dim() const override { return dim_; }
  std::string name() const override { return bytes_->path(); }
  bool can_rewind() const override { return bytes_->is_regular(); }

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override;

 private:
  void begin();
  bool take_header();
  bool next_line();
  void split();

  std::unique_ptr<ByteSource> bytes_;
  CsvRules rules_;
  std::optional<LineReader> lines_;
  char separator_ = ',';
  Index dim_ = 0;
  bool there_ = false;                   // whether there is a current line
  std::string_view line_;                // the current line
  std::vector<std::string_view> words_;  // of the current line
};

}  // namespace sotto
