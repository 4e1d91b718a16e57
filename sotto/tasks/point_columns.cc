#include "sotto/tasks/point_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/output_folder.h"
#include "sotto/tasks/result_folder.h"

namespace sotto {
namespace {

constexpr const char* kColumnsFile = "columns.txt";

}  // namespace

void save_columns(const std::vector<std::string>& columns, OutputFolder& folder) {
  if (columns.empty()) return;
  folder.write_text(kColumnsFile, fmt::format("{}\n", join_text(columns, "\n")));
}

std::vector<std::string> saved_columns(const ResultFolder& folder, Index dim) {
  std::vector<std::string> columns;
  if (!folder.lists(kColumnsFile)) return columns;
  ByteSource source(folder.file(kColumnsFile));
  LineReader lines(source);
  std::string_view line;
  while (lines.next(line)) columns.emplace_back(line);
  folder.require_together(std::ssize(columns) == dim);
  return columns;
}

void require_same_columns(const PointSource& points, const std::vector<std::string>& expected) {
  const std::vector<std::string> found = points.columns();
  if (found.empty() || expected.empty()) return;
  for (std::size_t n = 0; n < std::min(found.size(), expected.size()); ++n) {
    SOTTO_REQUIRE_AT(found[n] == expected[n], points.name(),
                     "calls coordinate {} {}, the model was learnt with {} there; give the columns "
                     "{}",
                     n + 1, found[n], expected[n], join_text(expected, ", "));
  }
}

}  // namespace sotto
