// Files that claim more than they hold, and numbers that nothing can be computed with.
#include "sotto/io/claims.h"

#include <gtest/gtest.h>

#include "sotto/io/npy.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/read_points.h"
#include "sotto/io/read_ratings.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/io/time_bins.h"

namespace sotto {
namespace {

using Rows = std::vector<std::int32_t>;

Ratings read(const TemporaryFolder& folder, const std::string& name, std::string_view text) {
  put(folder / name, text);
  return opened(read_ratings(folder / name));
}

RowMatrix points_in(const std::string& path, const PointFileOptions& options = {}) {
  const Points points = opened(open_points(path, options));
  PointBlock block, last;
  while (points->read(1000, block) > 0) std::swap(block, last);
  return last.dense;
}

TEST(RatingClaims, a_large_index_of_a_tns_file_is_a_label) {
  const TemporaryFolder folder;
  const Ratings ratings = read(folder, "r.tns", "2 100000000 1 5\n7 3 1 4\n2 3 1 1\n");
  EXPECT_EQ(ratings.entries.dims, (std::vector<Index>{2, 2, 1}));
  EXPECT_EQ(ratings.entries.index[0], (Rows{0, 1, 0}));
  EXPECT_EQ(ratings.entries.index[1], (Rows{1, 0, 0}));
  EXPECT_EQ(ratings.modes[1].label(1), "100000000");
  put(folder / "more.tns", "7 100000000 1 2\n");
  const Ratings more = opened(read_more_ratings(folder / "more.tns", {}, ratings));
  EXPECT_EQ(more.entries.index[0], (Rows{1}));
  EXPECT_EQ(more.entries.index[1], (Rows{1}));
  EXPECT_ERROR(read(folder, "h.tns", "sptensor\n2\n9 100000000\n1\n1 1 5\n"),
               "the header declares 100000000 rows for 1 entries");
}

TEST(RatingClaims, what_is_missing_is_a_value_and_not_the_name_of_a_column) {
  const TemporaryFolder folder;
  EXPECT_ERROR(read(folder, "r.csv", "7,12,NA\n7,13,4\n"), "r.csv:1: ");
}

TEST(RatingClaims, a_date_is_followed_by_a_time_or_by_nothing) {
  std::int64_t seconds = 0, day = 0;
  EXPECT_TRUE(parse_time("2020-02-20", day));
  for (const char* text :
       {"2020-02-20 12:30", "2020-02-20T12:30:05Z", "2020-02-20T12:30:05.25+02:00"}) {
    EXPECT_TRUE(parse_time(text, seconds)) << text;
    EXPECT_EQ(seconds, day);
  }
  for (const char* text : {"2020-02-20junk", "2020-02-200", "2020-02-20 noon", "2020-02-20T"}) {
    EXPECT_FALSE(parse_time(text, seconds)) << text;
  }
}

TEST(PointClaims, claims_of_a_header_need_entries) {
  const TemporaryFolder folder;
  PointFileOptions uci;
  uci.format = PointFormat::uci;
  put(folder / "x", "2147483647\n4\n1\n2147483647 1 1\n");
  EXPECT_ERROR(points_in(folder / "x", uci), "declares 2147483647 documents for 1 entries");
  put(folder / "x", "9223372036854775807\n4\n1\n1 1 1\n");
  EXPECT_ERROR(points_in(folder / "x", uci), "number of documents");
  put(folder / "x", "2\n2147483647\n1\n1 1 1\n");
  EXPECT_ERROR(points_in(folder / "x", uci), "declares 2147483647 words for 1 entries");
  put(folder / "x", "1 2000000000:1\n2 3:1 4:2\n");
  EXPECT_ERROR(points_in(folder / "x"), "would have 2000000001 words for 3 entries");
}

TEST(PointClaims, public_numbers_whose_powers_are_none_are_refused_and_private_ones_are_not) {
  const TemporaryFolder folder;
  put(folder / "x.csv", "1,2\n3,1e110\n");
  EXPECT_ERROR(points_in(folder / "x.csv"), "x.csv:2: has the number 1e+110");
  write_npy(folder / "x.npy", Matrix(Matrix::Constant(3, 2, -1e80)));
  EXPECT_ERROR(points_in(folder / "x.npy"), "has the number -1e+80");
  PointFileOptions options;
  options.records_are_private = true;
  EXPECT_EQ(points_in(folder / "x.npy", options)(2, 1), -1e80);
}

TEST(PointClaims, a_first_line_of_missing_values_is_a_record) {
  const TemporaryFolder folder;
  put(folder / "x.csv", "NA,NA\n1,2\n3,4\n");
  EXPECT_ERROR(points_in(folder / "x.csv"), "x.csv:1: 'NA' is not a number");
}

TEST(CorpusClaims, claims_of_a_header_need_entries_unless_the_documents_are_private) {
  const TemporaryFolder folder;
  CorpusFileOptions options;
  options.format = CorpusFormat::mm;
  const std::string mm = "%%matrixmarket matrix coordinate integer general\n";
  put(folder / "x", mm + "2000000000 4 1\n2000000000 1 1\n");
  EXPECT_ERROR(opened(read_corpus(folder / "x", options)), "declares 2000000000 documents");
  put(folder / "x", mm + "3 2000000000 1\n1 1 1\n");
  EXPECT_ERROR(opened(read_corpus(folder / "x", options)), "declares 2000000000 words");
  put(folder / "x", mm + "3000000 4 1\n7 1 1\n");
  EXPECT_ERROR(opened(read_corpus(folder / "x", options)), "declares 3000000 documents");
  options.records_are_private = true;
  EXPECT_EQ(opened(read_corpus(folder / "x", options)).documents(), 3000000);
  put(folder / "x", "1 2000000000:1\n2 3:1 4:2\n");
  EXPECT_ERROR(opened(read_corpus(folder / "x")), "would have 2000000001 words for 3 entries");
}

TEST(CorpusClaims, matrix_market_is_recognised_whatever_its_capitals) {
  const TemporaryFolder folder;
  put(folder / "x", "%%matrixmarket matrix coordinate integer general\n2 3 2\n1 1 1\n2 3 4\n");
  CorpusFormat format{};
  opened(read_corpus(folder / "x", {}, &format));
  EXPECT_EQ(format, CorpusFormat::mm);
}

}  // namespace
}  // namespace sotto
