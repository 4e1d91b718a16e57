#include "sotto/io/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

TEST(LineReader, gives_lines_and_numbers_whatever_the_line_ends) {
  const TemporaryFolder folder;
  put(folder / "x", "one\n\ntwo\r\nthree");
  ByteSource source(folder / "x");
  LineReader lines(source);
  std::string_view line;
  std::string seen;
  while (lines.next(line)) seen += std::string(line) + "|";
  EXPECT_EQ(seen, "one||two|three|");
  EXPECT_EQ(lines.place(), folder / "x:4");
}

TEST(LineReader, lines_across_blocks_are_whole) {
  const TemporaryFolder folder;
  std::string text, line(700, 'x');
  for (int n = 0; n < 5000; ++n) text += line.substr(0, n * 37 % 700) + std::to_string(n) + "\n";
  for (const bool closed : {true, false}) {
    put_gzip(folder / "x", closed ? text : text.substr(0, text.size() - 1));
    ByteSource source(folder / "x");
    LineReader lines(source);
    std::string again;
    for (std::string_view next; lines.next(next);) again += std::string(next) + "\n";
    EXPECT_TRUE(again == text);
  }
}

TEST(LineReader, a_line_of_a_megabyte_is_refused_with_its_number) {
  const TemporaryFolder folder;
  for (const std::size_t size : {(1u << 20) - 1, (1u << 20), (5u << 20)}) {
    put(folder / "x", "first\n" + std::string(size, 'a') + "\nlast");
    ByteSource source(folder / "x");
    LineReader lines(source);
    std::string_view line;
    ASSERT_TRUE(lines.next(line));
    if (size < 1u << 20) {
      ASSERT_TRUE(lines.next(line));
      EXPECT_EQ(line.size(), size);
      ASSERT_TRUE(lines.next(line));
      EXPECT_EQ(line, "last");
    } else {
      EXPECT_ERROR(lines.next(line), "x:2: the line is longer");
    }
  }
}

TEST(LineReader, takes_longer_lines_where_they_are_allowed) {
  const TemporaryFolder folder;
  const std::size_t longest = std::size_t{3} << 20;
  for (const std::size_t size : {std::size_t{1} << 20, longest - 1, longest}) {
    put(folder / "x", "first\n" + std::string(size, 'a') + "\n" + std::string(100, 'b'));
    ByteSource source(folder / "x");
    LineReader lines(source, longest);
    std::string_view line;
    ASSERT_TRUE(lines.next(line));
    if (size == longest) {
      EXPECT_ERROR(lines.next(line), "x:2: the line is longer than 3145728 bytes");
      continue;
    }
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, std::string(size, 'a'));
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, std::string(100, 'b'));
    EXPECT_FALSE(lines.next(line));
  }
}

TEST(LineReader, a_byte_order_mark_belongs_to_no_line) {
  const TemporaryFolder folder;
  const auto lines_of = [&](const std::string& bytes) {
    put(folder / "x", bytes);
    ByteSource source(folder / "x");
    source.peek(2);
    LineReader lines(source);
    std::string seen;
    for (std::string_view line; lines.next(line);) seen += std::string(line) + "|";
    return seen;
  };
  EXPECT_EQ(lines_of("\xef\xbb\xbfone\ntwo\n"), "one|two|");
  EXPECT_EQ(lines_of("\xef\xbb\xbf\ntwo\n"), "|two|");
  EXPECT_EQ(lines_of("\xef\xbb\xbf"), "");
  EXPECT_EQ(lines_of("\xef\xbb"), "\xef\xbb|");
  EXPECT_EQ(lines_of("one\n\xef\xbb\xbftwo\n"), "one|\xef\xbb\xbftwo|");  // only at the beginning
}

TEST(LineReader, cuts_long_lines_where_that_is_asked_for) {
  const TemporaryFolder folder;
  constexpr std::size_t longest = 1000;
  for (const std::size_t size : {longest - 1, longest, longest + 1, 5 * longest}) {
    const std::string text = std::string(size, 'a');
    put(folder / "x", text + "\n\n" + text + "\nlast\n" + text);
    ByteSource source(folder / "x");
    LineReader lines(source, longest, LongLines::cut);
    std::vector<std::string> seen;
    for (std::string_view line; lines.next(line);) seen.emplace_back(line);
    const std::string cut = text.substr(0, longest);
    EXPECT_EQ(seen, (std::vector<std::string>{cut, "", cut, "last", cut})) << size;
    EXPECT_EQ(lines.number(), 5u);
  }
}

}  // namespace
}  // namespace sotto
