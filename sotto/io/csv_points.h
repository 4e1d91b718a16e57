// Records as lines of numbers separated by commas, tabs or spaces; the first line may be a header.
//
// Plain or gzip, from a file or a pipe; blank lines and lines that begin with # are left out. Every
// record must have as many numbers as the first. An error names file and line.
// Cost: about 10 ns a digit.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sotto/io/line_reader.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

class CsvPoints final : public PointSource {
 public:
  explicit CsvPoints(std::unique_ptr<ByteSource> bytes);

  Index dim() const override { return dim_; }
  std::string name() const override { return bytes_->path(); }
  bool can_rewind() const override { return bytes_->is_regular(); }

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override;

 private:
  void begin();
  bool next_line();
  void split();

  std::unique_ptr<ByteSource> bytes_;
  std::optional<LineReader> lines_;
  char separator_ = ',';
  Index dim_ = 0;
  std::string_view line_;                // current; empty at the end
  std::vector<std::string_view> words_;  // of it
};

}  // namespace sotto
