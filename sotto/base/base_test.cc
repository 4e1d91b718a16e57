#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/random.h"
#include "sotto/base/sensitive.h"

namespace sotto {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Error, names_the_message_the_place_and_the_condition) {
  try {
    const int k = 5;
    SOTTO_REQUIRE_AT(k <= 3, "a.tns:7", "k must be at most {}, got {}", 3, k);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a.tns:7: k must be at most 3, got 5");
    EXPECT_EQ(error.message(), "k must be at most 3, got 5");
    EXPECT_EQ(error.place(), "a.tns:7");
    EXPECT_EQ(error.condition(), "k <= 3");
    EXPECT_NE(error.raised_at().find("base_test.cc:"), std::string::npos);
    EXPECT_EQ(error.fault(), Fault::input);
  }
}

TEST(Error, a_comparison_with_nan_does_not_hold) {
  const double x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(SOTTO_REQUIRE(x > 0, "x"), Error);
}

struct Sample {
  std::int64_t starts = 32;
  double tolerance = 1e-10;
  std::optional<double> epsilon;
  std::vector<double> weights{3, 2};
  std::string method = "power";
  std::string out;
  bool json = false;

  OptionTable table() {
    return OptionTable()
        .integer("starts", 'L', starts, {1, 100}, "random starts")
        .real("tolerance", 0, tolerance, {0, 1, true, false}, "when to stop")
        .real("epsilon", 0, epsilon, {0, std::numeric_limits<double>::infinity(), true, true},
              "privacy")
        .reals("weights", weights, {}, "weights")
        .choice("method", method, {"power", "simultaneous"}, "algorithm")
        .text("out", 'o', out, "DIR", "folder")
        .flag("json", json, "print the result");
  }
};

TEST(Options, set_parses_and_stores) {
  Sample s;
  OptionTable t = s.table();
  t.set("starts", "7");
  t.set("tolerance", "1e-3");
  t.set("epsilon", "+2.5");
  t.set("weights", "1,2.5,-3e1");
  t.set("method", "simultaneous");
  t.set("out", "some where");
  t.set("json", "true");
  EXPECT_EQ(s.starts, 7);
  EXPECT_EQ(s.tolerance, 1e-3);
  EXPECT_EQ(s.epsilon, 2.5);
  EXPECT_EQ(s.weights, (std::vector<double>{1, 2.5, -30}));
  EXPECT_EQ(s.method, "simultaneous");
  EXPECT_EQ(s.out, "some where");
  EXPECT_TRUE(s.json);
}

TEST(Options, refuses_with_the_option_as_the_place_and_keeps_the_old_value) {
  Sample s;
  OptionTable t = s.table();
  EXPECT_EQ(message_of([&] { t.set("starts", "0"); }), "`starts`: must be 1 to 100, got 0");
  EXPECT_EQ(message_of([&] { t.set("starts", "3.5"); }),
            "`starts`: expected a whole number, got '3.5'");
  EXPECT_EQ(message_of([&] { t.set("starts", "99999999999999999999"); }),
            "`starts`: expected a whole number, got '99999999999999999999'");
  EXPECT_EQ(message_of([&] { t.set("starts", ""); }), "`starts`: expected a whole number, got ''");
  EXPECT_EQ(message_of([&] { t.set("tolerance", "0"); }),
            "`tolerance`: must be above 0, at most 1, got 0");
  EXPECT_EQ(message_of([&] { t.set("tolerance", "nan"); }),
            "`tolerance`: must be above 0, at most 1, got nan");
  EXPECT_NE(message_of([&] { t.set("epsilon", "inf"); }).find("`epsilon`: must be"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { t.set("weights", "1,,2"); }), "`weights`: expected a number, got ''");
  EXPECT_EQ(message_of([&] { t.set("method", "magic"); }),
            "`method`: must be one of power|simultaneous, got 'magic'");
  EXPECT_EQ(message_of([&] { t.set("nothing", "1"); }), "`nothing`: unknown option");
  EXPECT_EQ(s.starts, 32);
  EXPECT_EQ(s.weights, (std::vector<double>{3, 2}));
}

TEST(Options, notices_what_was_given_even_when_it_is_the_default) {
  Sample s;
  bool starts = false, tolerance = false;
  OptionTable t = s.table();
  t.notice("starts", starts).notice("tolerance", tolerance);
  EXPECT_THROW(t.set("starts", "0"), Error);
  EXPECT_FALSE(starts);
  t.set("starts", "32");
  EXPECT_TRUE(starts);
  EXPECT_FALSE(tolerance);
  EXPECT_THROW(t.notice("nothing", starts), Error);
}

TEST(Options, json_help_and_manual_come_from_the_declaration) {
  Sample s;
  const OptionTable t = s.table();
  const Json expected = {{"starts", 32},      {"tolerance", 1e-10}, {"epsilon", nullptr},
                         {"weights", {3, 2}}, {"method", "power"},  {"out", ""},
                         {"json", false}};
  EXPECT_EQ(t.to_json(), expected);
  EXPECT_NE(t.help_text().find("-L, --starts N"), std::string::npos);
  EXPECT_NE(t.help_text().find("random starts (1 to 100; default 32)"), std::string::npos);
  EXPECT_NE(t.markdown().find("| `--method power\\|simultaneous` | algorithm | default power |"),
            std::string::npos);
}

TEST(Options, refuses_two_declarations_of_one_name) {
  double a = 0, b = 0;
  OptionTable t;
  t.real("x", 'x', a, {}, "");
  EXPECT_THROW(t.real("x", 0, b, {}, ""), Error);
  EXPECT_THROW(t.real("y", 'x', b, {}, ""), Error);
}

TEST(Progress, line_shows_share_rate_and_time_left) {
  EXPECT_EQ(progress_line({"work", 50, 100}, 10.0),
            "[############............]  50%  work  10/s  0:05 left");
  EXPECT_EQ(progress_line({"work", 1, 7201}, 1.0),
            "[........................]   0%  work  1/s  2:00:00 left");
  EXPECT_EQ(progress_line({"reading", 10, 0}, 5.0), "reading  10  5/s");
  EXPECT_EQ(progress_line({"reading", 50, 100, /*has_rate=*/false}, 10.0),
            "[############............]  50%  reading  0:05 left");
}

TEST(Progress, rate_and_time_left_are_not_guessed) {
  EXPECT_EQ(progress_line({"work", 50, 100}, {}), "[############............]  50%  work");
  EXPECT_EQ(progress_line({"reading", 10, 0}, {}), "reading  10");
  EXPECT_EQ(progress_line({"second moment", 0, 0}, {}), "second moment");
  ProgressRate rate;
  EXPECT_FALSE(rate.after({"work", 0, 100}, 1000));
  EXPECT_FALSE(rate.after({"work", 5, 100}, 1001));    // too soon
  EXPECT_EQ(rate.after({"work", 8, 100}, 1004), 2.0);  // 8 in 4 seconds
  EXPECT_FALSE(rate.after({"work", 1, 100}, 1100));    // begins again: another start
  EXPECT_FALSE(rate.after({"work", 2, 100}, 1110));    // one unit says little
  EXPECT_EQ(rate.after({"work", 21, 100}, 1110), 2.0);
  EXPECT_FALSE(rate.after({"refining", 30, 100}, 1111));  // a stage has a speed of its own
}

TEST(Progress, bar_draws_when_told_to_and_clears_its_line) {
  std::FILE* file = std::tmpfile();
  {
    ProgressBar bar(file, ProgressBar::When::always);
    EXPECT_TRUE(bar({"work", 1, 2}));
  }
  const long length = std::ftell(file);
  std::rewind(file);
  std::string text(static_cast<std::size_t>(length), ' ');
  ASSERT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  EXPECT_NE(text.find("50%  work"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\033[K"));
}

TEST(Progress, bar_is_silent_when_the_stream_is_no_terminal) {
  std::FILE* file = std::tmpfile();
  {
    ProgressBar bar(file);
    EXPECT_TRUE(bar({"work", 1, 2}));
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

TEST(Progress, a_missing_callback_never_stops_and_a_false_answer_does) {
  EXPECT_TRUE(report_progress({}, {"work", 1, 2}));
  const ProgressCallback stop = [](const ProgressReport&) { return false; };
  EXPECT_FALSE(report_progress(stop, {"work", 1, 2}));
  EXPECT_NO_THROW(continue_or_throw({}, {"work", 1, 2}));
  try {
    continue_or_throw(stop, {"work", 1, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::stopped);
  }
}

TEST(Random, is_reproducible_and_streams_differ) {
  SeededRandom a(7), b(7), c(7, 1), d(8);
  const auto first = a.bits();
  EXPECT_EQ(first, b.bits());
  EXPECT_NE(first, c.bits());
  EXPECT_NE(first, d.bits());
}

TEST(Random, moments_are_right) {
  SeededRandom random(3);
  constexpr int kDraws = 1000000;
  double mean = 0, square = 0, fourth = 0, uniform = 0;
  for (int n = 0; n < kDraws; ++n) {
    const double x = random.normal();
    mean += x;
    square += x * x;
    fourth += x * x * x * x;
    uniform += random.uniform();
  }
  // Five standard errors of each mean.
  EXPECT_NEAR(mean / kDraws, 0, 5.0 / 1000);
  EXPECT_NEAR(square / kDraws, 1, 5 * std::sqrt(2.0) / 1000);
  EXPECT_NEAR(fourth / kDraws, 3, 5 * std::sqrt(96.0) / 1000);
  EXPECT_NEAR(uniform / kDraws, 0.5, 5 * std::sqrt(1.0 / 12) / 1000);
}

TEST(Random, below_is_uniform) {
  SeededRandom random(4);
  std::vector<int> counts(7);
  for (int n = 0; n < 70000; ++n) ++counts[random.below(7)];
  double chi_square = 0;
  for (const int c : counts) chi_square += (c - 10000.0) * (c - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 35);  // six degrees of freedom: 35 has probability 4e-6
}

TEST(Clipped, is_the_nearest_number_of_the_range) {
  EXPECT_EQ(clipped(0.5, -1, 1), 0.5);
  EXPECT_EQ(clipped(1e308, -1, 1), 1);
  EXPECT_EQ(clipped(-std::numeric_limits<double>::infinity(), -1, 1), -1);
  EXPECT_EQ(clipped(1, 0, std::numeric_limits<double>::infinity()), 1);
}

TEST(Sensitive, transforms_stay_sensitive_and_a_declaration_opens) {
  Sensitive<std::string> data(std::string("record"));
  auto length = std::move(data).transform([](std::string s) { return s.size(); });
  static_assert(std::is_same_v<decltype(length), Sensitive<std::size_t>>);
  EXPECT_EQ(std::move(length).open(PublicDeclaration("made up in a test")), 6u);
}

}  // namespace
}  // namespace sotto
