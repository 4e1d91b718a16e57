// What is said of published files: digests, signatures, the program and the day.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sotto/base/digest.h"
#include "sotto/base/error.h"
#include "sotto/base/program.h"
#include "sotto/base/signature.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

class PublishedFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sotto_published." + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

// `printf abc | b2sum -l 256`
constexpr const char* kOfAbc = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";

TEST_F(PublishedFiles, have_the_digest_of_b2sum) {
  EXPECT_EQ(digest_of("abc"), kOfAbc);
  const FileDigest found = digest_of_file(write("abc", "abc"));
  EXPECT_EQ(found.bytes, 3U);
  EXPECT_EQ(found.blake2b, kOfAbc);
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(digest_of_file(write("large", large)).blake2b, digest_of(large));
  EXPECT_THROW(digest_of_file((folder_ / "missing").string()), Error);
  EXPECT_THROW(digest_of_file(folder_.string()), Error);
}

TEST_F(PublishedFiles, are_signed_by_one_key) {
  const std::string path = (folder_ / "a.key").string(), other = (folder_ / "b.key").string();
  SigningKey::make(path);
  SigningKey::make(other);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  const std::string signature = SigningKey::read(path)->sign("text");
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_TRUE(PublicKey::read(path + ".pub").verifies("text", signature));
  EXPECT_FALSE(PublicKey::read(path + ".pub").verifies("next", signature));
  EXPECT_FALSE(PublicKey::read(other + ".pub").verifies("text", signature));
  EXPECT_FALSE(PublicKey::read(path + ".pub").verifies("text", signature.substr(1)));
  EXPECT_THROW(SigningKey::make(path), Error);
}

TEST_F(PublishedFiles, take_no_key_that_is_none) {
  const std::string path = (folder_ / "a.key").string();
  SigningKey::make(path);
  EXPECT_THROW(SigningKey::read(path + ".pub"), Error);
  EXPECT_THROW(PublicKey::read(path), Error);
  for (const char* text : {"", "key", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"}) {
    const std::string bad = write("bad.key", text);
    EXPECT_THROW(SigningKey::read(bad), Error);
    EXPECT_THROW(PublicKey::read(bad), Error);
  }
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THROW(SigningKey::read(path), Error);
}

TEST(Program, knows_its_build_and_the_day) {
  EXPECT_EQ(build_id().size(), 40U);
  EXPECT_EQ(build_id().find_first_not_of("0123456789abcdef"), std::string::npos);
  ::setenv("SOURCE_DATE_EPOCH", "1767225600", 1);
  EXPECT_EQ(today(), "2026-01-01");
  ::unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(today().size(), 10U);
}

}  // namespace
}  // namespace sotto
