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
  explicit LineReader(ByteSource& source);

  // Sets `line` to the next line without its end ("\n" or "\r\n"); false at the end of the file.
  // The view is valid until the next call. A line of more than a megabyte is an Error.
  bool next(std::string_view& line);

  // "ratings.tns:17", the line last returned.
  std::string place() const;
  // 17, its number in the file.
  std::uint64_t number() const { return number_; }

 private:
  bool refill();

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is in the buffer and not yet returned
  bool at_end_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace sotto
