#include "sotto/io/line_reader.h"

#include <algorithm>
#include <cstring>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Enough for what is there, and for noticing that there is no more.
std::size_t buffer_for(const ByteSource& source, std::size_t most) {
  return source.size() ? static_cast<std::size_t>(std::min<std::uint64_t>(most, *source.size() + 1))
                       : most;
}

}  // namespace

LineReader::LineReader(ByteSource& source, std::size_t longest, LongLines long_lines)
    : source_(source),
      longest_(longest),
      long_lines_(long_lines),
      buffer_(buffer_for(source, std::min(longest, usual_longest))) {}

std::string LineReader::place() const { return fmt::format("{}:{}", source_.path(), number_); }

// Moves what is left to the front and fills the rest of the buffer; false when nothing came.
bool LineReader::refill() {
  const bool at_beginning = source_.position() == 0;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  at_end_ = end_ < buffer_.size();
  if (at_beginning) begin_ = got - without_byte_order_mark({buffer_.data(), got}).size();
  return got > 0;
}

// Leaves out the bytes up to the end of the line.
void LineReader::pass_rest_of_line() {
  cut_ = false;
  for (;;) {
    const void* found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (found != nullptr) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      return;
    }
    begin_ = end_;
    if (at_end_ || !refill()) return;
  }
}

// The next `size` bytes of the buffer as a line.
std::string_view LineReader::take(std::size_t size, bool with_end) {
  std::string_view line(buffer_.data() + begin_, size);
  begin_ += size + (with_end ? 1 : 0);
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool LineReader::next(std::string_view& line) {
  if (cut_) pass_rest_of_line();
  std::size_t searched = 0;
  for (;;) {
    const char* begin = buffer_.data() + begin_;
    const std::size_t length = end_ - begin_;
    const void* found = std::memchr(begin + searched, '\n', length - searched);
    if (found != nullptr || (at_end_ && length > 0)) {
      const std::size_t size =
          found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - begin)
                           : length;
      line = take(size, found != nullptr);
      return true;
    }
    if (at_end_) return false;
    searched = length;
    if (length >= longest_ && long_lines_ == LongLines::cut) {
      cut_ = true;
      line = take(longest_, false);
      return true;
    }
    SOTTO_REQUIRE_AT(length < longest_, fmt::format("{}:{}", source_.path(), number_ + 1),
                     "the line is longer than {} bytes; is this a text file?", longest_);
    if (length == buffer_.size()) buffer_.resize(std::min(longest_, 2 * length));
    if (!refill() && end_ == begin_) return false;
  }
}

}  // namespace sotto
