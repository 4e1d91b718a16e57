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
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/atomic_file.h"

namespace sotto {
namespace {

// Version 2: magic (8 bytes), then one record with the description, then one for each answer. A
// record is its length (8 bytes), its checksum (4 bytes) and its bytes, in the machine's order.
constexpr std::string_view magic = "sottoCP\x02";
constexpr std::size_t record_head = 12;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string framed(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  const std::uint32_t sum = checksum(bytes);
  std::string record(record_head, '\0');
  std::memcpy(record.data(), &length, 8);
  std::memcpy(record.data() + 8, &sum, 4);
  return record.append(bytes);
}

// Takes one record off the front of `rest`; false when it is not complete.
bool take_record(std::string_view& rest, std::string& record) {
  if (rest.size() < record_head) return false;
  std::uint64_t length = 0;
  std::uint32_t sum = 0;
  std::memcpy(&length, rest.data(), 8);
  std::memcpy(&sum, rest.data() + 8, 4);
  if (length > rest.size() - record_head) return false;
  const std::string_view bytes = rest.substr(record_head, length);
  if (checksum(bytes) != sum) return false;
  record = bytes;
  rest.remove_prefix(record_head + length);
  return true;
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
    SOTTO_REQUIRE_AT(::flock(descriptor_, LOCK_EX | LOCK_NB) == 0, path_,
                     "is in use by another run");
    load(description);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

CheckpointFile::~CheckpointFile() { ::close(descriptor_); }

// A file cut off within its head holds nothing and is begun anew.
void CheckpointFile::load(const std::string& description) {
  const std::string bytes = read_all(descriptor_, path_);
  std::string_view rest = bytes;
  const bool marked = rest.starts_with(magic.substr(0, std::min(magic.size(), rest.size())));
  SOTTO_REQUIRE_AT(marked, path_,
                   "is not a checkpoint of this version of sotto; give another name");
  rest.remove_prefix(std::min(magic.size(), rest.size()));
  std::string record;
  if (take_record(rest, record)) {
    SOTTO_REQUIRE_AT(record == description, path_,
                     "is the checkpoint of another run: it has {}; remove it or give another name",
                     difference(record, description));
    while (take_record(rest, record)) records_.push_back(record);
    const auto good = static_cast<off_t>(bytes.size() - rest.size());
    if (::ftruncate(descriptor_, good) != 0) throw_system_error(path_, "cannot be cut", errno);
    ::lseek(descriptor_, good, SEEK_SET);
    return;
  }
  if (::ftruncate(descriptor_, 0) != 0) throw_system_error(path_, "cannot be cut", errno);
  ::lseek(descriptor_, 0, SEEK_SET);
  write(std::string(magic) + framed(description));
}

void CheckpointFile::append(std::string_view record) { write(framed(record)); }

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

void CheckpointFile::remove() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {
    throw_system_error(path_, "cannot be removed", errno);
  }
}

}  // namespace sotto
