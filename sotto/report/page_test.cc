#include "sotto/report/page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/report/assets.h"
#include "sotto/report/html.h"

namespace sotto {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

// The page without the fixed style and scripts.
std::string content(std::string html) {
  for (const std::string_view fixed : {asset::style, asset::script, asset::chart_library}) {
    const std::size_t at = html.find(fixed);
    if (at != std::string::npos) html.erase(at, fixed.size());
  }
  return html;
}

Chart line_chart(const std::string& name, std::vector<double> y) {
  Chart chart;
  chart.title = name;
  chart.x_label = name;
  chart.y_label = name;
  chart.series.push_back({name, {}, std::move(y), {}, {}});
  for (std::size_t n = 0; n < chart.series[0].y.size(); ++n) {
    chart.series[0].x.push_back(static_cast<double>(n));
  }
  return chart;
}

// A page with one text in every place that takes one.
Page page_full_of(const std::string& text) {
  Chart bars;
  bars.title = bars.x_label = bars.y_label = text;
  bars.categories = {text, text};
  bars.series = {{text, {}, {1, 2}, {0, 1}, {2, 3}}};
  PageSection section;
  section.heading = text;
  section.paragraphs = {{text, Cell(1.5, text)}};
  section.facts = {{text, text}};
  section.charts = {bars, line_chart(text, {1, 2, 3})};
  section.cards = {{{text}, {{text, 1}, {text, 0.5}}}};
  section.tables = {{text, {text, text}, {{text, 2}}}};
  section.preformatted = text;
  PageSection folded = section;
  folded.folded = true;
  Page page;
  page.title = text;
  page.subtitle = page.notice = page.footer = {text};
  page.sections = {section, folded};
  return page;
}

TEST(Html, escapes_what_could_be_read_as_markup) {
  EXPECT_EQ(escape_html("<a href=\"x\" id='y'>&amp;"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_html(std::string("a\0b\x1b\x7f\tc\n", 8)), "a\uFFFDb\uFFFD\uFFFD\tc\n");
}

TEST(Html, shortens_between_characters_and_not_within_one) {
  EXPECT_EQ(shorten("\u05D0\u05D1\u05D2", 2), "\u05D0\u05D1\u2026");
  EXPECT_EQ(shorten("\u05D0\u05D1", 2), "\u05D0\u05D1");
  EXPECT_EQ(shorten("", 0), "");
}

TEST(Html, numbers_read_well) {
  EXPECT_EQ(shown(std::int64_t{0}), "0");
  EXPECT_EQ(shown(std::int64_t{1234}), "1234");
  EXPECT_EQ(shown(std::int64_t{12345}), "12,345");
  EXPECT_EQ(shown(std::int64_t{-1234567}), "-1,234,567");
  EXPECT_EQ(shown(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(shown(0.1), "0.1000");
  EXPECT_EQ(shown(2.0), "2");
  EXPECT_EQ(shown(1e-6), "1e-06");
  EXPECT_EQ(shown(123456.7), "123,457");
  EXPECT_EQ(shown(1.23456e300), "1.235e+300");
  EXPECT_EQ(shown(kNaN), "none");
}

TEST(Page, shows_hostile_text_as_text_in_every_field) {
  const std::size_t scripts = count(render(page_full_of("plain")), "<script");
  for (const std::string text : {"<script>alert(1)</script>", "</script><script>alert(1)</script>",
                                 "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
                                 "<!-- ", "]]>", "</title></style><b>", "\u202Eabc", "&lt;b&gt;"}) {
    const std::string html = content(render(page_full_of(text)));
    EXPECT_EQ(count(html, "<script"), scripts) << text;
    for (const char* tag : {"<img", "<b>", "<!-- ", " onerror=alert(1)>", "' onmouseover='"}) {
      EXPECT_EQ(count(html, tag), 0u) << text;
    }
    EXPECT_GT(count(html, escape_html(text)), 20u) << text;
  }
}

TEST(Page, keeps_words_from_right_to_left_apart) {
  EXPECT_NE(
      render(page_full_of("\u05E9\u05DC\u05D5\u05DD")).find("<bdi>\u05E9\u05DC\u05D5\u05DD</bdi>"),
      std::string::npos);
}

TEST(Page, text_that_is_not_utf8_does_not_stop_it) {
  EXPECT_NE(render(page_full_of("a\xFF\xC3")).find("</html>"), std::string::npos);
}

TEST(Page, numbers_carry_every_digit) {
  Page page;
  page.sections.push_back({"x"});
  for (const double x : {1.0 / 3, 1e-300, -0.1, 5e-324, 12345.678901234567}) {
    page.sections[0].paragraphs = {{x}};
    const std::string html = render(page);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(html, found, std::regex("<data value=\"([^\"]*)\"")));
    EXPECT_EQ(std::strtod(found[1].str().c_str(), nullptr), x);
  }
  page.sections[0].paragraphs = {{std::int64_t{9007199254740993}}};
  EXPECT_NE(render(page).find("value=\"9007199254740993\""), std::string::npos);
}

TEST(Page, numbers_that_are_none_are_shown_and_leave_gaps) {
  Page page;
  page.sections.push_back({"x"});
  page.sections[0].paragraphs = {{kNaN, std::numeric_limits<double>::infinity()}};
  page.sections[0].charts = {line_chart("c", {1, kNaN, std::numeric_limits<double>::infinity()})};
  page.sections[0].cards = {{{"t"}, {{"a", kNaN}, {"b", 0}}}};
  const std::string html = render(page);
  EXPECT_EQ(content(html).find("nan"), std::string::npos);
  EXPECT_NE(html.find("\"y\":[1.0,null,null]"), std::string::npos);
}

TEST(Page, an_empty_page_is_a_page_without_scripts) {
  const std::string html = render(Page());
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  PageSection empty;
  empty.charts = {Chart()};
  empty.tables = {PageTable()};
  empty.cards = {PageCard()};
  Page page;
  page.sections = {empty};
  EXPECT_NE(render(page).find("<canvas"), std::string::npos);
}

TEST(Page, loads_nothing) {
  const std::string html = render(page_full_of("x"));
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* load :
       {" src=", "@import", "url(", "<link rel=\"stylesheet", "<iframe", "<object", "href=\"http",
        "fetch(", "XMLHttpRequest", "WebSocket", "import("}) {
    EXPECT_EQ(html.find(load), std::string::npos) << load;
  }
  EXPECT_EQ(content(html).find("://"), std::string::npos);
}

TEST(Page, stays_under_two_megabytes_and_says_what_it_leaves_out) {
  PageSection section;
  section.heading = std::string(1 << 20, 'h');
  const std::string word(300, '<');  // four times as long when escaped
  PageTable table{word, {"a", "b"}, {}};
  for (int n = 0; n < 2000; ++n) table.rows.push_back({word, n});
  PageCard card{{word}, {}};
  for (int n = 0; n < 1000; ++n) card.bars.emplace_back(word, n);
  section.tables.assign(5, table);
  section.cards.assign(20, card);
  section.charts.assign(5, line_chart(word, std::vector<double>(10000, 1.0 / 3)));
  section.facts.assign(1000, {word, word});
  section.preformatted = std::string(1 << 20, '"');
  Page page;
  page.title = word;
  page.sections.assign(10, section);
  const std::string html = render(page);
  EXPECT_LT(html.size(), 2'000'000u);
  EXPECT_NE(html.find("of 2000 rows are shown"), std::string::npos);
  EXPECT_NE(html.find("of 10000 points, evenly spaced, are shown"), std::string::npos);
}

TEST(Page, thinned_curves_keep_their_ends) {
  std::vector<double> y(10001);
  for (std::size_t n = 0; n < y.size(); ++n) y[n] = static_cast<double>(n);
  Page page;
  page.sections.push_back({"x"});
  page.sections[0].charts = {line_chart("c", y)};
  const std::string html = render(page);
  EXPECT_NE(html.find("\"y\":[0.0,20.0,"), std::string::npos);
  EXPECT_NE(html.find(",10000.0]"), std::string::npos);
}

TEST(Page, every_chart_has_its_values_in_a_table) {
  Chart chart = line_chart("error", {0.25, 0.125});
  chart.series.push_back({"other", {5, 6}, {1.5, 2.5}, {1, 2}, {2, 3}});  // another x: rows of both
  Page page;
  page.sections.push_back({"x"});
  page.sections[0].charts = {chart};
  const std::string html = render(page);
  for (const char* value : {"0.25", "0.125", "1.5", "2.5", "5.0", "3.0"}) {
    EXPECT_NE(html.find(std::string("<data value=\"") + value), std::string::npos) << value;
  }
  EXPECT_NE(html.find("aria-label=\"error\""), std::string::npos);
}

TEST(Page, bars_are_signed_where_a_value_of_the_section_is) {
  Page page;
  page.sections.push_back({"x"});
  page.sections[0].cards = {{{"up"}, {{"a", 2}, {"b", 1}}}};
  EXPECT_EQ(content(render(page)).find("signed"), std::string::npos);
  page.sections[0].cards.push_back({{"both"}, {{"a", 2}, {"b", -1}}});
  const std::string html = content(render(page));
  EXPECT_EQ(count(html, "<ol class=\"signed\">"), 2u);
  EXPECT_NE(html.find("<li class=\"minus\" style=\"--share:50.0%\"><span>b</span>"),
            std::string::npos);
}

TEST(Page, refuses_charts_and_tables_that_do_not_fit_together) {
  Page page;
  page.sections.push_back({"x"});
  page.sections[0].tables = {{"", {"a", "b"}, {{1}}}};
  EXPECT_THROW(render(page), Error);
  page.sections[0].tables.clear();
  Chart chart = line_chart("c", {1, 2});
  chart.series[0].x.pop_back();
  page.sections[0].charts = {chart};
  EXPECT_THROW(render(page), Error);
  chart = line_chart("c", {1, 2});
  chart.x_names = {"monday"};
  page.sections[0].charts = {chart};
  EXPECT_THROW(render(page), Error);
  chart = line_chart("c", {1, 2});
  chart.series[0].low = {1, 2};
  page.sections[0].charts = {chart};
  EXPECT_THROW(render(page), Error);
}

}  // namespace
}  // namespace sotto
