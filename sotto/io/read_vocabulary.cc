#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/io/byte_source.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/read_corpus.h"

namespace sotto {
namespace {

// The count of a line "word TAB count"; none if it is missing or not a number from 0 on.
struct WordLine {
  std::string_view word;
  std::optional<double> count;
};

WordLine word_line(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return {line, {}};
  const std::string_view rest = line.substr(tab + 1);
  double count = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  const bool number = error == std::errc() && end == rest.data() + rest.size();
  if (!number || !std::isfinite(count) || count < 0) return {line, {}};
  return {line.substr(0, line.find_last_not_of(" \t", tab) + 1), count};
}

// Calls take(line, where it is) for each line that is not blank.
template <class Take>
void for_each_word_line(const std::string& path, Take take) {
  ByteSource bytes(path);
  LineReader lines(bytes);
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
    take(word_line(line), lines);
  }
}

void check_word_count(std::size_t words, const std::string& path) {
  SOTTO_REQUIRE_AT(words > 0, path, "has no words");
  SOTTO_REQUIRE_AT(words <= std::size_t{std::numeric_limits<std::int32_t>::max()}, path,
                   "has too many words");
}

}  // namespace

std::vector<std::string> read_vocabulary(const std::string& path) {
  std::vector<std::string> words;
  for_each_word_line(path, [&](const WordLine& line, const LineReader& lines) {
    SOTTO_REQUIRE_AT(line.word.find('\t') == std::string_view::npos, lines.place(),
                     "has a tab; a vocabulary has one word a line, with a tab and a count behind "
                     "it or nothing else (gensim: dictionary[i] for every i)");
    words.emplace_back(line.word);
  });
  check_word_count(words.size(), path);
  return words;
}

WordCounts read_word_counts(const std::string& path) {
  WordCounts counts;
  for_each_word_line(path, [&](const WordLine& line, const LineReader& lines) {
    SOTTO_REQUIRE_AT(line.count, lines.place(),
                     "is not a word, a tab and a count, which every line of a background has");
    SOTTO_REQUIRE_AT(counts.emplace(line.word, *line.count).second, lines.place(),
                     "has a word that is in the file twice");
  });
  check_word_count(counts.size(), path);
  double sum = 0;
  for (const auto& [word, count] : counts) sum += count;
  SOTTO_REQUIRE_AT(sum > 0 && std::isfinite(sum), path, "must have a positive sum of counts");
  return counts;
}

}  // namespace sotto
