#include "sotto/io/read_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sotto/io/npy.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

TEST(ReadTensor, recognises_every_format_by_content_whatever_the_name) {
  const TemporaryFolder folder;
  const std::string path = folder / "data.csv";
  write_npy(folder / "array", Matrix(Matrix::Identity(3, 3)));
  for (const std::string& bytes :
       {get(folder / "array"), std::string("tensor\n1\n2\n1\n2\n"),
        std::string("# c\n\nsptensor\n1\n2\n1\n2 1.5\n"), std::string("\n# c\n1 2 0.5\n")}) {
    const bool dense = bytes[0] == '\x93' || bytes[0] == 't';
    put(path, bytes);
    EXPECT_EQ(std::holds_alternative<DenseTensor>(opened(read_tensor(path))), dense);
    put_gzip(path, bytes);
    EXPECT_EQ(std::holds_alternative<DenseTensor>(opened(read_tensor(path))), dense);
  }
}

TEST(ReadTensor, a_named_format_is_not_second_guessed) {
  const TemporaryFolder folder;
  put(folder / "x", "1 1 2.0\n");
  EXPECT_NO_THROW(read_tensor(folder / "x", {TensorFormat::tns}));
  EXPECT_ERROR(read_tensor(folder / "x", {TensorFormat::npy}), "not a .npy file");
  write_npy(folder / "y", Vector(Vector::Ones(3)));
  EXPECT_NO_THROW(read_tensor(folder / "y", {TensorFormat::npy}));
  EXPECT_ERROR(read_tensor(folder / "y", {TensorFormat::tns}), "y:1: ");
}

TEST(ReadTensor, says_what_is_wrong_with_what_is_not_a_tensor) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  const auto expect = [&](const std::string& bytes, const std::string& text) {
    put(path, bytes);
    EXPECT_ERROR(read_tensor(path), path + ": " + text);
    put_gzip(path, bytes);
    EXPECT_ERROR(read_tensor(path), path + ": " + text);
  };
  EXPECT_ERROR(read_tensor(folder / "none"), "none: cannot be opened: No such file");
  EXPECT_ERROR(read_tensor(folder.path().string()), "is a directory");
  expect("", "the file is empty");
  expect("\n \n", "the file has no entries");
  expect("hello world\nmore",
         "not a tensor file: expected .npy or .tns (plain or gzip), but it begins "
         "with 'hello world'");
  expect("ktensor\n3\n", "not a tensor file");
  expect(std::string("\x89HDF\r\n\x1a\n\0\0", 10), "is an HDF5 file");
  expect(std::string(1000, '\0'), "not a tensor file");
  expect("\x93NUM", "not a .npy file");
}

TEST(ReadTensor, refuses_values_that_are_not_finite) {
  const TemporaryFolder folder;
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Matrix matrix = Matrix::Ones(3, 4);
    matrix(2, 1) = bad;
    write_npy(folder / "x", matrix);
    const std::string place = "x: the value at index (2, 1), counted from 0, ";
    EXPECT_ERROR(read_tensor(folder / "x"), place + (std::isnan(bad) ? "is NaN" : "is infinite"));
  }
}

TEST(ReadTensor, passes_the_choice_about_duplicates_on) {
  const TemporaryFolder folder;
  put(folder / "x", "1 1 2.0\n1 1 3.0\n");
  EXPECT_ERROR(read_tensor(folder / "x"), "more than once");
  const AnyTensor any =
      opened(read_tensor(folder / "x", {TensorFormat::automatic, Duplicates::sum}));
  EXPECT_EQ(std::get<SparseTensor>(any).values()[0], 5);
}

TEST(ReadTensor, any_damage_is_an_error_or_harmless) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  write_npy(path, Matrix(Matrix::Identity(2, 2)));
  damage_everywhere(path, [&] { (void)read_tensor(path); });
}

TEST(ReadTensor, the_format_of_private_entries_follows_from_the_name_or_a_mark) {
  const TemporaryFolder folder;
  ReadTensorOptions options;
  options.records_are_private = true;
  const std::string tns = "sptensor\n1\n2\n1\n2 1.5\n";
  TensorFormat format{};
  put(folder / "x.tns", tns);
  read_tensor(folder / "x.tns", options, &format);
  EXPECT_EQ(format, TensorFormat::tns);
  write_npy(folder / "y", Vector(Vector::Ones(3)));
  read_tensor(folder / "y", options, &format);
  EXPECT_EQ(format, TensorFormat::npy);
  for (const std::string& text : {tns, std::string("secret"), std::string()}) {
    put(folder / "x", text);
    EXPECT_ERROR(read_tensor(folder / "x", options), "`format`: is needed");
  }
}

TEST(ReadTensor, private_entries_are_never_quoted) {
  const TemporaryFolder folder;
  ReadTensorOptions options;
  options.records_are_private = true;
  // The last has no declared shape.
  for (const char* text : {"sptensor\n1\n2\n1\n2 secret\n", "secret 2 3\n", "1 1 1 5\n"}) {
    put(folder / "x.tns", text);
    const std::string said = error_of([&] { read_tensor(folder / "x.tns", options); });
    EXPECT_TRUE(mentions(said, "not shown in a private run")) << said;
    EXPECT_FALSE(mentions(said, "secret")) << said;
    EXPECT_FALSE(mentions(said, "x.tns:1")) << said;
  }
  EXPECT_ERROR(read_tensor(folder / "none.tns", options), "cannot be opened");
}

TEST(ReadTensor, a_byte_order_mark_is_no_part_of_a_tensor) {
  const TemporaryFolder folder;
  for (const char* text : {"1 1 2.0\n", "sptensor\n1\n2\n1\n2 1.5\n", "tensor\n1\n1\n4\n"}) {
    put(folder / "x", std::string("\xef\xbb\xbf") + text);
    EXPECT_NO_THROW(read_tensor(folder / "x"));
  }
}

}  // namespace
}  // namespace sotto
