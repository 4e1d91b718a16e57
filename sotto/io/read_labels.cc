#include "sotto/io/read_labels.h"

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
    SOTTO_REQUIRE_AT(labels.size() > before, lines.place(), "{} is in the list already", line);
  }
  SOTTO_REQUIRE_AT(labels.size() > 0, source.path(), "has no labels");
  return labels;
}

}  // namespace sotto
