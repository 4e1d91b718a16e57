// A file that records how far a long run has come. It may be cut off at any byte.
//
// It begins with a mark, a version, two secret keys drawn when it is made, and the description of
// the run, lines of "name value". Then come records, one an answer. Each has its length, a
// checksum, and a checksum of these two; it is appended in one write and is on the disk before
// append() returns. Opening an existing file returns its records; a torn last record, the trace of
// a killed run, is cut off. Any other damage is refused, because the answers in the file were
// released: a flipped bit, wherever it is, never makes them fewer. A file of another run is
// refused, naming the first line of the description that differs. A lock keeps two runs from
// writing to one file. Only its owner can read the file, even if it existed before; a file of
// another user is refused. A symbolic link is followed. A fault of the disk is an Error with
// Fault::system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/keyed_digest.h"

namespace sotto {

class CheckpointFile {
 public:
  CheckpointFile(std::string path, const std::string& description);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  const std::string& path() const { return path_; }
  // For the digest of the records that the answers were made from.
  const SecretKey& digest_key() const { return keys_.digest; }
  // For the order in which the run reads its records, if the order is secret.
  const SecretKey& order_key() const { return keys_.order; }
  // The records that were in the file when it was opened. They can be taken once.
  std::vector<std::string> take_records() { return std::move(records_); }
  void append(std::string_view record);
  // How many records there are now.
  std::int64_t answers() const { return answers_; }
  // Removes the file, after the run has ended well.
  void remove();

 private:
  struct Keys {
    SecretKey digest{}, order{};
  };

  void load(const std::string& description);
  void begin(const std::string& description);
  void keep_from_others() const;
  void take_answers(std::string_view& rest);
  void cut(std::size_t length);
  void write(std::string_view bytes);
  // Refuses to continue the run.
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  int descriptor_ = -1;
  Keys keys_;
  std::int64_t answers_ = 0;
  std::vector<std::string> records_;
};

}  // namespace sotto
