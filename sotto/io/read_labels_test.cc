#include "sotto/io/read_labels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"

namespace sotto {
namespace {

class ReadLabels : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "read_labels_" + name;
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(ReadLabels, are_read_one_a_line_in_order) {
  const LabelTable labels = read_labels(write("list", "alien\n\n  the thing \nheat"));
  ASSERT_EQ(labels.size(), 3);
  EXPECT_EQ(labels.find("alien"), 0);
  EXPECT_EQ(labels.find("the thing"), 1);
  EXPECT_EQ(labels.find("heat"), 2);
}

TEST_F(ReadLabels, refuse_a_label_twice_and_an_empty_list) {
  EXPECT_THROW(read_labels(write("twice", "a\nb\na\n")), Error);
  EXPECT_THROW(read_labels(write("empty", "\n\n")), Error);
}

}  // namespace
}  // namespace sotto
