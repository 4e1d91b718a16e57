#include "sotto/io/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/atomic_file.h"

namespace sotto {
namespace {

// Version 3: magic (8 bytes), then one record with the keys and the description, then one for each
// answer. A record is its length (8 bytes), the checksum of its bytes (4), the checksum of these
// twelve (4), and its bytes, in the machine's order.
constexpr std::string_view kCheckpointMagic = "sottoCP\x03";
constexpr std::size_t record_head = 16;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class T>
T number_at(std::string_view bytes, std::size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

std::string framed(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  const std::uint32_t sum = checksum(bytes);
  std::string record(record_head, '\0');
  std::memcpy(record.data(), &length, 8);
  std::memcpy(record.data() + 8, &sum, 4);
  const std::uint32_t head_sum = checksum(std::string_view(record).substr(0, 12));
  std::memcpy(record.data() + 12, &head_sum, 4);
  return record.append(bytes);
}

enum class Taken { whole, torn, damaged };

// Takes one record off the front of `rest`; it is torn when the file ends within it.
Taken take_record(std::string_view& rest, std::string& record) {
  if (rest.size() < record_head) return Taken::torn;
  if (checksum(rest.substr(0, 12)) != number_at<std::uint32_t>(rest, 12)) return Taken::damaged;
  const auto length = number_at<std::uint64_t>(rest, 0);
  if (length > rest.size() - record_head) return Taken::torn;
  const std::string_view bytes = rest.substr(record_head, length);
  if (checksum(bytes) != number_at<std::uint32_t>(rest, 8)) return Taken::damaged;
  record = bytes;
  rest.remove_prefix(record_head + length);
  return Taken::whole;
}

bool all_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

// "starts 10, this run has starts 20": the first line that differs.
std::string difference(std::string_view theirs, std::string_view ours) {
  while (!theirs.empty() || !ours.empty()) {
    const std::string_view a = take_line(theirs), b = take_line(ours);
    if (a != b) return fmt::format("'{}', this run has '{}'", a, b);
  }
  return "";
}

std::string read_all(int descriptor, const std::string& path) {
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error(path, "cannot be read", errno);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, const std::string& description)
    : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) throw_system_error(path_, "cannot be opened as a checkpoint", errno);
  try {
    struct stat info {};
    SOTTO_REQUIRE_AT(::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode), path_,
                     "is not a regular file");
    SOTTO_REQUIRE_AT(info.st_uid == ::geteuid(), path_,
                     "belongs to another user; give another name for the checkpoint");
    SOTTO_REQUIRE_AT(::flock(descriptor_, LOCK_EX | LOCK_NB) == 0, path_,
                     "is in use by another run");
    load(description);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

CheckpointFile::~CheckpointFile() { ::close(descriptor_); }

void CheckpointFile::load(const std::string& description) {
  const std::string bytes = read_all(descriptor_, path_);
  std::string_view rest = bytes;
  SOTTO_REQUIRE_AT(rest.starts_with(kCheckpointMagic.substr(0, rest.size())), path_,
                   "is not a checkpoint of this version of sotto; give another name");
  keep_from_others();
  rest.remove_prefix(std::min(kCheckpointMagic.size(), rest.size()));
  std::string record;
  const Taken first = take_record(rest, record);
  // The description is on the disk before an answer is written: if it is torn, there are no
  // answers.
  if (first == Taken::torn) return begin(description);
  if (first == Taken::damaged || record.size() < sizeof keys_) refuse("its description");
  std::memcpy(&keys_, record.data(), sizeof keys_);
  record.erase(0, sizeof keys_);
  SOTTO_REQUIRE_AT(record == description, path_,
                   "is the checkpoint of another run: it has {}; give another name, or remove it "
                   "(answers of a private run in it are spent)",
                   difference(record, description));
  take_answers(rest);
  cut(bytes.size() - rest.size());
}

// Keys and answers are for the owner alone, even if the file existed before.
void CheckpointFile::keep_from_others() const {
  struct stat info {};
  const bool kept = ::fchmod(descriptor_, 0600) == 0 && ::fstat(descriptor_, &info) == 0 &&
                    (info.st_mode & 0777) == 0600;
  SOTTO_REQUIRE_AT(kept, path_,
                   "cannot be kept from other users; put the checkpoint on a file system that has "
                   "permissions");
}

void CheckpointFile::begin(const std::string& description) {
  cut(0);
  keys_ = {fresh_secret_key(), fresh_secret_key()};
  std::string record(reinterpret_cast<const char*>(&keys_), sizeof keys_);
  write(std::string(kCheckpointMagic) + framed(record + description));
}

// The trace of a killed run is a last record that is incomplete, or zeros with which the file
// system made room for it. Any other damaged record was released, and is not drawn again.
void CheckpointFile::take_answers(std::string_view& rest) {
  std::string record;
  while (!all_zero(rest)) {
    const Taken taken = take_record(rest, record);
    if (taken == Taken::torn) return;
    if (taken == Taken::damaged) refuse(fmt::format("answer {}", answers_ + 1));
    records_.push_back(record);
    ++answers_;
  }
}

void CheckpointFile::refuse(const std::string& what) const {
  throw Error(fmt::format("{} is damaged; the answers in the checkpoint are spent and a new run "
                          "would pay again: restore the file as it last was, or remove it and "
                          "count both runs",
                          what),
              path_);
}

void CheckpointFile::cut(std::size_t length) {
  const auto end = static_cast<off_t>(length);
  if (::ftruncate(descriptor_, end) != 0) throw_system_error(path_, "cannot be cut", errno);
  ::lseek(descriptor_, end, SEEK_SET);
}

void CheckpointFile::append(std::string_view record) {
  write(framed(record));
  ++answers_;
}

void CheckpointFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  // Some file systems cannot synchronise; that is not a fault of the data.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw_system_error(path_, "cannot be written", errno);
  }
}

// Removes what a symbolic link points to, not the link.
void CheckpointFile::remove() {
  std::error_code none;
  const std::filesystem::path target = std::filesystem::canonical(path_, none);
  if (!none && ::unlink(target.c_str()) != 0 && errno != ENOENT) {
    throw_system_error(path_, "cannot be removed", errno);
  }
}

}  // namespace sotto
