// A file that appears complete or not at all.
//
// The bytes go to a temporary file beside the target, which takes the target's name at commit();
// without commit it is removed. A fault of the disk is an Error with Fault::system.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sotto/io/unfinished.h"

namespace sotto {

class AtomicFile {
 public:
  // Refuses a target that exists and is not a regular file (a directory, a device, a pipe).
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  // Overwrites the first bytes of the file: for a header that is known only at the end.
  void rewrite_front(std::string_view bytes);
  // Waits until the bytes are on the disk, then renames.
  void commit();

 private:
  void discard();

  std::string path_;
  std::string temporary_;
  std::optional<Unfinished> unfinished_;  // for the case that a signal ends the program
  int descriptor_ = -1;
};

void write_file_atomic(const std::string& path, std::string_view bytes);

// A name nothing else in this or another process uses: `path` with a suffix.
std::string temporary_name(const std::string& path);

// Error{Fault::system} with the text of `code` (an errno): "out/vectors.npy: cannot be written: No
// space left on device".
[[noreturn]] void throw_system_error(const std::string& path, std::string_view what, int code);

}  // namespace sotto
