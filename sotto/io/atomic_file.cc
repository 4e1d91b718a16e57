#include "sotto/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> next{0};
  return fmt::format("{}.tmp-{}-{}", path, ::getpid(), next++);
}

void throw_system_error(const std::string& path, std::string_view what, int code) {
  throw Error(fmt::format("{}: {}", what, std::generic_category().message(code)), path,
              Fault::system);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat info {};
  SOTTO_REQUIRE_AT(!path_.empty(), path_, "the name of the file to write is empty");
  SOTTO_REQUIRE_AT(::stat(path_.c_str(), &info) != 0 || S_ISREG(info.st_mode), path_,
                   "exists and is not a regular file");
  do {  // a name may be left over from a killed process of the same number
    temporary_ = temporary_name(path_);
    unfinished_.emplace(temporary_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) throw_system_error(path_, "cannot be created", errno);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
  unfinished_.reset();
}

void AtomicFile::write(std::string_view bytes) {
  SOTTO_REQUIRE_AT(descriptor_ >= 0, path_, "is already committed");
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::rewrite_front(std::string_view bytes) {
  SOTTO_REQUIRE_AT(descriptor_ >= 0, path_, "is already committed");
  for (::off_t at = 0; !bytes.empty();) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
}

void AtomicFile::commit() {
  SOTTO_REQUIRE_AT(descriptor_ >= 0, path_, "is already committed");
  // Some file systems cannot synchronise; that is not a fault of the data.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw_system_error(path_, "cannot be written", errno);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    throw_system_error(path_, "cannot be written", errno);
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw_system_error(path_, "cannot be put in place", errno);
  }
  temporary_.clear();
  unfinished_.reset();
}

void write_file_atomic(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace sotto
