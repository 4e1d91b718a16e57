#include "sotto/io/atomic_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

TEST(AtomicFile, replaces_a_file_only_at_commit) {
  const TemporaryFolder folder;
  put(folder / "x", "old");
  {
    AtomicFile file(folder / "x");
    file.write("half");
  }
  EXPECT_EQ(get(folder / "x"), "old");
  EXPECT_EQ(folder.count(), 1);
  AtomicFile file(folder / "x");
  file.write("whole ");
  file.write("file");
  EXPECT_EQ(get(folder / "x"), "old");
  file.commit();
  EXPECT_EQ(get(folder / "x"), "whole file");
  EXPECT_EQ(folder.count(), 1);
  EXPECT_ERROR(file.write("more"), "already committed");
}

TEST(AtomicFile, rewrites_its_front_and_goes_on_at_the_end) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "x");
  file.write("header body");
  file.rewrite_front("HEAD");
  file.write(" end");
  file.commit();
  EXPECT_EQ(get(folder / "x"), "HEADer body end");
  EXPECT_ERROR(file.rewrite_front("x"), "already committed");
}

TEST(AtomicFile, does_not_replace_devices_and_directories) {
  const TemporaryFolder folder;
  EXPECT_ERROR(write_file_atomic("/dev/null", "x"), "/dev/null: exists and is not a regular file");
  EXPECT_ERROR(write_file_atomic(folder.path().string(), "x"), "not a regular file");
  EXPECT_ERROR(write_file_atomic("", "x"), "empty");
}

TEST(AtomicFile, a_disk_that_refuses_is_a_fault_of_the_system) {
  const TemporaryFolder folder;
  try {
    write_file_atomic(folder / "none/x", "bytes");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::system);
    EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos);
  }
}

TEST(AtomicFile, overlapping_writers_of_one_name_do_not_disturb_each_other) {
  const TemporaryFolder folder;
  AtomicFile one(folder / "x"), two(folder / "x");
  one.write("one");
  two.write("two");
  one.commit();
  EXPECT_EQ(get(folder / "x"), "one");
  two.commit();
  EXPECT_EQ(get(folder / "x"), "two");
  EXPECT_EQ(folder.count(), 1);
}

}  // namespace
}  // namespace sotto
