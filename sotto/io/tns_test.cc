#include "sotto/io/tns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

AnyTensor read_text(const TemporaryFolder& folder, const std::string& text,
                    Duplicates duplicates = Duplicates::refuse) {
  put(folder / "x.tns", text);
  return read_tns(folder / "x.tns", duplicates);
}

TEST(Tns, reads_frostt_with_comments_blank_lines_and_any_spacing) {
  const TemporaryFolder folder;
  const std::string text =
      "# a comment\n\n2 2 2 6.0\r\n  1\t3 1   -2.5e-1  \n   # another\n1 1 1 +3\n2 1 1 4";
  put_gzip(folder / "packed", text);
  for (const AnyTensor& any : {read_text(folder, text), read_tns(folder / "packed")}) {
    const auto& tensor = std::get<SparseTensor>(any);
    EXPECT_EQ(tensor.dims(), (std::vector<Index>{2, 3, 2}));
    EXPECT_EQ(tensor.nnz(), 4);
    EXPECT_EQ(tensor.at(std::vector<Index>{1, 1, 1}), 6);
    EXPECT_EQ(tensor.at(std::vector<Index>{0, 2, 0}), -0.25);
    EXPECT_EQ(tensor.at(std::vector<Index>{0, 0, 0}), 3);
    EXPECT_EQ(tensor.at(std::vector<Index>{1, 0, 0}), 4);
  }
}

TEST(Tns, reads_every_order_from_1_to_8) {
  const TemporaryFolder folder;
  std::string indices;
  for (Index order = 1; order <= 8; ++order) {
    indices += "2 ";
    const auto tensor = std::get<SparseTensor>(read_text(folder, indices + "0.5\n"));
    EXPECT_EQ(tensor.dims(), std::vector<Index>(order, 2));
    EXPECT_EQ(tensor.values()[0], 0.5);
  }
  EXPECT_ERROR(read_text(folder, indices + "2 0.5\n"), "x.tns:1: expected 1 to 8 indices");
}

TEST(Tns, reads_tensor_toolbox_sparse) {
  const TemporaryFolder folder;
  const auto tensor =
      std::get<SparseTensor>(read_text(folder, "sptensor\n2\n4 5 \n2\n4 1 1.5\n1 2 2\n"));
  EXPECT_EQ(tensor.dims(), (std::vector<Index>{4, 5}));
  EXPECT_EQ(tensor.at(std::vector<Index>{3, 0}), 1.5);
  EXPECT_EQ(std::get<SparseTensor>(read_text(folder, "sptensor\n2\n4 5\n0\n")).nnz(), 0);
}

TEST(Tns, reads_tensor_toolbox_dense_first_index_fastest) {
  const TemporaryFolder folder;
  for (const std::string values : {"1\n2\n3\n4\n5\n6\n", "1 2\n\n3 4 5 \n6"}) {
    const auto tensor = std::get<DenseTensor>(read_text(folder, "tensor\n2\n2 3\n" + values));
    EXPECT_EQ(tensor.dims(), (std::vector<Index>{2, 3}));
    EXPECT_TRUE(std::ranges::equal(tensor.values(), std::vector<double>{1, 3, 5, 2, 4, 6}));
  }
}

TEST(Tns, errors_name_the_file_and_the_line) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& text, const std::string& said) {
    EXPECT_ERROR(read_text(folder, text), folder / "x.tns" + said);
  };
  expect("", ": the file has no entries");
  expect("# only\n\n", ": the file has no entries");
  expect("1 1 1 2.0\n\n1 1 2.0\n", ":3: expected 4 fields, got 3");
  expect("1 1 1 2.0\n1 1 1 1 2.0\n", ":2: expected 4 fields, got 5");
  expect("7\n", ":1: expected 1 to 8 indices and a value, got 1");
  expect("1 1 2\n0 1 2.0\n", ":2: index '0' is not between 1 and 2147483647");
  expect("1 1 2\n1 -3 2.0\n", ":2: index '-3' is not between");
  expect("1 1 2\n1 1.5 2.0\n", ":2: index '1.5' is not a whole number");
  expect("1 1 2\n1 x 2.0\n", ":2: index 'x' is not a whole number");
  expect("1 1 2\n1 2147483648 2.0\n", ":2: index '2147483648' is not between");
  expect("1 1 2\n1 99999999999999999999 2.0\n", ":2: index '99999999999999999999' is not between");
  expect("1 1 2\n1 2 nan\n", ":2: the value 'nan' is not finite");
  expect("1 1 2\n1 2 -inf\n", ":2: the value '-inf' is not finite");
  expect("1 1 2\n1 2 1e999\n", ":2: the value '1e999' is not finite");
  expect("1 1 2\n1 2 3.0x\n", ":2: '3.0x' is not a number");
  expect("1 1 2\n1 2 +-3\n", ":2: '+-3' is not a number");
  expect("ktensor\n3\n", ":1: expected 1 to 8 indices");
}

TEST(Tns, a_header_that_lies_is_found_out) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& text, const std::string& said) {
    EXPECT_ERROR(read_text(folder, text), folder / "x.tns" + said);
  };
  expect("sptensor\n", ":1: the file ends before the order");
  expect("sptensor\n3\n", ":2: the file ends before the dimensions");
  expect("sptensor\n3\n2 2 2\n", ":3: the file ends before the number of entries");
  expect("sptensor\n0\n\n0\n", ":2: order '0' is not between 1 and 8");
  expect("sptensor\n9\n", ":2: order '9'");
  expect("sptensor\n2 2\n", ":2: expected 1 field, got 2");
  expect("sptensor\n3\n2 2\n1\n", ":3: expected 3 dimensions, got 2");
  expect("sptensor\n2\n2 0\n1\n", ":3: dimension '0'");
  expect("sptensor\n2\n2 2147483648\n1\n", ":3: dimension '2147483648'");
  expect("sptensor\n2\n2 2\n-1\n", ":4: number of entries '-1'");
  expect("sptensor\n2\n2 2\n3\n1 1 1\n2 2 1\n",
         ":6: the header promises 3 entries, the file ends after 2");
  expect("sptensor\n2\n2 2\n1\n1 1 1\n2 2 1\n",
         ":6: the header promises 1 entries, here is one more");
  expect("sptensor\n2\n2 2\n1\n1 3 1\n", ":5: index '3' is not between 1 and 2");
  expect("sptensor\n2\n2 2\n9000000000000000000\n1 2 1\n",
         ":5: the header promises 9000000000000000000 entries, the file ends after 1");
  expect("tensor\n2\n2 2\n1\n2\n3\n", ":6: a tensor of 2 x 2 has 4 values, the file ends after 3");
  expect("tensor\n2\n2 2\n1\n2\n3\n4\n5\n", ":8: a tensor of 2 x 2 has 4 values, here is one more");
  expect("tensor\n3\n2000000000 2000000000 2000000000\n1\n",
         ":3: a tensor of 2000000000 x 2000000000 x 2000000000 has more entries");
  expect("tensor\n2\n1000000 1000000\n1\n",
         ":4: a tensor of 1000000 x 1000000 has 1000000000000 values, the file ends after 1");
  expect("tensor\n1\n1\nnan\n", ":4: the value 'nan' is not finite");
}

TEST(Tns, duplicates_are_refused_or_summed_as_told) {
  const TemporaryFolder folder;
  const std::string text = "2 1 1.5\n1 1 3\n2 1 2\n";
  EXPECT_ERROR(read_text(folder, text), folder / "x.tns" + ": the entry at index (1, 0)");
  const auto tensor = std::get<SparseTensor>(read_text(folder, text, Duplicates::sum));
  EXPECT_EQ(tensor.at(std::vector<Index>{1, 0}), 3.5);
}

TEST(Tns, a_truncated_gzip_file_is_refused) {
  const TemporaryFolder folder;
  put_gzip(folder / "x", "1 1 1 2.0\n2 2 2 3.0\n");
  const std::string bytes = get(folder / "x");
  put(folder / "x", bytes.substr(0, bytes.size() - 3));
  EXPECT_ERROR(read_tns(folder / "x"), "truncated");
}

TEST(Tns, writing_and_reading_is_exact_in_both_dialects) {
  const TemporaryFolder folder;
  std::mt19937_64 engine(1);
  const std::vector<Index> dims = {100, 2147483647, 30};
  std::vector<SparseTensor::Coordinate> indices;
  std::vector<double> values = {0, -0.1, std::numeric_limits<double>::denorm_min(),
                                -std::numeric_limits<double>::max()};
  while (values.size() < 50000) {
    values.push_back(std::ldexp(static_cast<double>(engine() >> 11), -60 + engine() % 20));
  }
  for (std::size_t e = 0; e < values.size(); ++e) {
    for (const Index d : dims) indices.push_back(static_cast<int>(engine() % d));
  }
  indices[0] = 99, indices[1] = 2147483646, indices[2] = 29;  // so that FROSTT keeps the dimensions
  const SparseTensor tensor(dims, indices, values, Duplicates::refuse);
  for (const TnsDialect dialect : {TnsDialect::frostt, TnsDialect::tensor_toolbox}) {
    write_tns(folder / "x", tensor, dialect);
    const auto back = std::get<SparseTensor>(read_tns(folder / "x"));
    EXPECT_EQ(back.dims(), tensor.dims());
    EXPECT_TRUE(std::ranges::equal(back.indices(), tensor.indices()));
    EXPECT_TRUE(std::ranges::equal(back.values(), tensor.values()));
  }
}

TEST(Tns, refuses_to_write_what_could_not_be_read_back) {
  const TemporaryFolder folder;
  const SparseTensor empty({2, 2}, {}, {}, Duplicates::refuse);
  EXPECT_ERROR(write_tns(folder / "x", empty), "without entries");
  write_tns(folder / "y", empty, TnsDialect::tensor_toolbox);
  EXPECT_EQ(std::get<SparseTensor>(read_tns(folder / "y")).dims(), empty.dims());
  const SparseTensor infinite({1}, {0}, {HUGE_VAL}, Duplicates::refuse);
  EXPECT_ERROR(write_tns(folder / "x", infinite), "not finite");
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

TEST(Tns, any_damage_is_an_error_or_harmless) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  for (const std::string text :
       {"# a\n1 2 3 4.5\n2 1 1 -3e2\n", "sptensor\n2\n3 4\n2\n1 1 2.5\n3 4 1\n",
        "tensor\n2\n2 2\n1.5\n2\n3\n4e1\n"}) {
    const auto read = [&] { (void)read_tns(path, Duplicates::sum); };
    put(path, text);
    damage_everywhere(path, read);
    put_gzip(path, text);
    damage_everywhere(path, read);
  }
}

TEST(Tns, a_shape_that_must_be_declared_is_not_taken_from_the_entries) {
  const TemporaryFolder folder;
  const std::string bare = folder / "bare.tns", headed = folder / "headed.tns";
  put(bare, "1 1 1 2\n");
  put(headed, "sptensor\n3\n2 2 2\n1\n1 1 1 2\n");
  EXPECT_THROW(read_tns(bare, Duplicates::refuse, Shape::declared), Error);
  EXPECT_NO_THROW(read_tns(headed, Duplicates::refuse, Shape::declared));
}

TEST(Tns, indices_are_counted_from_0_when_an_option_says_so) {
  const TemporaryFolder folder;
  put(folder / "t.tns", "0 0 0 1\n1 2 1 2\n");
  EXPECT_ERROR(read_tns(folder / "t.tns"), "`index-base` 0");
  ByteSource source(folder / "t.tns");
  const AnyTensor tensor =
      read_tns(source, Duplicates::refuse, Shape::declared_or_seen, IndexBase::zero);
  EXPECT_EQ(std::get<SparseTensor>(tensor).dims(), (std::vector<Index>{2, 3, 2}));
}

}  // namespace
}  // namespace sotto
