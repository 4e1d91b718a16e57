#include "sotto/io/line_reader.h"

#include <algorithm>
#include <cstring>

#include "sotto/base/error.h"

namespace sotto {

LineReader::LineReader(ByteSource& source, std::size_t longest)
    : source_(source), longest_(longest), buffer_(std::min(longest, usual_longest)) {}

std::string LineReader::place() const { return fmt::format("{}:{}", source_.path(), number_); }

// Moves what is left to the front and fills the rest of the buffer; false when nothing came.
bool LineReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  at_end_ = end_ < buffer_.size();
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* begin = buffer_.data() + begin_;
    const std::size_t length = end_ - begin_;
    const void* found = std::memchr(begin + searched, '\n', length - searched);
    if (found != nullptr || (at_end_ && length > 0)) {
      const std::size_t size =
          found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - begin)
                           : length;
      ++number_;
      begin_ += size + (found != nullptr ? 1 : 0);
      line = std::string_view(begin, size);
      if (line.ends_with('\r')) line.remove_suffix(1);
      return true;
    }
    if (at_end_) return false;
    searched = length;
    SOTTO_REQUIRE_AT(length < longest_, fmt::format("{}:{}", source_.path(), number_ + 1),
                     "the line is longer than {} bytes; is this a text file?", longest_);
    if (length == buffer_.size()) buffer_.resize(std::min(longest_, 2 * length));
    if (!refill() && end_ == begin_) return false;
  }
}

}  // namespace sotto
