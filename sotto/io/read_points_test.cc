#include "sotto/io/read_points.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "sotto/io/npy.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

// All records, read in blocks of `step`, as a dense matrix.
RowMatrix all_points(PointSource& source, Index step = 3) {
  RowMatrix all(0, source.dim());
  PointBlock block;
  for (;;) {
    const Index rows = source.read(step, block);
    EXPECT_EQ(rows, block.rows());
    if (rows == 0) return all;
    all.conservativeResize(all.rows() + rows, source.dim());
    all.bottomRows(rows) = block.is_sparse ? RowMatrix(block.sparse) : block.dense;
  }
}

RowMatrix points_of(const std::string& path, const PointFileOptions& options = {}) {
  return all_points(*opened(open_points(path, options)));
}

PointFileOptions forced(PointFormat format, std::optional<std::int64_t> dim = {}) {
  PointFileOptions options;
  options.format = format;
  options.dim = dim;
  return options;
}

RowMatrix some_points() {
  RowMatrix m(4, 3);
  m << 1, 2.5, -3, 0, 1e10, 0.125, -1, 0, 0, 7, 8, 9;
  return m;
}

template <class T>
std::string raw_bytes(const RowMatrix& m, bool swap = false) {
  std::string bytes;
  for (const double value : m.reshaped<Eigen::RowMajor>()) {
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(static_cast<T>(value));
    if (swap) std::reverse(raw.begin(), raw.end());
    bytes.append(raw.data(), raw.size());
  }
  return bytes;
}

std::string npy_bytes(const std::string& dtype, const std::string& shape, const std::string& data,
                      bool fortran = false) {
  std::string header = "{'descr': '" + dtype +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  std::string bytes = "\x93NUMPY";
  bytes += {'\1', '\0', static_cast<char>(header.size()), '\0'};
  return bytes + header + data;
}

TEST(ReadPoints, reads_npy_of_both_sizes_and_byte_orders) {
  const TemporaryFolder folder;
  const RowMatrix m = some_points();
  const auto check = [&](const std::string& dtype, const std::string& data) {
    put(folder / "p.npy", npy_bytes(dtype, "(4, 3)", data));
    EXPECT_EQ(points_of(folder / "p.npy"), m) << dtype;
    put_gzip(folder / "p.gz", npy_bytes(dtype, "(4, 3)", data));
    EXPECT_EQ(points_of(folder / "p.gz"), m) << dtype;
  };
  check("<f8", raw_bytes<double>(m));
  check(">f8", raw_bytes<double>(m, true));
  check("<f4", raw_bytes<float>(m));
  check(">f4", raw_bytes<float>(m, true));
  EXPECT_EQ(opened(open_points(folder / "p.npy"))->records(), 4);
  EXPECT_TRUE(opened(open_points(folder / "p.npy"))->can_rewind());
}

TEST(ReadPoints, reads_plain_npy_and_raw_files_in_any_order) {
  const TemporaryFolder folder;
  const RowMatrix m = some_points();
  const std::vector<Index> order{2, 0, 3, 1};
  const RowMatrix expected = m(order, Eigen::all);
  PointFileOptions raw = forced(PointFormat::raw, 3);
  put(folder / "a.npy", npy_bytes("<f8", "(4, 3)", raw_bytes<double>(m)));
  put(folder / "b.npy", npy_bytes(">f4", "(4, 3)", raw_bytes<float>(m, true)));
  put(folder / "c.raw", raw_bytes<double>(m));
  for (const Index step : {1, 3, 4, 9}) {
    for (const char* name : {"a.npy", "b.npy", "c.raw"}) {
      auto source = opened(open_points(folder / name, name[0] == 'c' ? raw : PointFileOptions{}));
      ASSERT_TRUE(source->has_random_access());
      source->read_in_order(order);
      EXPECT_EQ(all_points(*source, step), expected) << name;
      source->rewind();
      EXPECT_EQ(source->skip(2), 2);
      EXPECT_EQ(all_points(*source, step), expected.bottomRows(2)) << name;
    }
  }
}

TEST(ReadPoints, refuses_an_order_for_what_is_read_from_front_to_back) {
  const TemporaryFolder folder;
  const std::string data = raw_bytes<double>(some_points());
  put_gzip(folder / "p.npy.gz", npy_bytes("<f8", "(4, 3)", data));
  put(folder / "p.csv", "1,2,3\n4,5,6\n");
  for (const char* name : {"p.npy.gz", "p.csv"}) {
    const auto source = opened(open_points(folder / name));
    EXPECT_FALSE(source->has_random_access());
    EXPECT_ERROR(source->read_in_order({0, 1, 2, 3}), "`shuffle`: needs a plain .npy file");
  }
  put(folder / "cut.npy", npy_bytes("<f8", "(4, 3)", data));
  const auto cut = opened(open_points(folder / "cut.npy"));
  cut->read_in_order({0, 1, 2, 3});
  std::filesystem::resize_file(folder / "cut.npy", 100);
  EXPECT_ERROR(all_points(*cut), "ends before record");
}

TEST(ReadPoints, refuses_npy_that_are_not_records) {
  const TemporaryFolder folder;
  const std::string path = folder / "p.npy", data = raw_bytes<double>(some_points());
  put(path, npy_bytes("<f8", "(12,)", data));
  EXPECT_ERROR(points_of(path), "two dimensions");
  put(path, npy_bytes("<f8", "(4, 3)", data, true));
  EXPECT_ERROR(points_of(path), "Fortran order");
  put(path, npy_bytes("<f8", "(4, 0)", ""));
  EXPECT_ERROR(points_of(path), "every dimension must be at least 1");
  put(path, npy_bytes("<f8", "(4, 3)", data.substr(8)));
  EXPECT_ERROR(points_of(path), "needs 96 bytes");
  put_gzip(path, npy_bytes("<f8", "(4, 3)", data.substr(8)));  // length not known beforehand
  EXPECT_ERROR(points_of(path), "ends within record 4, after 16 of 24 bytes");
  put_gzip(path, npy_bytes("<f8", "(4, 3)", data.substr(24)));
  EXPECT_ERROR(points_of(path), "has 3 records, its header says 4");
  put_gzip(path, npy_bytes("<f8", "(4, 3)", data + "x"));
  EXPECT_ERROR(points_of(path), "goes on after the 4 records");
}

TEST(ReadPoints, names_the_record_with_nan) {
  const TemporaryFolder folder;
  RowMatrix m = some_points();
  m(2, 1) = std::nan("");
  for (const char* name : {"a.npy", "b.npy"}) {
    const bool f4 = name[0] == 'a';
    put(folder / name,
        npy_bytes(f4 ? "<f4" : "<f8", "(4, 3)", f4 ? raw_bytes<float>(m) : raw_bytes<double>(m)));
    EXPECT_ERROR(points_of(folder / name), "record 3 has a value that is NaN or infinite");
  }
  put(folder / "c.csv", "1,2\n3,nan\n");
  EXPECT_ERROR(points_of(folder / "c.csv"), "c.csv:2: 'nan' is not a finite number");
  put(folder / "d.csv", "1,2\n3,1e999\n");
  EXPECT_ERROR(points_of(folder / "d.csv"), "d.csv:2");
}

TEST(ReadPoints, reads_raw_numbers) {
  const TemporaryFolder folder;
  const RowMatrix m = some_points();
  PointFileOptions options;
  options.dim = 3;
  put(folder / "p.raw", raw_bytes<double>(m));
  EXPECT_EQ(points_of(folder / "p.raw", options), m);  // not text, and a dimension
  EXPECT_EQ(opened(open_points(folder / "p.raw", options))->records(), 4);
  options.dtype = RawNumbers::f4;
  put(folder / "p.raw", raw_bytes<float>(m));
  EXPECT_EQ(points_of(folder / "p.raw", options), m);
  put(folder / "p.raw", raw_bytes<float>(m).substr(1));
  EXPECT_ERROR(points_of(folder / "p.raw", options), "not a whole number of records");
  put_gzip(folder / "p.raw", raw_bytes<float>(m).substr(0, 29));
  EXPECT_ERROR(points_of(folder / "p.raw", options), "ends within record 3, after 5 of 12 bytes");
  options.dim.reset();
  EXPECT_ERROR(points_of(folder / "p.raw", options), "`dim`: is needed");
  EXPECT_ERROR(points_of(folder / "p.raw"), "neither .npy nor text");
  options.format = PointFormat::csv;
  EXPECT_ERROR(points_of(folder / "p.raw", options), "`dtype`: only works with raw");
}

TEST(ReadPoints, reads_csv_with_any_separator_and_a_header) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {std::string("1,2.5,-3\n0,1e10,.125\n-1,0,0\n7,8,9\n"),
        std::string("1\t2.5\t-3\r\n0\t1e10\t.125\r\n-1\t0\t0\r\n7\t8\t9"),
        std::string("a,b,c\n1, 2.5, -3\n\n0,1e10,.125\n# no record\n-1,+0,0\n7,8,9\n"),
        std::string("  1  2.5 -3 \n0 1e10 .125\n-1 0 0\n7 8 9\n")}) {
    put(folder / "p.csv", text);
    EXPECT_EQ(points_of(folder / "p.csv"), some_points()) << text;
    put_gzip(folder / "p.csv", text);
    EXPECT_EQ(points_of(folder / "p.csv", forced(PointFormat::csv, 3)), some_points()) << text;
  }
}

TEST(ReadPoints, refuses_csv_that_is_ragged_or_not_numbers) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& text, const std::string& says) {
    put(folder / "p.csv", text);
    EXPECT_ERROR(points_of(folder / "p.csv"), says);
  };
  refuses("1,2\n3\n", "p.csv:2: has 1 fields, the first line has 2");
  refuses("1,2\n3,4,5\n", "p.csv:2: has 3 fields");
  refuses("1,2\n3,\n", "p.csv:2: '' is not a number");
  refuses("a,b\n1,2\nx,y\n", "p.csv:3: 'x' is not a number");
  refuses("1,b\n1,2\n", "p.csv:1: 'b' is not a number");
  refuses("a,b\n", "header but no records");
  refuses("\n# nothing\n", "has no records");
  refuses("", "is empty");
  EXPECT_ERROR(open_points(folder / "p.csv", forced(PointFormat::csv)), "has no records");
  put(folder / "p.csv", "1,2\n");
  EXPECT_ERROR(open_points(folder / "p.csv", forced(PointFormat::automatic, 3)),
               "records of dimension 2, not 3");
  EXPECT_ERROR(open_points(folder / "none.csv"), "cannot be opened");
}

RowMatrix document_rows() {
  RowMatrix m(4, 5);
  m << 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 1, 1, 1, 0, 0;
  return m;
}

TEST(ReadPoints, reads_documents_of_every_format) {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& text, std::optional<std::int64_t> dim = {}) {
    put_gzip(folder / "docs", text);
    EXPECT_EQ(points_of(folder / "docs", forced(PointFormat::automatic, dim)), document_rows())
        << text;
    const auto source = opened(open_points(folder / "docs", forced(PointFormat::automatic, dim)));
    EXPECT_TRUE(source->is_sparse());
    all_points(*source, 2);
    source->rewind();
    EXPECT_EQ(all_points(*source, 1), document_rows());
  };
  check("4\n5\n7\n1 1 2\n1 3 1\n3 2 3\n3 5 1\n4 3 1\n4 2 1\n4 1 1\n");  // document 2 is empty
  check("2 0:2 2:1\n0\n2 1:3 4:1\n3 2:1 1:1 0:1\n");
  check("2 0:2 2:1\n0\n2 1:3 4:1\n3 2:1 1:1 0:1\n", 5);
  check("+1 1:2 3:1 # first\n-1\n0.5 qid:3 2:3 5:1\n1 1:1 2:1 3:1\n");
  EXPECT_EQ(opened(open_points(folder / "docs"))->records(), 4);
}

TEST(ReadPoints, refuses_documents_that_are_damaged) {
  const TemporaryFolder folder;
  const auto refuses = [&](PointFormat format, const std::string& text, const std::string& says) {
    put(folder / "docs", text);
    EXPECT_ERROR(points_of(folder / "docs", forced(format)), says);
  };
  refuses(PointFormat::uci, "4\n5\n", "ends within its header");
  refuses(PointFormat::uci, "4\n5 1\n", "docs:2: expected only the number of words");
  refuses(PointFormat::uci, "4\n0\n1\n", "docs:2: number of words 0 is not between");
  refuses(PointFormat::uci, "2\n5\n3\n1 1 2\n2 1 1\n", "has 2 entries, its header says 3");
  refuses(PointFormat::uci, "2\n5\n1\n1 1 2\n2 1 1\n", "docs:5: goes on after the 1 entries");
  refuses(PointFormat::uci, "2\n5\n2\n2 1 2\n1 1 1\n", "docs:5: document 1 comes after document 2");
  refuses(PointFormat::uci, "2\n5\n2\n1 6 2\n2 1 1\n",
          "docs:4: word number 6 is not between 1 and 5");
  refuses(PointFormat::uci, "2\n5\n2\n3 1 2\n2 1 1\n",
          "docs:4: document number 3 is not between 1 and 2");
  refuses(PointFormat::uci, "2\n5\n2\n1 1\n2 1 1\n", "docs:4: '' is not a number");
  refuses(PointFormat::uci, "2\n5\n2\n1 1 1 1\n2 1 1\n", "docs:4: expected three numbers");
  refuses(PointFormat::uci, "1\n5\n2\n1 1 1\n1 1 1\n", "word 1 appears twice");
  refuses(PointFormat::uci, "1\n5\n1\n1 1 inf\n", "docs:4: 'inf' is not a finite number");
  refuses(PointFormat::lda_c, "2 0:1\n", "docs:1: the line says 2 words and has 1");
  refuses(PointFormat::lda_c, "1 -1:1\n", "docs:1: word number -1 is not between 0");
  refuses(PointFormat::lda_c, "1 x:1\n", "docs:1: word number 'x' is not a whole number");
  refuses(PointFormat::lda_c, "1 1\n", "docs:1: expected number:value");
  refuses(PointFormat::lda_c, "2 3:1 3:2\n", "docs:1: word 3 appears twice");
  refuses(PointFormat::svmlight, "1 0:1\n", "docs:1: word number 0 is not between 1");
  refuses(PointFormat::svmlight, "a 1:1\n", "docs:1: 'a' is not a number");
  refuses(PointFormat::svmlight, "1 1:x\n", "docs:1: 'x' is not a number");
  refuses(PointFormat::svmlight, "1\n1\n", "has no words");
  put(folder / "docs", "1 7:1\n");
  EXPECT_ERROR(points_of(folder / "docs", forced(PointFormat::svmlight, 6)),
               "word number 7 is not between");
}

TEST(ReadPoints, survives_damage_anywhere) {
  const TemporaryFolder folder;
  const std::string path = folder / "p";
  const auto read = [&] { points_of(path); };
  put(path, npy_bytes("<f4", "(2, 3)", raw_bytes<float>(some_points().topRows(2))));
  damage_everywhere(path, read);
  for (const char* text : {"1 1:2 3:1\n-1 2:3\n", "2 0:2 2:1\n1 1:3\n"}) {
    put(path, text);
    const std::string bytes = get(path);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      for (const char other : {'9', '-', ' ', '\n', '\0', ':'}) {
        std::string damaged = bytes;
        damaged[n] = other;
        put(path, damaged);
        error_of(read);
      }
    }
  }
}

TEST(NpyWriter, writes_what_is_read_back_and_refuses_an_incomplete_array) {
  const TemporaryFolder folder;
  const RowMatrix m = some_points();
  const std::string path = folder / "p.npy";
  for (const Index size : {4, 8}) {
    NpyWriter writer(path, {4, 3}, size);
    writer.write({m.data(), 5});
    EXPECT_ERROR(writer.commit(), "7 values of the array are missing");
    writer.write({m.data() + 5, 7});
    EXPECT_ERROR(writer.write({m.data(), 1}), "more than its shape");
    writer.commit();
    EXPECT_EQ(points_of(path), m);
    EXPECT_EQ(read_npy_header(path).item_size, size);
  }
  EXPECT_ERROR(NpyWriter(path, {4, 3}, 2), "4 or 8 bytes");
}

// ---- private records ----

PointFileOptions private_points(HeaderLine header, std::optional<std::int64_t> dim = {}) {
  PointFileOptions options;
  options.records_are_private = true;
  options.header = header;
  options.dim = dim;
  return options;
}

TEST(PrivatePoints, the_format_follows_from_the_name_or_a_mark) {
  const TemporaryFolder folder;
  const RowMatrix m = some_points();
  const auto reads = [&](const std::string& name, const std::string& bytes, const char* format,
                         const PointFileOptions& options) {
    put(folder / name, bytes);
    PointFormat found{};
    EXPECT_EQ(all_points(*opened(open_points(folder / name, options, &found))), m) << name;
    EXPECT_EQ(name_of(found), format);
  };
  const std::string npy = npy_bytes("<f8", "(4, 3)", raw_bytes<double>(m));
  reads("p.npy", npy, "npy", private_points(HeaderLine::automatic));
  reads("p", npy, "npy", private_points(HeaderLine::automatic));
  reads("p.csv", "a,b,c\n1,2.5,-3\n0,1e10,.125\n-1,0,0\n7,8,9\n", "csv",
        private_points(HeaderLine::yes));
  reads("p.csv", "# 1,2,3\n1,2.5,-3\n0,1e10,.125\n-1,0,0\n7,8,9\n", "csv",
        private_points(HeaderLine::yes));
  reads("p.tsv", "1\t2.5\t-3\n0\t1e10\t.125\n-1\t0\t0\n7\t8\t9\n", "tsv",
        private_points(HeaderLine::no, 3));
  PointFileOptions spaces = private_points(HeaderLine::no, 3);
  spaces.format = PointFormat::spaces;
  reads("p.txt", " 1 2.5\t-3\n0 1e10 .125\n-1 0 0\n7 8 9\n", "spaces", spaces);
  reads("p.raw", raw_bytes<double>(m), "raw", private_points(HeaderLine::automatic, 3));
  reads("p.f4", raw_bytes<float>(m), "raw", private_points(HeaderLine::automatic, 3));
  PointFileOptions typed = private_points(HeaderLine::automatic, 3);
  typed.dtype = RawNumbers::f8;
  reads("p", raw_bytes<double>(m), "raw", typed);
  for (const char* text : {"1,2,3\n", "1 1:2\n", "x", ""}) {
    put(folder / "p.txt", text);
    EXPECT_ERROR(open_points(folder / "p.txt", private_points(HeaderLine::no, 3)),
                 "`format`: is needed");
  }
}

TEST(PrivatePoints, what_records_have_in_common_is_not_read_off_them) {
  const TemporaryFolder folder;
  for (const char* text : {"1,2\n3,4\n", "a,b\n3,4\n", "1,2,3\n4,5\n", ""}) {
    put(folder / "p.csv", text);
    EXPECT_ERROR(open_points(folder / "p.csv", private_points(HeaderLine::automatic)),
                 "`header`: say yes or no");
    EXPECT_ERROR(open_points(folder / "p.csv", private_points(HeaderLine::no)), "`dim`: is needed");
  }
  for (const char* name : {"p.svm", "p.ldac"}) {
    for (const char* text : {"1 2:1\n", "0\n0\n", "x"}) {
      put(folder / name, text);
      EXPECT_ERROR(open_points(folder / name, private_points(HeaderLine::automatic)),
                   "`dim`: is needed");
    }
  }
  put(folder / "p.csv", "1,2\n");
  EXPECT_ERROR(open_points(folder / "p.npy", private_points(HeaderLine::yes)), "cannot be opened");
  put(folder / "p.npy", "x");
  EXPECT_ERROR(open_points(folder / "p.npy", private_points(HeaderLine::yes)),
               "`header`: only works with");
}

TEST(PrivatePoints, a_line_that_is_no_record_is_refused_wherever_it_stands) {
  const TemporaryFolder folder;
  for (const char* bad : {"", "  ", "# 1,2", "a,b", "1", "1,2,3", "1;2", "nan,1", "1\t2"}) {
    for (int place = 0; place < 3; ++place) {
      std::string text;
      for (int n = 0; n < 3; ++n) text += std::string(n == place ? bad : "1,2") + "\n";
      put(folder / "p.csv", text);
      EXPECT_NE(error_of([&] { points_of(folder / "p.csv", private_points(HeaderLine::no, 2)); }),
                "")
          << text;
      put(folder / "p.csv", "x,y\n" + text);
      EXPECT_NE(error_of([&] { points_of(folder / "p.csv", private_points(HeaderLine::yes)); }), "")
          << text;
    }
  }
}

TEST(PrivatePoints, the_beginning_of_a_file_is_never_quoted) {
  const TemporaryFolder folder;
  put(folder / "p.npy", "secret");
  put(folder / "p.csv", "");
  for (const auto& [name, header] :
       {std::pair{"p.npy", HeaderLine::automatic}, std::pair{"p.csv", HeaderLine::yes}}) {
    const std::string said = error_of([&] { open_points(folder / name, private_points(header)); });
    EXPECT_TRUE(mentions(said, "not shown in a private run")) << said;
    EXPECT_FALSE(mentions(said, "secret")) << said;
  }
}

TEST(PrivatePoints, raw_numbers_may_begin_like_gzip) {
  const TemporaryFolder folder;
  RowMatrix m = some_points();
  m(0, 0) = std::bit_cast<double>(std::uint64_t{0x3ff0000000088b1f});
  put(folder / "p.raw", raw_bytes<double>(m));
  EXPECT_EQ(points_of(folder / "p.raw", private_points(HeaderLine::automatic, 3)), m);
}

TEST(ReadPoints, a_header_is_there_when_it_is_said_to_be) {
  const TemporaryFolder folder;
  put(folder / "p.csv", "1,2\n3,4\n");
  PointFileOptions options;
  options.header = HeaderLine::yes;
  EXPECT_EQ(points_of(folder / "p.csv", options).rows(), 1);
  options.header = HeaderLine::no;
  EXPECT_EQ(points_of(folder / "p.csv", options).rows(), 2);
  put(folder / "p.csv", "a,b\n3,4\n");
  EXPECT_ERROR(points_of(folder / "p.csv", options), "p.csv:1: 'a' is not a number");
}

TEST(ReadPoints, a_byte_order_mark_is_no_part_of_a_number) {
  const TemporaryFolder folder;
  const std::string mark = "\xef\xbb\xbf";
  put(folder / "p.csv", mark + "1,2\n3,4\n");
  EXPECT_EQ(points_of(folder / "p.csv").rows(), 2);
  put(folder / "p", mark + "1 1:2 3:1\n-1 2:3\n");
  EXPECT_EQ(points_of(folder / "p").rows(), 2);
}

RowMatrix csv_points_of(const std::string& text, const PointFileOptions& options = {}) {
  const TemporaryFolder folder;
  put(folder / "p.csv", text);
  return points_of(folder / "p.csv", options);
}

TEST(ReadPoints, columns_are_left_out_by_name_or_number) {
  const RowMatrix plain = csv_points_of("x,y\n1.5,2\n3.5,4\n");
  PointFileOptions options;
  options.drop_columns = "2,who";
  EXPECT_EQ(csv_points_of("x,id,y,who\n1.5,a,2,b\n3.5,c,4,d\n", options), plain);
  options.drop_columns = "1";
  EXPECT_EQ(csv_points_of("\"x\" \"y\"\n\"1\" 1.5 2\n\"2\" 3.5 4\n", options), plain);
  for (const char* wrong : {"5", "0", "z", "1,1", "1,2"}) {
    options.drop_columns = wrong;
    EXPECT_ERROR(csv_points_of("x,y\n1,2\n", options), "`drop-columns`");
  }
}

TEST(ReadPoints, what_would_be_a_guess_is_refused_with_the_option_that_decides) {
  EXPECT_ERROR(csv_points_of(",x,y\n0,1,2\n"), "`drop-columns` 1");
  EXPECT_ERROR(csv_points_of("1,7,8\n2,7,9\n3,4,4\n"), "`drop-columns` 1");
  EXPECT_ERROR(csv_points_of("0,1,2\n5,6,7\n"), "`header` yes");
  EXPECT_ERROR(csv_points_of("x,2020\n5,6\n"), "`header` yes");
  EXPECT_ERROR(csv_points_of("1;2,5\n3;4,5\n"), "`separator`");
  EXPECT_ERROR(csv_points_of("x;y\n3;4,5\n"), "`decimal` comma");
  PointFileOptions options;
  options.drop_columns = "none";
  EXPECT_EQ(csv_points_of("1,7,8\n2,7,9\n3,4,4\n", options).cols(), 3);
}

TEST(ReadPoints, decimal_commas_are_read_when_they_are_said_to_be_there) {
  PointFileOptions options;
  options.separator = Separator::semicolon;
  options.decimal = DecimalMark::comma;
  EXPECT_EQ(csv_points_of("1,5;2\n3,5;-4e1\n", options), csv_points_of("x,y\n1.5,2\n3.5,-40\n"));
  EXPECT_ERROR(csv_points_of("1.5;2\n", options), "`decimal`");
}

TEST(PrivatePoints, no_column_is_taken_for_an_index) {
  PointFileOptions options;
  options.records_are_private = true;
  options.header = HeaderLine::yes;
  EXPECT_EQ(csv_points_of("t,x\n0,1\n1,2\n2,5\n", options).cols(), 2);
  options.drop_columns = "t";
  EXPECT_EQ(csv_points_of("t,x\n0,1\n1,2\n2,5\n", options).cols(), 1);
}

}  // namespace
}  // namespace sotto
