#include "sotto/io/text_files.h"

#include <gtest/gtest.h>

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

TEST(TextFiles, what_cannot_be_read_from_any_place_is_refused) {
  EXPECT_THROW(TextFiles({"-"}, false, Packing::by_name), Error);
  EXPECT_THROW(TextFiles({"/no/such/file"}, false, Packing::by_name), Error);
}

}  // namespace
}  // namespace sotto
