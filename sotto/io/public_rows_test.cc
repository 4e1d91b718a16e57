#include "sotto/io/public_rows.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"

namespace sotto {
namespace {

class PublicRows : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "public_rows_" + name;
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(PublicRows, are_read_one_a_line_in_order) {
  const LabelTable labels = read_labels(write("list", "alien\n\n  the thing \nheat"));
  ASSERT_EQ(labels.size(), 3);
  EXPECT_EQ(labels.find("alien"), 0);
  EXPECT_EQ(labels.find("the thing"), 1);
  EXPECT_EQ(labels.find("heat"), 2);
}

TEST_F(PublicRows, refuse_a_label_twice_and_an_empty_list) {
  EXPECT_THROW(read_labels(write("twice", "a\nb\na\n")), Error);
  EXPECT_THROW(read_labels(write("empty", "\n\n")), Error);
}

TEST_F(PublicRows, number_entries_and_leave_others_unknown) {
  const LabelTable labels = read_labels(write("items", "x\ny\nz\n"));
  const Ratings ratings =
      read_ratings(write("ratings.csv", "user,item,rating\n1,z,3\n1,w,4\n2,x,5\n"));
  const ObservedEntries entries = numbered_by(labels, 1, ratings);
  EXPECT_EQ(entries.dims[1], 3);
  EXPECT_EQ(entries.index[1], (std::vector<std::int32_t>{2, kUnknownRow, 0}));
  EXPECT_EQ(entries.index[0], ratings.entries.index[0]);
  EXPECT_EQ(entries.value, ratings.entries.value);
}

// Indices of a .tns file are labels too.
TEST_F(PublicRows, take_numbers_for_labels) {
  const LabelTable labels = read_labels(write("numbers", "3\n1\n"));
  const Ratings ratings = read_ratings(write("r.tns", "1 1 5\n1 2 4\n2 3 3\n"));
  EXPECT_EQ(numbered_by(labels, 1, ratings).index[1],
            (std::vector<std::int32_t>{1, kUnknownRow, 0}));
}

}  // namespace
}  // namespace sotto
