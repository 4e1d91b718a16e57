#include <algorithm>
#include <limits>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/io/byte_source.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/read_corpus.h"

namespace sotto {

std::vector<std::string> read_vocabulary(const std::string& path) {
  ByteSource bytes(path);
  LineReader lines(bytes);
  std::vector<std::string> words;
  std::string blank;  // where the first blank line is
  for (std::string_view line; lines.next(line);) {
    constexpr std::string_view space = " \t";
    line.remove_prefix(std::min(line.find_first_not_of(space), line.size()));
    line = line.substr(0, line.find_last_not_of(space) + 1);
    if (line.empty()) {
      if (blank.empty()) blank = lines.place();
      continue;
    }
    SOTTO_REQUIRE_AT(blank.empty(), blank, "is blank; a vocabulary has one word a line");
    SOTTO_REQUIRE_AT(line.find('\t') == std::string_view::npos, lines.place(),
                     "has a tab; a vocabulary has one word a line and nothing else (gensim: "
                     "dictionary[i] for every i)");
    words.emplace_back(line);
  }
  SOTTO_REQUIRE_AT(!words.empty(), path, "has no words");
  SOTTO_REQUIRE_AT(std::ssize(words) <= std::numeric_limits<std::int32_t>::max(), path,
                   "has too many words");
  return words;
}

}  // namespace sotto
