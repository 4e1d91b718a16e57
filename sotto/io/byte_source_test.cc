#include "sotto/io/byte_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <thread>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

std::string bytes_of(const std::string& path) {
  ByteSource source(path);
  std::string all, block(1000, '\0');
  for (;;) {
    const std::size_t got = source.read(block.data(), block.size());
    all += block.substr(0, got);
    if (got < block.size()) break;
  }
  EXPECT_EQ(source.position(), all.size());
  return all;
}

std::string long_text() {
  std::string text;
  for (int n = 0; n < 20000; ++n) text += std::to_string(n * 7919 % 10007) + "\n";
  return text;
}

TEST(ByteSource, plain_and_gzip_give_the_same_bytes) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
    put(folder / "plain", text);
    put_gzip(folder / "gzip", text);
    EXPECT_EQ(bytes_of(folder / "plain"), text);
    EXPECT_EQ(bytes_of(folder / "gzip"), text);
    EXPECT_EQ(ByteSource(folder / "plain").size(), text.size());
    EXPECT_EQ(ByteSource(folder / "gzip").size(), std::nullopt);
  }
}

TEST(ByteSource, peeking_consumes_nothing) {
  const TemporaryFolder folder;
  put_gzip(folder / "x", "abcdefgh");
  ByteSource source(folder / "x");
  EXPECT_EQ(source.peek(3), "abc");
  EXPECT_EQ(source.peek(2), "ab");
  char out[5] = {};
  EXPECT_EQ(source.read(out, 4), 4u);
  EXPECT_EQ(std::string(out), "abcd");
  EXPECT_EQ(source.peek(100), "efgh");
  EXPECT_EQ(source.position(), 4u);
}

TEST(ByteSource, reads_a_pipe_whose_size_it_does_not_know) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { put(folder / "pipe", "hello"); });
  ByteSource source(folder / "pipe");
  EXPECT_EQ(source.size(), std::nullopt);
  EXPECT_EQ(source.peek(10), "hello");
  writer.join();
}

TEST(ByteSource, a_truncated_gzip_file_is_an_error_at_every_length) {
  const TemporaryFolder folder;
  const std::string text = long_text().substr(0, 3000);
  put_gzip(folder / "x", text);
  const std::string bytes = get(folder / "x");
  for (std::size_t n = 2; n < bytes.size(); ++n) {
    put(folder / "x", bytes.substr(0, n));
    EXPECT_ERROR(bytes_of(folder / "x"), "x: the gzip data ends too early");
  }
}

TEST(ByteSource, a_gzip_file_with_a_wrong_checksum_is_an_error) {
  const TemporaryFolder folder;
  put_gzip(folder / "x", long_text());
  std::string bytes = get(folder / "x");
  bytes[bytes.size() - 6] ^= 1;
  put(folder / "x", bytes);
  EXPECT_ERROR(bytes_of(folder / "x"), "damaged gzip data");
}

TEST(ByteSource, names_what_is_missing_or_a_directory) {
  const TemporaryFolder folder;
  EXPECT_ERROR(ByteSource(folder / "none"), "none: cannot be opened: No such file or directory");
  EXPECT_ERROR(ByteSource(folder.path().string()), "is a directory");
}

TEST(ByteSource, quoting_keeps_a_message_on_one_short_line) {
  EXPECT_EQ(printable("ab\n\x93"), "'ab\\x0a\\x93'");
  EXPECT_LT(printable(std::string(100000, '\n')).size(), 200u);
}

TEST(ByteSource, by_name_the_content_has_no_say_about_gzip) {
  const TemporaryFolder folder;
  const auto read = [](const std::string& path) {
    ByteSource source(path, Packing::by_name);
    std::string all(100, '\0');
    all.resize(source.read(all.data(), all.size()));
    return all;
  };
  const std::string like_gzip = "\x1f\x8b\x08 raw numbers may begin like this";
  put(folder / "x.raw", like_gzip);
  EXPECT_EQ(read(folder / "x.raw"), like_gzip);
  EXPECT_EQ(ByteSource(folder / "x.raw", Packing::by_name).size(), like_gzip.size());
  EXPECT_EQ(ByteSource(folder / "x.raw", Packing::by_name).reopened()->peek(3), "\x1f\x8b\x08");
  EXPECT_ERROR(bytes_of(folder / "x.raw"), "gzip");
  put_gzip(folder / "x.gz", "hello");
  EXPECT_EQ(read(folder / "x.gz"), "hello");
  put(folder / "x.gz", "hello");
  EXPECT_ERROR(read(folder / "x.gz"), "does not hold gzip data");
  EXPECT_EQ(bytes_of(folder / "x.gz"), "hello");
}

TEST(ByteSource, reads_all_members_of_a_gzip_file_and_nothing_may_follow_them) {
  const TemporaryFolder folder;
  put_gzip(folder / "a", "hello ");
  put_gzip(folder / "b", "world");
  const std::string two = get(folder / "a") + get(folder / "b");
  put(folder / "x", two);
  EXPECT_EQ(bytes_of(folder / "x"), "hello world");
  put(folder / "x", two + std::string(700, '\0'));  // as on tapes
  EXPECT_EQ(bytes_of(folder / "x"), "hello world");
  for (const std::string behind : {"x", "\x1e", "1 2 3\n"}) {
    put(folder / "x", two + behind);
    EXPECT_ERROR(bytes_of(folder / "x"), "has other bytes behind its gzip data");
    put(folder / "x", two + std::string(3, '\0') + behind);
    EXPECT_ERROR(bytes_of(folder / "x"), "has other bytes behind its gzip data");
  }
  put(folder / "x", two + "\x1f");
  EXPECT_ERROR(bytes_of(folder / "x"), "the gzip data ends too early");
  put(folder / "x", two + "\x1f no member");
  EXPECT_ERROR(bytes_of(folder / "x"), "damaged gzip data");
}

TEST(ByteSource, a_file_that_is_not_the_same_any_more_is_not_opened_again) {
  const TemporaryFolder folder;
  put(folder / "x", "first");
  const ByteSource source(folder / "x");
  EXPECT_EQ(source.reopened()->peek(9), "first");
  put(folder / "y", "other");
  std::filesystem::rename(folder / "y", folder / "x");
  EXPECT_ERROR(source.reopened(), "x: was replaced or changed while it was being read");
  const ByteSource other(folder / "x");
  std::ofstream(folder / "x", std::ios::app) << "more";
  EXPECT_ERROR(other.reopened(), "was replaced or changed");
}

}  // namespace
}  // namespace sotto
