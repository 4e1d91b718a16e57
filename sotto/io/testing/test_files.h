// For the tests of this folder only: temporary files, gzip, and what an error says.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/base/testing/error_of.h"

namespace sotto {

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sotto-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

  // Number of things in it, at any depth.
  long count() const {
    return std::distance(std::filesystem::recursive_directory_iterator(path_),
                         std::filesystem::recursive_directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

// What a reader read: the files of tests belong to nobody.
template <class T>
T opened(Sensitive<T> data) {
  return std::move(data).open(PublicDeclaration("made by a test"));
}

// A file is removed before it is written anew, since some file systems wait for the disk when a
// file is truncated.
inline void put(const std::string& path, std::string_view bytes) {
  if (std::filesystem::is_regular_file(path)) std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

inline std::string get(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

inline void put_gzip(const std::string& path, std::string_view bytes) {
  const gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  ::gzclose(file);
}

inline bool mentions(const std::string& said, const std::string& text) {
  return said.find(text) != std::string::npos;
}

// `action` throws an Error that mentions `text`.
#define EXPECT_ERROR(action, text) \
  EXPECT_PRED2(::sotto::mentions, ::sotto::error_of([&] { (void)(action); }), text)

// Calls `read` on every truncation of the file and on the file with each of its bytes changed in
// several ways. Anything but success or an Error fails the test (or the sanitizer).
inline void damage_everywhere(const std::string& path, const std::function<void()>& read) {
  const std::string bytes = get(path);
  int refused = 0;
  const auto attempt = [&](const std::string& damaged) {
    put(path, damaged);
    refused += error_of(read).empty() ? 0 : 1;
  };
  for (std::size_t n = 0; n < bytes.size(); ++n) attempt(bytes.substr(0, n));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    for (const int change : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[n] = static_cast<char>(damaged[n] ^ change);
      attempt(damaged);
    }
    for (const char other : {'9', '-', ' ', '\n', '\0'}) {
      std::string damaged = bytes;
      damaged[n] = other;
      attempt(damaged);
    }
  }
  EXPECT_GT(refused, static_cast<int>(bytes.size()) / 2);
}

}  // namespace sotto
