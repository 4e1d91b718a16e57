#include "sotto/io/text_files.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

// Lines of all lengths around the size of a range, with every kind of line end.
std::vector<std::string> long_lines() {
  SeededRandom random(3);
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    lines.push_back(std::to_string(i) + std::string(random.below(1 << 20), 'x'));
    for (std::uint64_t empty = random.below(3); empty > 0; --empty) lines.emplace_back();
  }
  lines.emplace_back((9 << 20) + 5, 'y');  // passes over ranges in which no line begins
  lines.emplace_back("end");
  return lines;
}

std::string joined(const std::vector<std::string>& lines, const std::string& end, bool last_end) {
  std::string text;
  for (const std::string& line : lines) text += line + end;
  if (!last_end) text.resize(text.size() - end.size());
  return text;
}

std::vector<Index> counts_of(const TextFiles& files) {
  std::vector<Index> counts;
  for (Index range = 0; range < files.ranges(); ++range) counts.push_back(files.count(range));
  return counts;
}

TEST(TextFiles, documents_are_found_by_their_numbers) {
  const std::vector<std::string> first = long_lines(), second = {"a", "", "b"};
  for (const bool last_end : {true, false}) {
    for (const bool header : {true, false}) {
      const TemporaryFolder folder;
      const std::string one = folder / "one.txt", two = folder / "two.txt";
      put(one, joined(first, "\n", last_end));
      put(two, joined(second, "\r\n", last_end));
      const TextFiles files({one, two, one}, header, Packing::by_name);
      const std::vector<Index> counts = counts_of(files);
      std::vector<std::string> all;
      for (const auto* lines : {&first, &second, &first}) {
        all.insert(all.end(), lines->begin() + (header ? 1 : 0), lines->end());
      }
      Index sum = 0;
      for (const Index count : counts) sum += count;
      ASSERT_EQ(sum, std::ssize(all));
      for (const Index begin : {Index{0}, Index{1}, Index{17}, std::ssize(first), sum - 1, sum}) {
        TextFiles::Lines lines = files.lines(counts, begin, sum);
        Index at = begin;
        for (std::string_view line; lines.next(line); ++at) {
          ASSERT_EQ(line, all[static_cast<std::size_t>(at)]);
        }
        EXPECT_EQ(at, sum);
      }
    }
  }
}

// What is sent about ranges does not grow with the files.
TEST(TextFiles, large_files_have_no_more_ranges_than_others) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const std::uintmax_t size :
       {std::uintmax_t{3} << 35, std::uintmax_t{1}, std::uintmax_t{1} << 33}) {
    paths.push_back(folder / std::to_string(paths.size()));
    put(paths.back(), "a");
    std::filesystem::resize_file(paths.back(), size);  // of holes, on no disk
  }
  const TextFiles files(paths, false, Packing::by_name);
  EXPECT_EQ(files.most_ranges(),
            TextFiles({paths[1], paths[1], paths[1]}, false, Packing::by_name).most_ranges());
  EXPECT_GT(files.ranges(), files.most_ranges() / 2);
  EXPECT_LE(files.ranges(), files.most_ranges());
  EXPECT_EQ(files.count(files.files()[1].first_range), 1);
}

// A range is counted block by block.
TEST(TextFiles, lines_of_a_large_range_are_counted) {
  const TemporaryFolder folder;
  const std::string path = folder / "holes.txt";
  constexpr std::uintmax_t kRange = std::uintmax_t{9} << 20;
  put(path, "");
  for (const std::uintmax_t place : {kRange - 1, kRange, 2 * kRange - 2, 3 * kRange + 17}) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(place)).put('\n');
  }
  std::filesystem::resize_file(path, 4096 * kRange);
  const TextFiles files({path}, false, Packing::by_name);
  ASSERT_EQ(files.ranges(), 4096);
  // Lines begin at 0; at kRange and kRange + 1 and 2 kRange - 1; nowhere; at 3 kRange + 18.
  EXPECT_EQ(files.count(0), 1);
  EXPECT_EQ(files.count(1), 3);
  EXPECT_EQ(files.count(2), 0);
  EXPECT_EQ(files.count(3), 1);
}

TEST(TextFiles, what_cannot_be_read_from_any_place_is_refused) {
  EXPECT_THROW(TextFiles({"-"}, false, Packing::by_name), Error);
  EXPECT_THROW(TextFiles({"/no/such/file"}, false, Packing::by_name), Error);
}

}  // namespace
}  // namespace sotto
