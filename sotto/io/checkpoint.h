// A file that remembers how far a long run has come, made to be cut off at any byte.
//
// It begins with a mark, a version and the description of the run, lines of "name value"; then come
// records, each with its length and a checksum, appended in one write and on the disk before
// append() returns. Opening an existing file gives back its complete records; a torn last record,
// the trace of a killed run, is cut off. A file of another run is refused, naming the first line of
// the description that differs. A lock keeps two runs from writing to one file.
// Only its owner can read it.
// A fault of the disk is an Error with Fault::system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

class CheckpointFile {
 public:
  CheckpointFile(std::string path, const std::string& description);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  const std::string& path() const { return path_; }
  // Records that were there when the file was opened. They can be taken once.
  std::vector<std::string> take_records() { return std::move(records_); }
  void append(std::string_view record);
  // The run has ended well: the file is no longer needed.
  void remove();

 private:
  void load(const std::string& header);
  void write(std::string_view bytes);

  std::string path_;
  int descriptor_ = -1;
  std::vector<std::string> records_;
};

}  // namespace sotto
