#include "sotto/io/same_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

TEST(SameFile, sees_through_links_and_other_spellings) {
  const TemporaryFolder folder;
  const std::string file = folder / "a";
  put(file, "x");
  put(folder / "other", "x");
  std::filesystem::create_hard_link(file, folder / "hard");
  std::filesystem::create_symlink(file, folder / "soft");
  for (const char* name : {"a", "./a", "hard", "soft"}) {
    EXPECT_TRUE(same_file(file, folder / name)) << name;
  }
  EXPECT_FALSE(same_file(file, folder / "other"));
  EXPECT_FALSE(same_file(folder / "missing", folder / "missing"));
}

TEST(SameFile, sees_the_file_behind_standard_input) {
  const TemporaryFolder folder;
  put(folder / "a", "x");
  const int before = ::dup(STDIN_FILENO);
  ASSERT_NE(std::freopen((folder / "a").c_str(), "r", stdin), nullptr);
  EXPECT_TRUE(same_file("-", folder / "a"));
  EXPECT_TRUE(same_file("/dev/stdin", folder / "a"));
  EXPECT_TRUE(same_file("/dev/stdin", "-"));
  ::dup2(before, STDIN_FILENO);
  ::close(before);
}

}  // namespace
}  // namespace sotto
