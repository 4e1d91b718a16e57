// The lines of a text file, read in blocks, with their numbers for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/byte_source.h"

namespace sotto {

class LineReader {
 public:
  static constexpr std::size_t usual_longest = std::size_t{1} << 20;
  static constexpr std::size_t longest_document = std::size_t{1} << 30;

  // Memory grows with the longest line there is.
  explicit LineReader(ByteSource& source, std::size_t longest = usual_longest);

  // Sets `line` to the next line without its end ("\n" or "\r\n"); false at the end of the file.
  // The view is valid until the next call. A line of more than `longest` bytes is an Error.
  bool next(std::string_view& line);

  // "ratings.tns:17", the line last returned.
  std::string place() const;
  // 17, its number in the file.
  std::uint64_t number() const { return number_; }

 private:
  bool refill();

  ByteSource& source_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is in the buffer and not yet returned
  bool at_end_ = false;
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

}  // namespace sotto
