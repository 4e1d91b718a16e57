#include "sotto/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/read_progress.h"

namespace sotto {
namespace {

// The most bytes at a time, so that one long read is told of, too.
constexpr std::size_t kPiece = std::size_t{1} << 26;

}  // namespace

ByteSource::ByteSource(std::string path, Packing packing)
    : path_(std::move(path)), packing_(packing) {
  const bool standard_input = path_ == "-";
  const int descriptor = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (standard_input) path_ = "standard input";
  if (descriptor < 0) {
    throw Error(fmt::format("cannot be opened: {}", std::generic_category().message(errno)), path_,
                Fault::unopened);
  }
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    throw Error("is a directory, a file was expected", path_, Fault::unopened);
  }
  // Standard input may be a file whose position is not its beginning.
  regular_ = known && S_ISREG(info.st_mode) && !standard_input;
  descriptor_ = descriptor;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (packing == Packing::by_name && !path_.ends_with(".gz")) {
    if (regular_) size_ = size;
    return;
  }
  file_ = ::gzdopen(descriptor, "rb");
  if (file_ == nullptr) {
    ::close(descriptor);
    throw Error("no memory to read the file", path_, Fault::system);
  }
  // zlib waits until its buffer is full, and reads past the buffer, exactly what is asked for, when
  // that is twice as much. A pipe may be slow, or stay open after the last byte that matters.
  ::gzbuffer(file_, regular_ ? 1 << 15 : 1 << 12);
  if (packing == Packing::by_name && ::gzdirect(file_) == 1) {
    ::gzclose(file_);
    throw Error("is called .gz and does not hold gzip data", path_);
  }
  if (regular_ && ::gzdirect(file_) == 1) size_ = size;
}

ByteSource::~ByteSource() {
  if (file_ != nullptr) {
    ::gzclose(file_);
  } else {
    ::close(descriptor_);
  }
}

std::unique_ptr<ByteSource> ByteSource::reopened() const {
  return std::make_unique<ByteSource>(path_, packing_);
}

// `done` bytes of a read that has not ended.
void ByteSource::tell(std::size_t done) const {
  if (size_) ReadProgress::tell(std::min<std::uint64_t>(position_ + done, *size_), *size_);
}

std::size_t ByteSource::read_plain(char* out, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(descriptor_, out + done, std::min(kPiece, count - done));
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(fmt::format("cannot be read: {}", std::generic_category().message(errno)), path_,
                  Fault::system);
    }
    done += static_cast<std::size_t>(got);
    tell(done);
  }
  return done;
}

// gzread reads plain files as they are. It returns what it could decode before a fault, so every
// short read must be followed by a check for faults.
std::size_t ByteSource::read_file(char* out, std::size_t count) {
  if (file_ == nullptr) return read_plain(out, count);
  std::size_t done = 0;
  while (done < count) {
    const auto wanted = static_cast<unsigned>(std::min(kPiece, count - done));
    const int got = ::gzread(file_, out + done, wanted);
    if (got > 0) done += static_cast<std::size_t>(got);
    tell(done);
    if (got == static_cast<int>(wanted)) continue;
    int code = Z_OK;
    const char* text = ::gzerror(file_, &code);
    if (code == Z_ERRNO) {
      throw Error(fmt::format("cannot be read: {}", std::generic_category().message(errno)), path_,
                  Fault::system);
    }
    if (code == Z_MEM_ERROR) throw Error("no memory to read the file", path_, Fault::system);
    SOTTO_REQUIRE_AT(code != Z_BUF_ERROR, path_, "the gzip data ends too early (truncated file)");
    SOTTO_REQUIRE_AT(code == Z_OK || code == Z_STREAM_END, path_, "damaged gzip data: {}", text);
    break;
  }
  return done;
}

std::string_view ByteSource::peek(std::size_t count) {
  if (ahead_.size() < count) {
    const std::size_t have = ahead_.size();
    ahead_.resize(count);
    ahead_.resize(have + read_file(ahead_.data() + have, count - have));
  }
  return std::string_view(ahead_).substr(0, count);
}

std::size_t ByteSource::read(char* out, std::size_t count) {
  const std::size_t from_ahead = std::min(count, ahead_.size());
  std::copy_n(ahead_.begin(), from_ahead, out);
  ahead_.erase(0, from_ahead);
  const std::size_t done = from_ahead + read_file(out + from_ahead, count - from_ahead);
  position_ += done;
  return done;
}

void ByteSource::seek(std::uint64_t offset) {
  SOTTO_REQUIRE_AT(size_ && file_ == nullptr, path_, "cannot be read from any place on");
  const bool moved = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) >= 0;
  if (!moved) throw Error("cannot be read", path_, Fault::system);
  ahead_.clear();
  position_ = offset;
}

std::size_t ByteSource::read_at(std::uint64_t offset, char* out, std::size_t count) const {
  SOTTO_REQUIRE_AT(size_, path_, "is not a plain file that can be read at any place");
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(descriptor_, out + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(fmt::format("cannot be read: {}", std::generic_category().message(errno)), path_,
                  Fault::system);
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string printable(std::string_view bytes) {
  constexpr std::size_t shown = 40;
  std::string text = "'";
  for (const char c : bytes.substr(0, shown)) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + (bytes.size() > shown ? "...'" : "'");
}

}  // namespace sotto
