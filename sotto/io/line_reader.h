// The lines of a text file, read in blocks, with their numbers for messages.
//
// A byte-order mark (UTF-8) at the beginning of the file belongs to no line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/byte_source.h"

namespace sotto {

// `text` without the mark: for code that looks at the beginning of a file before a LineReader does.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

// What to do with a line that is too long.
enum class LongLines { refused, cut };

class LineReader {
 public:
  static constexpr std::size_t usual_longest = std::size_t{1} << 20;
  static constexpr std::size_t longest_document = std::size_t{1} << 30;

  // Memory grows with the longest line.
  explicit LineReader(ByteSource& source, std::size_t longest = usual_longest,
                      LongLines long_lines = LongLines::refused);

  // Sets `line` to the next line without its end ("\n" or "\r\n"); false at the end of the file.
  // The view is valid until the next call. A line of more than `longest` bytes is cut, or is an
  // Error.
  bool next(std::string_view& line);

  // "ratings.tns:17", the line last returned.
  std::string place() const;
  // 17, its number in the file.
  std::uint64_t number() const { return number_; }

 private:
  bool refill();
  void pass_rest_of_line();
  std::string_view take(std::size_t size, bool with_end);

  ByteSource& source_;
  std::size_t longest_;
  LongLines long_lines_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is in the buffer and not yet returned
  bool at_end_ = false;
  bool cut_ = false;  // the rest of the line last returned is still to be left out
  std::uint64_t number_ = 0;
};

// Takes the next word, between blanks and tabs, off the front of `rest`; empty at the end.
inline std::string_view take_word(std::string_view& rest) {
  constexpr auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  const char* begin = rest.data();
  const char* const end = begin + rest.size();
  while (begin != end && is_space(*begin)) ++begin;
  const char* stop = begin;
  while (stop != end && !is_space(*stop)) ++stop;
  rest = std::string_view(stop, static_cast<std::size_t>(end - stop));
  return std::string_view(begin, static_cast<std::size_t>(stop - begin));
}

// `text` without the blanks and tabs at its ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// For the words of formats: letters beyond ASCII stay as they are, whatever the locale.
inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

}  // namespace sotto
