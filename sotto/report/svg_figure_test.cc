#include "sotto/report/svg_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Chart lines() {
  return {"Errors",
          "epsilon",
          "error",
          true,
          true,
          {},
          {{"strict", {0.1, 1, 10}, {0.3, 0.1, 0.01}, {0.2, 0.05, 0.005}, {0.4, 0.2, 0.02}},
           {"published", {0.1, 1, 10}, {0.5, kNone, 0.2}, {}, {}}}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Every element is closed, in order; attributes are quoted.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  std::size_t at = svg.find("?>") + 2;
  while ((at = svg.find('<', at)) != std::string::npos) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
}

TEST(SvgFigure, is_well_formed_and_has_all_panels_and_names) {
  const std::string svg = svg_figure({lines(), lines(), lines()}, 2);
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, ">Errors</text>"), 3u);
  EXPECT_EQ(count(svg, ">strict</text>"), 3u);
  EXPECT_EQ(count(svg, "nan"), 0u);
}

TEST(SvgFigure, escapes_any_text) {
  Chart chart = lines();
  chart.title = "<script>alert(\"a & b\")</script>";
  chart.series[0].name = "a<b\x01";
  const std::string svg = svg_figure({chart});
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "<script"), 0u);
  EXPECT_EQ(count(svg, "&lt;script&gt;alert(&quot;a &amp; b&quot;)"), 1u);
  EXPECT_EQ(count(svg, "\x01"), 0u);
}

TEST(SvgFigure, a_missing_point_breaks_the_line) {
  const std::string svg = svg_figure({lines()});
  // Two separate points: a path with two beginnings and no line between them.
  const std::size_t at = svg.find("stroke-dasharray=\"7 3\"");
  const std::size_t begin = svg.rfind("<path d=\"", at);
  const std::string path = svg.substr(begin, at - begin);
  EXPECT_EQ(count(path, "M"), 2u);
  EXPECT_EQ(count(path, "L"), 0u);
}

TEST(SvgFigure, series_differ_in_dashes_and_markers) {
  const std::string svg = svg_figure({lines()});
  EXPECT_EQ(count(svg, "stroke-dasharray=\"none\""), 2u);  // the line and its entry in the legend
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 3\""), 2u);
  EXPECT_EQ(count(svg, "<circle"), 4u);  // three points and the legend
  EXPECT_EQ(count(svg, "width=\"5\" height=\"5\""), 3u);
}

TEST(SvgFigure, draws_bars_for_categories_and_survives_empty_ranges) {
  const Chart bars{"Bars", "", "share", false, false, {"a", "b"}, {{"s", {}, {0.2, 0.4}, {}, {}}}};
  expect_well_formed(svg_figure({bars}));
  const Chart point{"Point", "x", "y", true, true, {}, {{"s", {1}, {0}, {}, {}}}};
  const Chart nothing{"Nothing", "x", "y", false, false, {}, {}};
  for (const Chart& chart : {point, nothing}) {
    const std::string svg = svg_figure({chart});
    expect_well_formed(svg);
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0u);
  }
}

TEST(SvgFigure, refuses_lists_of_different_lengths) {
  Chart chart = lines();
  chart.series[0].y.pop_back();
  EXPECT_THROW(svg_figure({chart}), Error);
  chart = lines();
  chart.series[0].low.pop_back();
  EXPECT_THROW(svg_figure({chart}), Error);
  EXPECT_THROW(svg_figure({}), Error);
}

TEST(SvgTicks, linear_ones_are_round_and_inside) {
  EXPECT_EQ(linear_ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(linear_ticks(-0.04, 9, 5), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_FALSE(std::signbit(linear_ticks(-0.04, 9, 5)[0]));
}

TEST(SvgTicks, logarithmic_ones_are_powers_of_ten_with_2_and_5_where_there_is_room) {
  EXPECT_EQ(log_ticks(0.01, 1, 8), (std::vector<double>{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}));
  EXPECT_EQ(log_ticks(1, 1e5, 6), (std::vector<double>{1, 10, 100, 1000, 1e4, 1e5}));
  const auto wide = log_ticks(1e-20, 1e20, 6);
  EXPECT_LE(wide.size(), 7u);
  EXPECT_GE(wide.size(), 4u);
  EXPECT_EQ(log_ticks(2, 5, 6), (std::vector<double>{2, 3, 4, 5}));
}

TEST(SvgTicks, text_is_short) {
  EXPECT_EQ(tick_text(0.05), "0.05");
  EXPECT_EQ(tick_text(200), "200");
  EXPECT_EQ(tick_text(0.6000000000000001), "0.6");
  EXPECT_EQ(tick_text(1e-5), "1e-05");
}

}  // namespace
}  // namespace sotto
