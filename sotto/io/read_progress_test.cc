#include "sotto/io/read_progress.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/io/byte_source.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

// Reads a file in pieces of 1000 bytes; returns what was told of it.
std::vector<ProgressReport> told_of(const std::string& path) {
  std::vector<ProgressReport> told;
  const ReadProgress watch([&](const ProgressReport& report) {
    told.push_back(report);
    return true;
  });
  ByteSource source(path);
  source.peek(10);
  std::string piece(1000, ' ');
  while (source.read(piece.data(), piece.size()) == piece.size()) {
  }
  return told;
}

TEST(ReadProgress, tells_the_share_of_a_plain_file) {
  const TemporaryFolder folder;
  put(folder / "plain", std::string(4500, 'x'));
  const std::vector<ProgressReport> told = told_of(folder / "plain");
  ASSERT_GE(told.size(), 5u);
  for (std::size_t n = 0; n < told.size(); ++n) {
    EXPECT_EQ(told[n].total, 4500);
    EXPECT_FALSE(told[n].has_rate);
    EXPECT_GE(told[n].done, n > 0 ? told[n - 1].done : 0);
  }
  EXPECT_EQ(told.back().done, 4500);
}

TEST(ReadProgress, says_nothing_where_the_size_is_not_known_or_nobody_watches) {
  const TemporaryFolder folder;
  put_gzip(folder / "packed", std::string(4500, 'x'));
  EXPECT_TRUE(told_of(folder / "packed").empty());
  ReadProgress::tell(1, 2);
}

TEST(ReadProgress, the_one_before_is_told_again_when_the_last_is_gone) {
  int outer = 0, inner = 0;
  const ReadProgress first([&](const ProgressReport&) { return ++outer > 0; });
  {
    const ReadProgress second([&](const ProgressReport&) { return ++inner > 0; });
    ReadProgress::tell(1, 2);
  }
  ReadProgress::tell(2, 2);
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

}  // namespace
}  // namespace sotto
