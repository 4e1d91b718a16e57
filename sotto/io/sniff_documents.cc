#include "sotto/io/sniff_documents.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

using WordList = std::vector<std::string_view>;

WordList words_of(std::string_view line) {
  WordList words;
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    words.push_back(word);
  }
  return words;
}

// The first lines that are not blank. A line that may be cut is not used; if it is the only one,
// its words before the last are.
std::vector<WordList> first_lines(std::string_view head, bool cut) {
  constexpr std::size_t enough = 16;
  const std::size_t last = head.rfind('\n');
  const bool one_line = last == std::string_view::npos;
  if (cut && !one_line) head = head.substr(0, last);
  std::vector<WordList> lines;
  while (!head.empty() && lines.size() < enough) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    WordList words = words_of(head.substr(0, end));
    if (cut && one_line && !words.empty()) words.pop_back();
    if (!words.empty()) lines.push_back(std::move(words));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return lines;
}

bool all_whole(const WordList& words) {
  Index ignored;
  return std::all_of(words.begin(), words.end(),
                     [&](std::string_view word) { return is_whole(word, ignored); });
}

// Three lines of one whole number, then lines of three.
bool looks_like_uci(const std::vector<WordList>& lines) {
  if (lines.size() < 4) return false;
  for (std::size_t n = 0; n < 4; ++n) {
    if (lines[n].size() != (n < 3 ? 1u : 3u) || !all_whole(lines[n])) return false;
  }
  return true;
}

bool is_pair(std::string_view word) {
  Index number;
  double value;
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && is_real(word.substr(colon + 1), value) &&
         (word.starts_with("qid:") || is_whole(word.substr(0, colon), number));
}

// "7 3:1 9:2": a number, then pairs, at least one.
bool is_row_of_pairs(const WordList& words) {
  double label;
  const auto comment = std::find_if(words.begin(), words.end(),
                                    [](std::string_view word) { return word.front() == '#'; });
  return comment - words.begin() > 1 && is_real(words.front(), label) &&
         std::all_of(words.begin() + 1, comment, is_pair);
}

// As many pairs as the first number says; of a line that is cut, no more.
bool counts_its_pairs(const WordList& words, bool cut) {
  Index claimed = 0;
  const Index pairs = std::ssize(words) - 1;
  return is_whole(words.front(), claimed) && (cut ? claimed >= pairs : claimed == pairs);
}

}  // namespace

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

bool has_numbers_alone(std::string_view head, bool cut) {
  const auto lines = first_lines(head, cut);
  constexpr std::string_view digits = "0123456789";
  const auto is_number = [&](std::string_view word) {
    return word.find_first_not_of("0123456789.,;:+-eE") == std::string_view::npos &&
           word.find_first_of(digits) != std::string_view::npos;
  };
  return lines.size() >= 4 && std::all_of(lines.begin(), lines.end(), [&](const WordList& words) {
           return std::all_of(words.begin(), words.end(), is_number);
         });
}

std::optional<DocumentFormat> sniff_documents(std::string_view head, bool cut) {
  const auto lines = first_lines(head, cut);
  if (looks_like_uci(lines)) return DocumentFormat::uci;
  if (std::none_of(lines.begin(), lines.end(), is_row_of_pairs)) return std::nullopt;
  const bool within_line = cut && head.find('\n') == std::string_view::npos;
  const bool counted = std::all_of(lines.begin(), lines.end(), [&](const WordList& words) {
    return counts_its_pairs(words, within_line);
  });
  return counted ? DocumentFormat::lda_c : DocumentFormat::svmlight;
}

}  // namespace sotto
