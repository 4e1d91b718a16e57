#include "sotto/io/public_rows.h"

#include "sotto/base/error.h"
#include "sotto/io/line_reader.h"

namespace sotto {

LabelTable read_labels(const std::string& path) {
  ByteSource source(path);
  LineReader lines(source);
  LabelTable labels;
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t") - first + 1);
    const Index before = labels.size();
    labels.add(line);
    SOTTO_REQUIRE_AT(labels.size() > before, lines.place(), "{} stands in the list already", line);
  }
  SOTTO_REQUIRE_AT(labels.size() > 0, source.path(), "has no labels");
  return labels;
}

ObservedEntries numbered_by(const LabelTable& listed, Index mode, const Ratings& ratings) {
  const auto m = static_cast<std::size_t>(mode);
  std::vector<std::int32_t> row_of;
  for (Index r = 0; r < ratings.entries.dims[m]; ++r) {
    row_of.push_back(listed.find(ratings.modes[m].label(r)));
  }
  ObservedEntries entries = ratings.entries;
  entries.dims[m] = listed.size();
  for (std::int32_t& row : entries.index[m]) {
    if (row != kUnknownRow) row = row_of[static_cast<std::size_t>(row)];
  }
  return entries;
}

}  // namespace sotto
