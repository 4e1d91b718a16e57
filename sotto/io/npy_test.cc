#include "sotto/io/npy.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

std::string npy(int version, const std::string& dictionary, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0'};
  const std::size_t length = dictionary.size();
  for (int n = 0; n < (version == 1 ? 2 : 4); ++n) bytes += static_cast<char>(length >> (8 * n));
  return bytes + dictionary + data;
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }          \n";
}

template <class T>
std::string items(const std::vector<T>& values, bool big_endian) {
  std::string bytes;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (big_endian) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

const std::vector<double> six = {1, -2.5, 3, 4, 5, 0.25};

template <class T>
void expect_reads(const std::string& type, bool big_endian) {
  const TemporaryFolder folder;
  const std::vector<T> values = {T(1), T(2), T(3), T(100), T(5), T(0)};
  for (const int version : {1, 2, 3}) {
    const std::string bytes =
        npy(version, dictionary(type, false, "(2, 3)"), items(values, big_endian));
    put(folder / "plain.npy", bytes);
    put_gzip(folder / "packed", bytes);
    for (const char* name : {"plain.npy", "packed"}) {
      const DenseTensor tensor = read_npy(folder / name);
      EXPECT_EQ(tensor.dims(), (std::vector<Index>{2, 3}));
      for (Index p = 0; p < 6; ++p) EXPECT_EQ(tensor.values()[p], double(values[p])) << type;
    }
  }
}

TEST(Npy, reads_every_type_version_and_byte_order) {
  expect_reads<double>("<f8", false);
  expect_reads<double>(">f8", true);
  expect_reads<double>("=f8", false);
  expect_reads<double>("|f8", false);
  expect_reads<double>("f8", false);
  expect_reads<float>("<f4", false);
  expect_reads<float>(">f4", true);
  expect_reads<std::int8_t>("|i1", false);
  expect_reads<std::uint8_t>("|u1", false);
  expect_reads<std::int16_t>(">i2", true);
  expect_reads<std::uint16_t>("<u2", false);
  expect_reads<std::int32_t>("<i4", false);
  expect_reads<std::uint32_t>(">u4", true);
  expect_reads<std::int64_t>(">i8", true);
  expect_reads<std::uint64_t>("<u8", false);
}

TEST(Npy, reads_fortran_order) {
  const TemporaryFolder folder;
  put(folder / "x", npy(1, dictionary("<f8", true, "(2, 3)"), items(six, false)));
  const DenseTensor tensor = read_npy(folder / "x");
  const std::vector<double> expected = {1, 3, 5, -2.5, 4, 0.25};
  EXPECT_TRUE(std::ranges::equal(tensor.values(), expected));
}

TEST(Npy, header_tells_where_the_data_is) {
  const TemporaryFolder folder;
  const std::string bytes = npy(2, dictionary(">f4", true, "(3, 2L)"), std::string(24, '\0'));
  put(folder / "x", bytes);
  const NpyHeader header = read_npy_header(folder / "x");
  EXPECT_EQ(header.dtype, ">f4");
  EXPECT_EQ(header.kind, 'f');
  EXPECT_EQ(header.item_size, 4);
  EXPECT_TRUE(header.big_endian);
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, (std::vector<Index>{3, 2}));
  EXPECT_EQ(header.count, 6);
  EXPECT_EQ(header.data_offset, bytes.size() - 24);
}

TEST(Npy, accepts_any_order_and_spacing_of_the_dictionary) {
  const TemporaryFolder folder;
  put(folder / "x", npy(1, " { \"shape\":(6 ,) ,\t'fortran_order' : False,'descr':\"<f8\"}\n",
                        items(six, false)));
  EXPECT_TRUE(std::ranges::equal(read_npy(folder / "x").values(), six));
}

TEST(Npy, refuses_every_kind_of_damage_by_name) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy", data = items(six, false);
  const auto expect = [&](const std::string& bytes, const std::string& text) {
    put(path, bytes);
    EXPECT_ERROR(read_npy(path), path + ": ");
    EXPECT_ERROR(read_npy(path), text);
    EXPECT_ERROR(read_npy_header(path), text);
  };
  const auto with_shape = [&](const std::string& shape) {
    return npy(1, dictionary("<f8", false, shape), data);
  };
  expect("", "empty");
  expect("\x93NUMPX" + std::string(100, ' '), "not a .npy file (it begins with '\\x93NUMPX')");
  expect("PK\x03\x04", "not a .npy file");
  expect(npy(4, dictionary("<f8", false, "(6,)"), data), "unknown .npy version 4");
  expect(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12), "claims 2147483647 bytes");
  expect(std::string("\x93NUMPY\x01\0\xff\xff{", 11), "ends within the .npy header");
  expect(std::string("\x93NUMPY\x01", 7), "ends within the .npy header");
  expect(with_shape("(1000000, 1000000)"), "needs 8000000000000 bytes, the file has 48");
  expect(with_shape("(4294967296, 4294967296)"), "more entries than can be counted");
  expect(with_shape("(4611686018427387904,)"), "cannot be addressed");
  expect(with_shape("(99999999999999999999,)"), "bad dimension");
  expect(with_shape("(-6,)"), "at least 1");
  expect(with_shape("(6, 0)"), "at least 1");
  expect(with_shape("()"), "1 to 8 dimensions, got 0");
  expect(with_shape("(6,1,1,1,1,1,1,1,1)"), "1 to 8 dimensions, got 9");
  expect(with_shape("(2.5, 1)"), "damaged .npy header");
  expect(with_shape("6"), "expected '('");
  expect(with_shape("(6,)") + "x", "needs 48 bytes, the file has 49");
  expect(with_shape("(6,)").substr(0, 120), "the file has");
  expect(npy(1, dictionary("<c16", false, "(3,)"), data), "type '<c16'");
  expect(npy(1, dictionary("|O", false, "(6,)"), data), "type '|O'");
  expect(npy(1, dictionary("<f2\n", false, "(24,)"), data), "type '<f2\\x0a'");
  expect(npy(1, dictionary("", false, "(6,)"), data), "type ''");
  expect(npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}", data),
         "records");
  expect(npy(1, "{'descr': '<f8', 'shape': (6,)}", data), "must have");
  expect(npy(1, "{'descr': '<f8', 'descr': '<f8', 'shape': (6,)}", data), "twice");
  expect(npy(1, "{'descr': '<f8', 'colour': 3}", data), "unknown key 'colour'");
  expect(npy(1, "{'descr': '<f8', 'fortran_order': 1, 'shape': (6,)}", data), "True or False");
  expect(npy(1, dictionary("<f8", false, "(6,)") + "more", data), "goes on after its end");
  expect(npy(1, "{'descr", data), "damaged .npy header");
  expect(npy(1, "", data), "expected '{'");
}

TEST(Npy, refuses_integers_that_a_double_cannot_hold) {
  const TemporaryFolder folder;
  const std::int64_t limit = std::int64_t{1} << 53;
  const auto write = [&](std::int64_t value) {
    put(folder / "x",
        npy(1, dictionary("<i8", false, "(1,)"), items(std::vector<std::int64_t>{value}, false)));
  };
  write(1 - limit);
  EXPECT_EQ(read_npy(folder / "x").values()[0], static_cast<double>(1 - limit));
  for (const std::int64_t bad : {limit, limit + 1, -limit - 1, INT64_MIN, INT64_MAX}) {
    write(bad);
    EXPECT_ERROR(read_npy(folder / "x"), std::to_string(bad));
  }
}

TEST(Npy, a_packed_file_that_claims_too_much_or_too_little_is_refused_without_allocating) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy.gz", data = items(six, false);
  put_gzip(path, npy(1, dictionary("<f8", false, "(1000000, 1000000)"), data));
  EXPECT_ERROR(read_npy(path), "needs 1000000000000 values, the data ends before");
  put_gzip(path, npy(1, dictionary("<f8", false, "(5,)"), data));
  EXPECT_ERROR(read_npy(path), "goes on after the 5 values");
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // which end the program when asked for so much memory
TEST(Npy, a_file_that_is_as_large_as_it_claims_but_too_large_for_memory_is_an_error) {
  const TemporaryFolder folder;
  const std::string start = npy(1, dictionary("<f8", false, "(1000000, 1000000)"), "");
  put(folder / "x", start);
  std::error_code refused;  // a file with a hole, which takes no room on the disk
  std::filesystem::resize_file(folder / "x", start.size() + 8000000000000, refused);
  if (refused) GTEST_SKIP() << "the file system has no such large files";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit small{rlim_t{1} << 36, before.rlim_max};  // whatever the machine would promise
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  EXPECT_ERROR(read_npy(folder / "x"), "does not fit in memory");
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
}
#endif

TEST(Npy, reads_arrays_longer_than_a_block) {
  const TemporaryFolder folder;
  DenseTensor tensor({300, 1001});
  for (Index p = 0; p < tensor.size(); ++p) tensor.values()[p] = std::sqrt(static_cast<double>(p));
  write_npy(folder / "x", tensor);
  put_gzip(folder / "packed", get(folder / "x"));
  for (const char* name : {"x", "packed"}) {
    EXPECT_TRUE(std::ranges::equal(read_npy(folder / name).values(), tensor.values()));
  }
}

TEST(Npy, writes_what_numpy_writes) {
  const TemporaryFolder folder;
  const Matrix matrix = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  write_npy(folder / "x", matrix);
  const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string padded = text + std::string(128 - 10 - text.size() - 1, ' ') + "\n";
  EXPECT_EQ(get(folder / "x"), npy(1, padded, items(std::vector<double>{1, 2, 3, 4, 5, 6}, false)));
}

TEST(Npy, matrices_vectors_and_tensors_come_back_to_the_last_bit) {
  const TemporaryFolder folder;
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Vector vector = (Vector(4) << 0.1, -0.0, tiny, HUGE_VAL).finished();
  write_npy(folder / "v", vector);
  const DenseTensor v = read_npy(folder / "v");
  EXPECT_EQ(v.dims(), (std::vector<Index>{4}));
  EXPECT_EQ(std::memcmp(v.values().data(), vector.data(), 32), 0);

  const Matrix matrix = Matrix::NullaryExpr(7, 3, [](Index i, Index j) { return std::exp(i - j); });
  write_npy(folder / "m", matrix);
  const DenseTensor m = read_npy(folder / "m");
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(m.at({i, j}), matrix(i, j));
  }

  const std::vector<Index> dims = {2, 1, 3, 1, 2, 2, 1, 2};
  DenseTensor tensor(dims);
  for (Index p = 0; p < tensor.size(); ++p) tensor.values()[p] = std::sin(p);
  write_npy(folder / "t", tensor);
  EXPECT_EQ(read_npy(folder / "t").dims(), dims);
  EXPECT_TRUE(std::ranges::equal(read_npy(folder / "t").values(), tensor.values()));
}

TEST(Npy, any_damage_is_an_error_or_harmless) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  const std::string bytes = npy(1, dictionary(">f4", true, "(3, 4)"), std::string(48, '\1'));
  put(path, bytes);
  damage_everywhere(path, [&] { (void)read_npy(path); });
  put_gzip(path, bytes);
  damage_everywhere(path, [&] { (void)read_npy(path); });
}

}  // namespace
}  // namespace sotto
