// The bytes of a file or of standard input, plain or gzip, whichever the content says.
//
// A gzip stream that ends early or fails its checksum is an Error, not an end of file. All readers
// of sotto take their bytes from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct gzFile_s;

namespace sotto {

class ByteSource {
 public:
  explicit ByteSource(std::string path);  // "-" is standard input
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& path() const { return path_; }  // "standard input" for that
  // Whether the same bytes can be had again by opening the path again.
  bool is_regular() const { return regular_; }

  // How many bytes there are from beginning to end; unknown for gzip and for pipes.
  std::optional<std::uint64_t> size() const { return size_; }
  // How many bytes have been read.
  std::uint64_t position() const { return position_; }

  // The next `count` bytes without consuming them; fewer only at the end. Valid until the next
  // call.
  std::string_view peek(std::size_t count);
  // Fewer than `count` only at the end.
  std::size_t read(char* out, std::size_t count);

 private:
  std::size_t read_file(char* out, std::size_t count);

  std::string path_;
  gzFile_s* file_ = nullptr;
  bool regular_ = false;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
  std::string ahead_;  // peeked, not yet read
};

// Bytes of a file as they may stand in a one-line message: quoted, unprintable ones escaped, cut to
// a readable length.
std::string printable(std::string_view bytes);

}  // namespace sotto
