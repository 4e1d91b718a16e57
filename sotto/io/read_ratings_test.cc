#include "sotto/io/read_ratings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sotto/base/random.h"
#include "sotto/io/npy.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/io/time_bins.h"

namespace sotto {
namespace {

class RatingsTest : public ::testing::Test {
 protected:
  Ratings read(const std::string& name, std::string_view text) {
    put(folder_ / name, text);
    return opened(read_ratings(folder_ / name, options_));
  }

  TemporaryFolder folder_;
  RatingFileOptions options_;
};

using Rows = std::vector<std::int32_t>;

TEST_F(RatingsTest, four_formats_of_the_same_ratings_agree) {
  const Ratings csv = read("r.csv",
                           "userId,movieId,rating,timestamp\n7,31,2.5,964982703\n7,9,3,964982703\n"
                           "12,31,4,0\n");
  const Ratings tsv = read("u.data", "7\t31\t2.5\t964982703\n7\t9\t3\t964982703\n12\t31\t4\t0\n");
  const Ratings dat = read("r.dat", "7::31::2.5::964982703\r\n7::9::3::964982703\r\n12::31::4::0");
  const Ratings tns = read("r.tns", "# comment\n1 1 2.5\n\n1 2 3\n2 1 4\n");
  for (const Ratings* r : {&csv, &tsv, &dat, &tns}) {
    EXPECT_EQ(r->entries.dims, (std::vector<Index>{2, 2, 1})) << r->path;
    EXPECT_EQ(r->entries.index[0], (Rows{0, 0, 1}));
    EXPECT_EQ(r->entries.index[1], (Rows{0, 1, 0}));
    EXPECT_EQ(r->entries.index[2], (Rows{0, 0, 0}));
    EXPECT_EQ(r->entries.value, (std::vector<double>{2.5, 3, 4}));
  }
  EXPECT_EQ(csv.modes[0].name, "userId");
  EXPECT_EQ(csv.modes[0].label(1), "12");
  EXPECT_EQ(csv.modes[1].label(1), "9");
  EXPECT_EQ(tns.modes[1].label(1), "2");
  EXPECT_EQ(csv.lines.line_of(2), 4u);
  EXPECT_EQ(tns.lines.line_of(0), 2u);
  EXPECT_EQ(tns.lines.line_of(1), 4u);
  EXPECT_EQ(tns.lines.line_of(2), 5u);
}

// A file that a model is applied to.
TEST_F(RatingsTest, columns_are_matched_to_the_modes_of_a_model) {
  options_.modes = {"user", "movie"};
  for (const bool values : {true, false}) {
    options_.positions_only = !values;
    const std::vector<std::string> files =
        values ? std::vector<std::string>{"Movie,rating,user\nx,3,a\n", "who,what,much\na,x,3\n",
                                          "user,movie,genre,score\na,x,1,3\n", "a,x,3\n"}
               : std::vector<std::string>{"movie,user\nx,a\n", "who,what\na,x\n", "a,1\n"};
    for (const std::string& text : files) {
      const Ratings r = read("r.csv", text);
      ASSERT_EQ(r.modes.size(), 3u) << text;
      EXPECT_EQ(r.modes[0].label(0), "a") << text;
      EXPECT_EQ(r.entries.at(0), values ? 3 : 0) << text;
    }
  }
  options_.positions_only = false;
  EXPECT_ERROR(read("r.csv", "movie,user\nx,a\n"), "value");
  EXPECT_ERROR(read("r.csv", "1,2\n"), "value");
}

TEST_F(RatingsTest, one_user_needs_items_and_values_alone) {
  options_.modes = {"user", "movie", "month"};
  options_.one_user = true;
  for (const char* text : {"movie,rating\nx,3\n", "rating,movie\n3,x\n", "x,3\n",
                           "what,much\nx,3\n", "user,movie,rating\nme,x,3\n",
                           "user,film,rating\nme,x,3\n", "movie,month,rating\nx,5,3\n"}) {
    const Ratings r = read("r.csv", text);
    EXPECT_EQ(r.modes[1].label(0), "x") << text;
    EXPECT_EQ(r.entries.at(0), 3) << text;
  }
  EXPECT_ERROR(read("r.csv", "movie\nx\n"), "r.csv");
}

TEST_F(RatingsTest, names_may_be_anything_and_columns_may_be_named) {
  options_.columns = "-,mode,mode,value,mode,time";
  options_.time_mode = TimeMode::day;
  const Ratings r =
      read("r.csv", "1,\"Heat, 1995\",anna,3,tv,2001-02-03\n2,Alien,\"bo\",-1e-3,pc,1\n");
  EXPECT_EQ(r.entries.dims, (std::vector<Index>{2, 2, 2, 2}));
  EXPECT_EQ(r.modes[0].label(0), "Heat, 1995");
  EXPECT_EQ(r.modes[1].label(1), "bo");
  EXPECT_EQ(r.modes[3].name, "day");
  EXPECT_EQ(r.modes[3].label(0), "1970-01-01");  // in the order of time, not of the file
  EXPECT_EQ(r.modes[3].label(1), "2001-02-03");
  EXPECT_EQ(r.entries.index[3], (Rows{1, 0}));
  EXPECT_EQ(r.entries.value[1], -1e-3);
}

TEST_F(RatingsTest, a_header_says_which_column_is_the_value) {
  const Ratings named = read("a.csv", "stars,who,what\n5,a,b\n4,c,d\n");
  EXPECT_EQ(named.entries.value, (std::vector<double>{5, 4}));
  EXPECT_EQ(named.modes[1].name, "what");
  const Ratings last = read("b.csv", "who,what,where,liked,date\na,b,c,1,2020-01-01\n");
  EXPECT_EQ(last.entries.dims.size(), 3u);
  EXPECT_EQ(last.entries.value, (std::vector<double>{1}));
}

TEST_F(RatingsTest, more_ratings_get_the_rows_of_the_known_ones) {
  options_.time_mode = TimeMode::month;
  const Ratings known = read("r.csv", "a,x,1,86400\nb,y,2,9999999\na,y,3,86400\n");
  put(folder_ / "t.csv", "b,x,5,9999999\nc,y,1,86400\nb,y,2,99999999\n");
  const Ratings more = opened(read_more_ratings(folder_ / "t.csv", options_, known));
  EXPECT_EQ(more.entries.dims, known.entries.dims);
  EXPECT_EQ(more.entries.index[0], (Rows{1, kUnknownRow, 1}));
  EXPECT_EQ(more.entries.index[1], (Rows{0, 1, 1}));
  EXPECT_EQ(more.entries.index[2], (Rows{1, 0, kUnknownRow}));
  options_.time_mode = TimeMode::none;
  const Ratings small = read("k.tns", "1 1 1 5\n2 3 1 4\n");
  put(folder_ / "m.tns", "3 3 1 5\n");
  EXPECT_EQ(opened(read_more_ratings(folder_ / "m.tns", options_, small)).entries.row(0, 0),
            kUnknownRow);
}

TEST_F(RatingsTest, a_declared_shape_keeps_rows_without_entries) {
  const Ratings r = read("r.tns", "sptensor\n3\n5 4 2\n2\n1 1 1 0.5\n2 4 1 1\n");
  EXPECT_EQ(r.entries.dims, (std::vector<Index>{5, 4, 2}));
  EXPECT_ERROR(read("r.tns", "sptensor\n3\n5 4 2\n3\n1 1 1 0.5\n2 4 1 1\n"), "promises 3 entries");
  EXPECT_ERROR(read("r.tns", "sptensor\n3\n5 4 2\n1\n6 1 1 0.5\n"), "r.tns:5: index 6");
}

TEST_F(RatingsTest, a_place_given_twice_names_both_lines) {
  const Ratings r = read("r.csv", "# x\nu,i,rating\na,b,1\n\nb,b,1\na,b,2\na,b,2\n");
  EXPECT_ERROR(refuse_duplicates(r), "r.csv:6: the same place as on line 3");
  EXPECT_EQ(find_duplicates(r.entries).count, 2);
}

TEST_F(RatingsTest, bad_lines_are_named) {
  EXPECT_ERROR(read("r.csv", "a,b,1\na,c,many\n"), "r.csv:2: 'many' is not a number");
  EXPECT_ERROR(read("r.csv", "a,b,1\na,c,nan\n"), "r.csv:2: 'nan' is not a finite number");
  EXPECT_ERROR(read("r.csv", "a,b,1\na,c\n"), "r.csv:2: expected 3 fields, got 2");
  EXPECT_ERROR(read("r.csv", "a,b,1\n,c,2\n"), "r.csv:2: field 1 is empty");
  EXPECT_ERROR(read("r.csv", "user,item,rating\n"), "has a header but no entries");
  EXPECT_ERROR(read("r.csv", ""), "has no entries");
  EXPECT_ERROR(read("r.csv", "a,b,c,d,e,1\n"), "`columns`");
  EXPECT_ERROR(read("r.tns", "1 0 1 2\n"), "r.tns:1: index 0 is not between");
  EXPECT_ERROR(read("r.tns", "1 1.5 1 2\n"), "r.tns:1");
  options_.time_mode = TimeMode::day;
  EXPECT_ERROR(read("r.csv", "a,b,1,964982703000\n"), "r.csv:1: '964982703000' is not a time");
  EXPECT_ERROR(read("r.csv", "a,b,1\n"), "`time-mode`");
  EXPECT_ERROR(read("r.tns", "1 1 1 2\n"), "`time-mode`");
  options_.time_mode = TimeMode::none;
  options_.range = "1:5";
  EXPECT_ERROR(read("r.csv", "a,b,1\na,c,5.5\n"), "r.csv:2: the value 5.5 is outside `range` 1:5");
  for (const char* bad : {"5", "5:1", "1:1", "a:5", "nan:2", "1:inf"}) {
    options_.range = bad;
    EXPECT_ERROR(options_.value_range(), "`range`");
  }
  options_.range.clear();
  options_.columns = "mode,value";
  EXPECT_ERROR(read("r.csv", "a,1\n"), "`columns`: needs 2 to 5 mode columns");
  options_.columns = "mode,mode,rating";
  EXPECT_ERROR(read("r.csv", "a,b,1\n"), "`columns`: a column is user, item, mode, value, time");
}

TEST_F(RatingsTest, damage_is_an_error_or_other_ratings_but_never_a_crash) {
  put(folder_ / "r.csv", "userId,movieId,rating,timestamp\n7,\"31\",2.5,964982703\n7,9,3,96498\n");
  options_.time_mode = TimeMode::week;
  options_.range = "0:5";
  const std::string path = folder_ / "r.csv", bytes = get(path);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    for (const char other : {'9', '-', ' ', '\n', '\0', '"', ','}) {
      std::string damaged = bytes;
      damaged[n] = other;
      put(path, damaged);
      error_of([&] { refuse_duplicates(opened(read_ratings(path, options_))); });
    }
  }
}

// Rows and entries of several files are those of one file with all of their lines.
TEST_F(RatingsTest, several_files_are_read_as_one) {
  const std::string head = "user,movie,rating,timestamp\n";
  const std::string first = "b,x,1,2000000\na,y,2,0\n", second = "c,x,3,1\nb,z,4,9000000\n";
  for (const bool is_private : {false, true}) {
    options_.records_are_private = is_private;
    options_.time_mode = TimeMode::day;
    const Ratings whole = read("whole.csv", head + first + second);
    put(folder_ / "1.csv", head + first);
    put(folder_ / "2.csv", head + second);
    const Ratings joined =
        opened(read_rating_files({folder_ / "1.csv", folder_ / "2.csv"}, options_));
    EXPECT_EQ(joined.entries.dims, whole.entries.dims);
    EXPECT_EQ(joined.entries.index, whole.entries.index);
    EXPECT_EQ(joined.entries.value, whole.entries.value);
    for (std::size_t m = 0; m < whole.modes.size(); ++m) {
      EXPECT_EQ(joined.modes[m].name, whole.modes[m].name);
      for (Index row = 0; row < whole.entries.dims[m]; ++row) {
        EXPECT_EQ(joined.modes[m].label(row), whole.modes[m].label(row));
      }
    }
  }
  put(folder_ / "3.csv", "user,film,rating,timestamp\na,y,2,0\n");
  EXPECT_ERROR(read_rating_files({folder_ / "1.csv", folder_ / "3.csv"}, options_),
               "3.csv: has another format or other columns");
  put(folder_ / "4.tns", "1 1 2\n");
  options_ = {};
  EXPECT_ERROR(read_rating_files({folder_ / "4.tns", folder_ / "4.tns"}, options_),
               "several files of ratings");
}

// Every user is in one share, with all ratings.
TEST_F(RatingsTest, shares_of_users_are_all_of_them) {
  std::string text = "user,movie,rating\n";
  for (int n = 0; n < 300; ++n) {
    text += "u" + std::to_string(n % 40) + ",m" + std::to_string(n % 7) + ",3\n";
  }
  options_.records_are_private = options_.for_users = true;
  const Ratings whole = read("r.csv", text);
  for (const std::int64_t shards : {2, 5, 90}) {
    Index ratings = 0, users = 0;
    for (std::int64_t shard = 0; shard < shards; ++shard) {
      options_.shard = shard;
      options_.shards = shards;
      const Ratings own = read("r.csv", text);
      EXPECT_EQ(own.entries.size() + own.left_out, whole.entries.size());
      ratings += own.entries.size();
      users += own.entries.dims[0];
    }
    EXPECT_EQ(ratings, whole.entries.size());
    EXPECT_EQ(users, whole.entries.dims[0]);
  }
}

TEST(TimeModes, days_weeks_and_months_are_those_of_the_calendar) {
  std::int64_t t = 0;
  ASSERT_TRUE(parse_time("964982703", t));  // 2000-07-30 18:45:03, a Sunday
  EXPECT_EQ(bin_label(bin_of(t, TimeMode::day), TimeMode::day), "2000-07-30");
  EXPECT_EQ(bin_label(bin_of(t, TimeMode::week), TimeMode::week), "2000-07-24");
  EXPECT_EQ(bin_label(bin_of(t, TimeMode::month), TimeMode::month), "2000-07");
  ASSERT_TRUE(parse_time("-1", t));
  EXPECT_EQ(bin_label(bin_of(t, TimeMode::day), TimeMode::day), "1969-12-31");
  EXPECT_EQ(bin_label(bin_of(t, TimeMode::month), TimeMode::month), "1969-12");
  ASSERT_TRUE(parse_time("1.5e9", t));
  EXPECT_EQ(t, 1500000000);
  ASSERT_TRUE(parse_time("2024-02-29T12:00:00Z", t));
  EXPECT_EQ(bin_label(bin_of(t, TimeMode::day), TimeMode::day), "2024-02-29");
  EXPECT_EQ(bin_of(t, TimeMode::week) - bin_of(t - 7 * 86400, TimeMode::week), 1);
  for (const char* bad : {"", "x", "2023-02-29", "2023-13-01", "nan", "1e300", "12345678901234"}) {
    EXPECT_FALSE(parse_time(bad, t)) << bad;
  }
}

TEST_F(RatingsTest, a_byte_order_mark_makes_no_second_user) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string& text :
       {std::string("a,x,1\nb,x,2\na,y,3\n"),
        std::string("user,item,rating\na,x,1\nb,x,2\na,y,3\n"),
        std::string("a::x::1\nb::x::2\na::y::3\n"), std::string("a\tx\t1\nb\tx\t2\na\ty\t3\n")}) {
    EXPECT_EQ(read("r", mark + text).entries.dims, (std::vector<Index>{2, 2, 1})) << text;
  }
  EXPECT_EQ(read("r", mark + "user,item,rating\na,x,1\n").modes[0].name, "user");
  EXPECT_EQ(read("r.tns", mark + "1 1 5\n2 1 5\n").entries.dims, (std::vector<Index>{2, 1, 1}));
}

TEST_F(RatingsTest, a_column_without_a_name_is_refused) {
  for (const char* first : {"", "Unnamed: 0", "\"\""}) {
    EXPECT_ERROR(read("r.csv", std::string(first) + ",userId,movieId,rating\n0,a,x,1\n"),
                 "`columns`: column 1 of the header has no name");
  }
  options_.columns = "-,mode,mode,value";
  EXPECT_EQ(read("r.csv", ",userId,movieId,rating\n0,a,x,1\n").modes[0].name, "userId");
}

TEST_F(RatingsTest, a_file_of_one_comment_ends) { EXPECT_ERROR(read("r", "# only"), "no entries"); }

// ---- who the users are ----

class UserColumnTest : public RatingsTest {
 protected:
  UserColumnTest() { options_.for_users = true; }

  // Label of the user and of the item of the first entry.
  std::string first(const std::string& name, const std::string& text) {
    ratings_ = read(name, text);
    return ratings_.modes[0].label(ratings_.entries.row(0, 0)) + " " +
           ratings_.modes[1].label(ratings_.entries.row(1, 0));
  }

  Ratings ratings_;
};

TEST_F(UserColumnTest, a_header_names_it) {
  EXPECT_EQ(first("r.csv", "movieId,userId,rating\nx,a,1\n"), "a x");
  EXPECT_EQ(ratings_.user_column, "the column userId");
  EXPECT_EQ(first("r.csv", "rating,USER_ID,what\n1,a,x\n"), "a x");
  EXPECT_EQ(first("r.csv", "day,item,patient-id,score\n7,x,a,1\n"), "a x");
  EXPECT_EQ(ratings_.modes[2].name, "day");
  EXPECT_EQ(first("r.csv", "movie,liked,member\nx,1,a\n"), "a x");  // the value is not the last
  EXPECT_ERROR(first("r.csv", "who,what,rating\na,x,1\n"), "`user-column`: is needed");
  EXPECT_ERROR(first("r.csv", "user_id,user_name,rating\n1,a,2\n"), "`user-column`: is needed");
  EXPECT_ERROR(first("r.csv", "a,x,1\n"), "`user-column`: is needed");
  EXPECT_ERROR(first("r.csv", "user,what,where,rating\na,x,y,1\n"), "`columns`: is needed: 2 col");
  EXPECT_ERROR(first("r.csv", "user,item,movie,rating\na,x,y,1\n"), "`columns`: is needed: 2 col");
}

TEST_F(UserColumnTest, an_option_names_it) {
  options_.user_column = "2";
  EXPECT_EQ(first("r.csv", "x,a,1\n"), "a x");
  EXPECT_EQ(ratings_.user_column, "column 2");
  EXPECT_EQ(first("r.tns", "31 7 2.5\n"), "7 31");
  EXPECT_EQ(first("r.csv", "user,who,rating\nx,a,1\n"), "a x");
  options_.user_column = "Who";
  EXPECT_EQ(first("r.csv", "what,who,rating\nx,a,1\n"), "a x");
  EXPECT_ERROR(first("r.csv", "x,a,1\n"), "`user-column`: the file has no header");
  EXPECT_ERROR(first("r.csv", "who,w_h_o,rating\nx,a,1\n"), "twice");
  EXPECT_ERROR(first("r.csv", "user,item,rating\nx,a,1\n"), "the header has no column Who");
  for (const char* bad : {"0", "17", "4", "3", "-1"}) {
    options_.user_column = bad;
    EXPECT_ERROR(first("r.csv", "x,a,1\n"), "`user-column`: ") << bad;
  }
}

TEST_F(UserColumnTest, columns_or_the_format_name_it) {
  EXPECT_EQ(first("r.dat", "a::x::1::0\n"), "a x");
  EXPECT_EQ(first("u.data", "a\tx\t1\t0\n"), "a x");
  EXPECT_EQ(ratings_.user_column, "column 1");
  EXPECT_ERROR(first("r.tsv", "a\tx\t1\t0\n"), "`user-column`");
  EXPECT_ERROR(first("r.tns", "1 2 3\n"), "`user-column`");
  options_.columns = "mode,item,user,value";
  EXPECT_EQ(first("r.csv", "z,x,a,1\n"), "a x");
  EXPECT_EQ(first("r.tns", "5 6 7 1\n"), "7 6");
  EXPECT_EQ(first("r.tns", "sptensor\n3\n9 9 9\n1\n5 6 7 1\n"), "7 6");
  options_.user_column = "1";
  EXPECT_ERROR(first("r.csv", "z,x,a,1\n"), "`user-column`: `columns` says that column 3");
  options_.user_column.clear();
  options_.columns = "user,user,item,value";
  EXPECT_ERROR(first("r.csv", "z,x,a,1\n"), "more than one column of users");
}

// ---- private ratings ----

class PrivateRatingsTest : public UserColumnTest {
 protected:
  PrivateRatingsTest() {
    options_.records_are_private = true;
    options_.for_users = false;
  }
};

// Refused like every other record that cannot be read: neither what is wrong nor where is said.
#define EXPECT_UNSAID(action, name) \
  EXPECT_ERROR(action, std::string(name) + ": has a record that cannot be read in this format; ")

TEST_F(PrivateRatingsTest, the_order_of_the_file_leaves_no_trace) {
  const std::string head = "user,item,rating,time\n";
  const std::vector<std::string> lines = {"10,x,1,5000000\n", "9,y,2,0\n", "anna,x,3,0\n",
                                          "9,x,4,9000000\n"};
  options_.time_mode = TimeMode::day;
  std::vector<int> order = {0, 1, 2, 3};
  const Ratings sorted = read("r.csv", head + lines[0] + lines[1] + lines[2] + lines[3]);
  EXPECT_EQ(sorted.modes[0].label(0) + sorted.modes[0].label(1) + sorted.modes[0].label(2),
            "910anna");
  EXPECT_EQ(sorted.entries.index[0], (Rows{0, 0, 1, 2}));
  EXPECT_EQ(sorted.entries.value, (std::vector<double>{4, 2, 1, 3}));
  EXPECT_EQ(sorted.modes[2].label(0), "1970-01-01");
  EXPECT_EQ(sorted.format, RatingFormat::csv);
  do {
    std::string text = head;
    for (const int n : order) text += lines[static_cast<std::size_t>(n)];
    const Ratings other = read("r.csv", text);
    EXPECT_EQ(other.entries.index, sorted.entries.index);
    EXPECT_EQ(other.entries.value, sorted.entries.value);
    for (std::size_t m = 0; m < 3; ++m) {
      for (Index row = 0; row < sorted.entries.dims[m]; ++row) {
        EXPECT_EQ(other.modes[m].label(row), sorted.modes[m].label(row));
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_ERROR(refuse_duplicates(read("r.csv", head + lines[0] + lines[1] + lines[0])),
               "r.csv: has two ratings of one place");
}

TEST_F(PrivateRatingsTest, indices_are_labels_and_cost_what_occurs) {
  const Ratings r = read("r.tns", "5000000 2147483647 1\n3 999999999999 2\n003 7 3\n");
  EXPECT_EQ(r.entries.dims, (std::vector<Index>{2, 3, 1}));
  EXPECT_EQ(r.modes[0].label(0), "3");
  EXPECT_EQ(r.modes[1].label(2), "999999999999");
  put(folder_ / "t.tns", "3 2147483647 1\n4 7 1\n");
  options_.records_are_private = false;
  const Ratings more = opened(read_more_ratings(folder_ / "t.tns", options_, r));
  EXPECT_EQ(more.entries.index[0], (Rows{0, kUnknownRow}));
  EXPECT_EQ(more.entries.index[1], (Rows{1, 0}));
  options_.records_are_private = true;
  // A shape that is declared stays, unless the users would be counted.
  const std::string declared = "sptensor\n2\n5000000 9\n2\n4000000 1 1\n1 9 2\n";
  EXPECT_EQ(read("r.tns", declared).entries.dims, (std::vector<Index>{5000000, 9, 1}));
  options_.for_users = true;
  options_.user_column = "1";
  EXPECT_EQ(read("r.tns", declared).entries.dims, (std::vector<Index>{2, 2, 1}));
  EXPECT_UNSAID(read("r.tns", "sptensor\n2\n50 9\n1\n51 1 1\n"), "r.tns");
  EXPECT_UNSAID(read("r.tns", "sptensor\n2\n50 9\n2\n50 1 1\n"), "r.tns");
  EXPECT_ERROR(read("r.tns", "sptensor\n3\n5 9 2\n1\n5 1 1 1\n"), "`columns`: is needed");
}

TEST_F(PrivateRatingsTest, a_first_line_is_a_header_by_the_name_of_the_value) {
  EXPECT_EQ(read("r.csv", "who,what,stars\na,x,1\n").modes[0].name, "who");
  for (const char* text : {"a,x,1\nb,x,2\n", "who,what,liked\na,x,1\n", "a,x,secret\na,x,1\n"}) {
    EXPECT_ERROR(read("r.csv", text), "`columns`: is needed");
  }
  EXPECT_ERROR(read("r.csv", "user,item,grade\na,x,1\n"), "`columns`: is needed");
  EXPECT_ERROR(read("r.csv", "user,item,score,rating\na,x,1,1\n"), "needed: 2 columns");
  options_.columns = "user,item,value";
  // A record that is malformed is so wherever it stands; "user" may be the name of a user.
  EXPECT_UNSAID(read("r.csv", "a,x,secret\na,x,1\n"), "r.csv");
  EXPECT_UNSAID(read("r.csv", "a,x,1\na,x,secret\n"), "r.csv");
  // Labels that are called like a column make no header: they would be published as names.
  EXPECT_UNSAID(read("r.csv", "a,movie,secret\na,x,1\n"), "r.csv");
  EXPECT_UNSAID(read("r.csv", "a,x\na,x,1\n"), "r.csv");
  EXPECT_UNSAID(read("r.csv", "a,x,1\na,x\n"), "r.csv");
  EXPECT_EQ(read("r.csv", "user,x,1\nb,x,2\n").entries.size(), 2);
  options_.header = HeaderLine::yes;
  EXPECT_EQ(read("r.csv", "who,what,liked\na,x,1\n").entries.size(), 1);
  options_.header = HeaderLine::no;
  EXPECT_UNSAID(read("r.csv", "user,item,rating\na,x,1\n"), "r.csv");
  options_.header = HeaderLine::yes;
  options_.columns = "user,item,value,-";
  EXPECT_ERROR(read("r.csv", "who,what,liked\na,x,1\n"), "`columns`: lists 4 columns");
}

TEST_F(PrivateRatingsTest, a_value_outside_the_range_is_no_fault) {
  options_.range = text_of({1, 5});
  EXPECT_EQ(read("r.csv", "user,item,rating\na,x,7\n").entries.at(0), 7);
  options_.records_are_private = false;
  EXPECT_ERROR(read("r.csv", "user,item,rating\na,x,7\n"), "r.csv:2: the value 7 is outside");
}

TEST_F(PrivateRatingsTest, positions_can_be_read_without_the_values) {
  const std::string head = "user,item,rating\n";
  const Ratings whole = read("r.csv", head + "a,x,7\nb,y,3\n");
  options_.positions_only = true;
  const Ratings places = read("r.csv", head + "b,y,secret\na,x,nan\n");
  EXPECT_EQ(places.entries.index, whole.entries.index);
  EXPECT_EQ(places.entries.value, (std::vector<double>{0, 0}));
}

TEST_F(PrivateRatingsTest, the_format_follows_from_the_name) {
  for (const char* text : {"a,x,1\n", "1 1 1\n", "a::x::1::0\n", "x"}) {
    EXPECT_ERROR(read("ratings", text), "`format`: is needed");
  }
  EXPECT_EQ(read("r.dat", "a::x::1::0\nb::y::1::0\n").format, RatingFormat::movielens);
  EXPECT_EQ(read("u.data", "a\tx\t1\t0\n").format, RatingFormat::u_data);
  EXPECT_UNSAID(read("r.dat", "a::x::1\n"), "r.dat");
  EXPECT_ERROR(read("r.csv", "user;item;rating\na;x;1\n"), "`columns`: is needed");
}

TEST_F(RatingsTest, dialects_of_the_same_ratings_agree) {
  const Ratings plain = read("r.csv", "user,item,rating\na,x,2.5\na,y,3\nb,x,4\n");
  for (const char* text : {"user;item;rating\na;x;2.5\na;y;3\nb;x;4\n",
                           "sep=|\r\nuser|item|rating\r\na|x|2.5\r\na|y|3\r\nb|x|4\r\n",
                           "\"user\";\"item\";\"rating\"\n\"a\";\"x\";2.5\na;y;3\nb;x;4\n"}) {
    const Ratings other = read("r.csv", text);
    EXPECT_EQ(other.entries.index, plain.entries.index) << text;
    EXPECT_EQ(other.entries.value, plain.entries.value);
  }
  EXPECT_ERROR(read("r.csv", "user;item;rating\na;x;2,5\n"), "`decimal` comma");
  options_.decimal = DecimalMark::comma;
  EXPECT_EQ(read("r.csv", "user;item;rating\na;x;2,5\na;y;3\nb;x;4\n").entries.value,
            plain.entries.value);
}

TEST_F(RatingsTest, what_would_be_a_guess_is_refused_with_the_option_that_decides) {
  EXPECT_ERROR(read("r.csv", "0,1,2\na,x,3\n"), "`header`");
  EXPECT_ERROR(read("r.csv", "n,user,item,rating\n0,a,x,1\n1,a,y,2\n2,b,x,3\n"),
               "`columns` -,user,item,value");
  EXPECT_ERROR(read("r.csv", "user,item,seen,rating\na,x,2020-01-02,3\n"),
               "`columns` mode,mode,time,value");
  EXPECT_ERROR(read("r.csv", "1;2;3,5\n"), "`separator`");
  EXPECT_ERROR(read("r.tns", "0 1 2\n"), "`index-base` 0");
  options_.index_base = IndexBase::zero;
  EXPECT_EQ(read("r.tns", "0 1 2\n1 0 3\n").entries.index[1], (Rows{1, 0}));
}

TEST_F(RatingsTest, a_name_that_ends_in_date_is_a_time) {
  options_.time_mode = TimeMode::month;
  for (const char* name : {"visit_date", "visitDate", "Visit Date", "visit.date", "datetime"}) {
    const Ratings r = read("r.csv", fmt::format("user,item,{},rating\na,x,2020-05-17,3\n", name));
    EXPECT_EQ(r.modes[2].label(0), "2020-05") << name;
  }
  options_.time_mode = TimeMode::none;
  EXPECT_EQ(read("r.csv", "user,candidate,item,rating\na,x,y,3\n").entries.order(), 3);
  EXPECT_EQ(read("r.csv", "user,game,play_time\na,x,3\n").entries.value[0], 3);
}

TEST_F(RatingsTest, a_quoted_field_may_go_on_in_the_next_line) {
  options_.columns = "user,item,-,value";
  const Ratings r = read("r.csv", "user,item,review,rating\na,x,\"so,\n\nso\",3\nb,y,fine,4\n");
  EXPECT_EQ(r.entries.value, (std::vector<double>{3, 4}));
  EXPECT_ERROR(read("r.csv", "user,item,review,rating\na,x,\"so,3\nb,y,fine,4\n"), ":2");
  options_.columns.clear();
  EXPECT_ERROR(read("r.csv", "user,item,rating\n\"a\nb\",x,3\n"), "line break");
}

TEST_F(RatingsTest, an_array_has_its_observed_entries) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix array(2, 3);
  array << 1, nan, 3, nan, 5, 6;
  write_npy(folder_ / "a.npy", array);
  const Ratings r = opened(read_ratings(folder_ / "a.npy", options_));
  EXPECT_EQ(r.entries.dims, (std::vector<Index>{2, 3, 1}));
  EXPECT_EQ(r.entries.value, (std::vector<double>{1, 3, 5, 6}));
  EXPECT_EQ(r.entries.index[1], (Rows{0, 2, 1, 2}));
  array(0, 0) = std::numeric_limits<double>::infinity();
  write_npy(folder_ / "a.npy", array);
  EXPECT_ERROR(read_ratings(folder_ / "a.npy", options_), "infinite");
  options_.time_mode = TimeMode::month;
  EXPECT_ERROR(read_ratings(folder_ / "a.npy", options_), "`time-mode`");
}

TEST_F(PrivateRatingsTest, an_open_quote_takes_in_no_other_rating) {
  EXPECT_ERROR(read("r.csv", "user,item,rating\na,\"x,3\nb,y\",4\n"), "cannot be read");
}

}  // namespace
}  // namespace sotto
