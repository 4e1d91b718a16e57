// The bytes of a file or of standard input, plain or gzip.
//
// The content says which of the two it is, or the name alone (Packing): the first bytes of a file
// of private records belong to a person, and those of raw numbers may happen to be the mark of
// gzip.
//
// A gzip stream that ends early or fails its checksum is an Error, not an end of file. So is a file
// that is not the same any more when it is opened again. All readers of sotto take their bytes from
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/io/gzip_reader.h"

namespace sotto {

enum class Packing { by_content, by_name };  // by_name: gzip when the name ends in .gz

class ByteSource {
 public:
  // "-" is standard input.
  explicit ByteSource(std::string path, Packing packing = Packing::by_content);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& path() const { return path_; }  // "standard input" for "-"
  // Whether opening the path again gives the same bytes.
  bool is_regular() const { return regular_; }
  // The same file from its beginning. A file that was replaced or changed meanwhile is an Error.
  std::unique_ptr<ByteSource> reopened() const;

  // How many bytes there are from beginning to end; unknown for gzip and for pipes.
  std::optional<std::uint64_t> size() const { return size_; }
  // How many bytes have been read.
  std::uint64_t position() const { return position_; }

  // The next `count` bytes without consuming them; fewer only at the end. Valid until the next
  // call.
  std::string_view peek(std::size_t count);
  // Fewer than `count` only at the end.
  std::size_t read(char* out, std::size_t count);
  // Goes on at `offset` of a file whose size() is known.
  void seek(std::uint64_t offset);
  // The bytes at `offset` of a file whose size() is known, wherever read() stands.
  std::size_t read_at(std::uint64_t offset, char* out, std::size_t count) const;

 private:
  // Identifies a file, and whether it has changed.
  struct Identity {
    std::uint64_t device = 0, number = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  // of the last change
    bool operator==(const Identity&) const = default;
  };

  void open();
  void look_at_packing();
  std::size_t read_file(char* out, std::size_t count);
  std::size_t read_plain(char* out, std::size_t count);
  void tell(std::size_t done) const;

  std::string path_;
  Packing packing_;
  int descriptor_ = -1;
  std::optional<GzipReader> gzip_;  // none: the bytes as they are
  bool standard_input_;
  bool regular_ = false;
  Identity identity_;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
  std::string ahead_;  // peeked, not yet read
};

// Bytes of a file for a one-line message: quoted, unprintable ones escaped, cut to a readable
// length.
std::string printable(std::string_view bytes);

}  // namespace sotto
