#include "sotto/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
    : path_(std::move(path)), packing_(packing), standard_input_(path_ == "-") {
  open();
  try {
    look_at_packing();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void ByteSource::open() {
  const int descriptor = standard_input_ ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                         : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const int code = errno;
  if (standard_input_) path_ = "standard input";
  if (descriptor < 0) {
    throw Error(fmt::format("cannot be opened: {}", std::generic_category().message(code)), path_,
                Fault::unopened);
  }
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    throw Error("is a directory, a file was expected", path_, Fault::unopened);
  }
  descriptor_ = descriptor;
  // Standard input may be a file whose position is not its beginning.
  regular_ = known && S_ISREG(info.st_mode) && !standard_input_;
  identity_ = {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
               info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

void ByteSource::look_at_packing() {
  constexpr std::size_t kMark = 2;
  const bool named_gzip = path_.ends_with(".gz");
  if (packing_ == Packing::by_content || named_gzip) {
    char mark[kMark];
    const std::string_view head(mark, read_plain(mark, kMark));
    if (GzipReader::begins(head)) {
      gzip_.emplace(descriptor_, path_, head);
      return;
    }
    SOTTO_REQUIRE_AT(packing_ == Packing::by_content, path_,
                     "is called .gz and does not hold gzip data");
    ahead_ = head;
  }
  if (regular_) size_ = identity_.size;
}

ByteSource::~ByteSource() { ::close(descriptor_); }

std::unique_ptr<ByteSource> ByteSource::reopened() const {
  auto again = std::make_unique<ByteSource>(path_, packing_);
  SOTTO_REQUIRE_AT(again->identity_ == identity_, path_,
                   "was replaced or changed while it was being read");
  return again;
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

std::size_t ByteSource::read_file(char* out, std::size_t count) {
  return gzip_ ? gzip_->read(out, count) : read_plain(out, count);
}

std::string_view ByteSource::peek(std::size_t count) {
  if (size_) count = std::min<std::uint64_t>(count, *size_ - std::min(position_, *size_));
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
  SOTTO_REQUIRE_AT(size_ && !gzip_, path_, "cannot be read from an arbitrary position");
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
