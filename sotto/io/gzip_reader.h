// The bytes that a gzip file holds, read from a descriptor.
//
// A file may have several members, one after the other. What follows the last member must be zeros,
// with which tapes are padded. Anything else is an Error, and so are members that end early or fail
// their checksum. No data is lost silently, which zlib's own gzread does not promise.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

class GzipReader {
 public:
  // `head` has been read from the descriptor already. `path` is for messages.
  GzipReader(int descriptor, std::string path, std::string_view head);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  static bool begins(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

  // Fewer than `count` only at the end.
  std::size_t read(char* out, std::size_t count);

 private:
  bool fill();
  bool next_member();

  int descriptor_;
  std::string path_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool within_ = true;  // a member
  bool ended_ = false;
};

}  // namespace sotto
