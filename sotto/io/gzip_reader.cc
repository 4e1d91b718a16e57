#include "sotto/io/gzip_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/atomic_file.h"

namespace sotto {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kGzip = 15 + 16;  // zlib: the largest window, and the header of gzip

unsigned char* bytes_of(const char* text) {
  return reinterpret_cast<unsigned char*>(const_cast<char*>(text));
}

}  // namespace

GzipReader::GzipReader(int descriptor, std::string path, std::string_view head)
    : descriptor_(descriptor), path_(std::move(path)), buffer_(std::max(kBuffer, head.size())) {
  std::copy(head.begin(), head.end(), buffer_.begin());
  stream_.next_in = bytes_of(buffer_.data());
  stream_.avail_in = static_cast<unsigned>(head.size());
  if (::inflateInit2(&stream_, kGzip) != Z_OK) {
    throw Error("no memory to read the file", path_, Fault::system);
  }
}

GzipReader::~GzipReader() { ::inflateEnd(&stream_); }

// Makes sure that there is a byte to read; false at the end of the file. A pipe may be slow, so one
// read must do.
bool GzipReader::fill() {
  if (stream_.avail_in > 0) return true;
  ssize_t got = -1;
  do {
    got = ::read(descriptor_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw_system_error(path_, "cannot be read", errno);
  stream_.next_in = bytes_of(buffer_.data());
  stream_.avail_in = static_cast<unsigned>(got);
  return got > 0;
}

// Behind a member: another one, or zeros up to the end of the file.
bool GzipReader::next_member() {
  if (!fill()) return false;
  if (*stream_.next_in != 0) {
    SOTTO_REQUIRE_AT(*stream_.next_in == 0x1f, path_,
                     "has other bytes behind its gzip data (damaged, or not all of it gzip)");
    ::inflateReset(&stream_);
    return true;
  }
  while (fill()) {
    SOTTO_REQUIRE_AT(*stream_.next_in == 0, path_,
                     "has other bytes behind its gzip data (damaged, or not all of it gzip)");
    ++stream_.next_in;
    --stream_.avail_in;
  }
  return false;
}

std::size_t GzipReader::read(char* out, std::size_t count) {
  std::size_t done = 0;
  while (done < count && !ended_) {
    if (!within_ && !next_member()) {
      ended_ = true;
      break;
    }
    within_ = true;
    SOTTO_REQUIRE_AT(fill(), path_, "the gzip data ends too early (truncated file)");
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(count - done, 1u << 30));
    stream_.next_out = bytes_of(out + done);
    stream_.avail_out = wanted;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw Error("no memory to read the file", path_, Fault::system);
    SOTTO_REQUIRE_AT(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR, path_,
                     "damaged gzip data: {}", stream_.msg != nullptr ? stream_.msg : "");
    done += wanted - stream_.avail_out;
    within_ = code != Z_STREAM_END;
  }
  return done;
}

}  // namespace sotto
