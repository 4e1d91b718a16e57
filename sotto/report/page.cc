#include "sotto/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/report/assets.h"
#include "sotto/report/html.h"

namespace sotto {
namespace {

constexpr std::size_t kMaxBytes = 1'900'000;

// How much of the page is shown. All limits are halved until the page is small enough.
struct Limits {
  std::size_t rows = 500;        // of a table
  std::size_t points = 500;      // of a series
  std::size_t bars = 3000;       // of all cards of a section
  std::size_t sections = 200;    // and charts, tables and paragraphs of a section
  std::size_t characters = 600;  // of a text

  Limits half() const {
    const auto down = [](std::size_t n) { return std::max<std::size_t>(n / 2, 1); };
    return {down(rows), down(points), down(bars), down(sections), down(characters)};
  }
};

class Renderer {
 public:
  explicit Renderer(Limits limits) : limits_(limits) {}

  std::string page(const Page& page) {
    head(page);
    out_ += fmt::format("<header>\n<h1>{}</h1>\n", text(page.title));
    if (!page.subtitle.empty()) paragraph(page.subtitle, "subtitle");
    if (!page.notice.empty()) {
      paragraph(page.notice, page.mark == PageMark::good  ? "notice good"
                             : page.mark == PageMark::bad ? "notice bad"
                                                          : "notice");
    }
    out_ += "</header>\n<main>\n";
    some(page.sections, "sections", [&](const PageSection& s) { section(s); });
    out_ += "</main>\n";
    if (!page.footer.empty()) out_ += fmt::format("<footer>{}</footer>\n", line(page.footer));
    if (charts_ > 0) {
      out_ += fmt::format("<script>\n{}</script>\n<script>\n{}</script>\n", asset::chart_library,
                          asset::script);
    }
    return std::move(out_) + "</body>\n</html>\n";
  }

 private:
  void head(const Page& page) {
    out_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
        "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n"
        "<body>\n",
        escape_html(shorten(page.title, limits_.characters)), asset::style);
  }

  void section(const PageSection& s) {
    if (s.folded) {
      out_ += fmt::format("<section class=\"folded\">\n<details>\n<summary>{}</summary>\n",
                          text(s.heading));
    } else {
      out_ += fmt::format("<section>\n<h2>{}</h2>\n", text(s.heading));
    }
    some(s.paragraphs, "paragraphs", [&](const Line& l) { paragraph(l, ""); });
    facts(s);
    some(s.charts, "charts", [&](const Chart& c) { chart(c); });
    cards(s.cards);
    some(s.tables, "tables", [&](const PageTable& t) { table(t); });
    if (!s.preformatted.empty()) {
      out_ += fmt::format("<pre>{}</pre>\n",
                          escape_html(shorten(s.preformatted, 20 * limits_.characters)));
    }
    out_ += s.folded ? "</details>\n</section>\n" : "</section>\n";
  }

  void facts(const PageSection& s) {
    if (s.facts.empty()) return;
    out_ += "<dl>\n";
    const std::size_t shown = std::min(s.facts.size(), limits_.rows);
    for (std::size_t n = 0; n < shown; ++n) {
      out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", text(s.facts[n].first),
                          cell(s.facts[n].second));
    }
    out_ += "</dl>\n";
    left_out(shown, s.facts.size(), "values");
  }

  void table(const PageTable& t) {
    for (const Line& row : t.rows) {
      SOTTO_REQUIRE(row.size() == t.head.size(), "a row of {} cells in a table of {} columns",
                    row.size(), t.head.size());
    }
    // The caption is above the table, not in it, so that it stays in sight when a wide table is
    // scrolled.
    std::string labelled;
    if (!t.caption.empty()) {
      labelled = fmt::format(" aria-labelledby=\"table-{}\"", ++captions_);
      out_ +=
          fmt::format("<p class=\"caption\" id=\"table-{}\">{}</p>\n", captions_, text(t.caption));
    }
    out_ += fmt::format("<div class=\"scroll\" tabindex=\"0\"><table{}>\n", labelled);
    out_ += "<thead><tr>";
    for (std::size_t c = 0; c < t.head.size(); ++c) {
      const bool numbers = !t.rows.empty() && !t.rows.front()[c].exact.empty();
      out_ += fmt::format("<th scope=\"col\"{}>{}</th>", numbers ? " class=\"n\"" : "",
                          text(t.head[c]));
    }
    out_ += "</tr></thead>\n<tbody>\n";
    const std::size_t shown = std::min(t.rows.size(), limits_.rows);
    for (std::size_t r = 0; r < shown; ++r) {
      out_ += "<tr>";
      for (const Cell& c : t.rows[r]) {
        out_ += fmt::format("<td{}>{}</td>", c.exact.empty() ? "" : " class=\"n\"", cell(c));
      }
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
    left_out(shown, t.rows.size(), "rows");
  }

  void cards(const std::vector<PageCard>& all) {
    if (all.empty()) return;
    const std::size_t cards = std::min(all.size(), limits_.bars);
    const std::size_t each = std::max<std::size_t>(limits_.bars / cards, 1);
    std::size_t longest = 0;
    // Cards beside each other are read against each other, so all have their zero in one place.
    const bool is_signed = std::any_of(all.begin(), all.end(), has_negative);
    out_ += "<div class=\"cards\">\n";
    for (std::size_t n = 0; n < cards; ++n) {
      card(all[n], each, is_signed);
      longest = std::max(longest, all[n].bars.size());
    }
    out_ += "</div>\n";
    left_out(cards, all.size(), "lists");
    left_out(std::min(each, longest), longest, "lines of each");
  }

  static bool has_negative(const PageCard& c) {
    return std::any_of(c.bars.begin(), c.bars.end(),
                       [](const auto& bar) { return bar.second < 0; });
  }

  void card(const PageCard& c, std::size_t limit, bool is_signed) {
    double largest = 0;
    for (const auto& [name, value] : c.bars) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    out_ += "<div class=\"card\"><h3>";
    for (const Cell& part : c.title) out_ += fmt::format("<span>{}</span>", cell(part));
    out_ += is_signed ? "</h3><ol class=\"signed\">\n" : "</h3><ol>\n";
    for (std::size_t n = 0; n < std::min(c.bars.size(), limit); ++n) {
      const auto& [name, value] = c.bars[n];
      const double share = largest > 0 && std::isfinite(value) ? std::fabs(value) / largest : 0;
      // The name in an element of its own breaks its lines beside the number, not under it.
      out_ += fmt::format("<li{} style=\"--share:{:.1f}%\"><span>{}</span> {}</li>\n",
                          value < 0 ? " class=\"minus\"" : "", 100 * share, text(name),
                          cell(Cell(value)));
    }
    out_ += "</ol></div>\n";
  }

  void chart(const Chart& c) {
    check(c);
    ++charts_;
    Chart drawn = c;
    std::size_t longest = 0;
    for (ChartSeries& s : drawn.series) {
      longest = std::max(longest, s.y.size());
      thin(s, drawn.categories.empty());
    }
    if (drawn.categories.size() > limits_.points) drawn.categories.resize(limits_.points);
    for (std::string& name : drawn.categories) name = shorten(name, limits_.characters);
    for (std::string& name : drawn.x_names) name = shorten(name, limits_.characters);
    const std::string data = script_text(to_json(drawn));
    out_ += fmt::format(
        "<figure class=\"chart\"><figcaption>{0}</figcaption>\n<div class=\"canvas\"><canvas "
        "role=\"img\" aria-label=\"{1}\"></canvas></div>\n"
        "<script type=\"application/json\">{2}</script>\n"
        "<details><summary>Values</summary>\n",
        text(c.title), escape_html(shorten(c.title, limits_.characters)), data);
    table(values(drawn));
    out_ += "</details>\n";
    left_out(std::min(longest, limits_.points), longest,
             c.categories.empty() ? "points, evenly spaced," : "bars");
    out_ += "</figure>\n";
  }

  // JSON for a script element: nothing in it looks like markup.
  static std::string script_text(const Json& json) {
    std::string text;
    for (const char c : ascii_json_text(json)) {
      if (std::string_view("<>&'").find(c) == std::string_view::npos) {
        text += c;
      } else {
        text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      }
    }
    return text;
  }

  static void check(const Chart& c) {
    for (const ChartSeries& s : c.series) {
      const bool bars = !c.categories.empty();
      const std::size_t across = bars ? c.categories.size() : s.x.size();
      const auto fits = [&](const std::vector<double>& v) {
        return v.empty() || v.size() == s.y.size();
      };
      SOTTO_REQUIRE(s.y.size() == across && (!bars || s.x.empty()) && fits(s.low) && fits(s.high) &&
                        s.low.size() == s.high.size(),
                    "the series '{}' of the chart '{}' has lists of different lengths", s.name,
                    c.title);
      const auto has_name = [&](double x) {
        return x >= 0 && x < static_cast<double>(c.x_names.size());
      };
      SOTTO_REQUIRE(c.x_names.empty() || std::all_of(s.x.begin(), s.x.end(), has_name),
                    "the series '{}' of the chart '{}' has a place without a name", s.name,
                    c.title);
    }
  }

  // Keeps evenly spaced points, with the first and the last; keeps the first bars.
  void thin(ChartSeries& s, bool evenly) const {
    const std::size_t size = s.y.size();
    if (size <= limits_.points) return;
    const auto kept = [&](const std::vector<double>& all) {
      std::vector<double> few;
      for (std::size_t n = 0; n < limits_.points && !all.empty(); ++n) {
        const std::size_t last = std::max<std::size_t>(limits_.points - 1, 1);
        few.push_back(all[evenly ? n * (size - 1) / last : n]);
      }
      return few;
    };
    s = {s.name, kept(s.x), kept(s.y), kept(s.low), kept(s.high)};
  }

  static Json to_json(const Chart& c) {
    const auto list = [](const std::vector<double>& values) {
      Json json = Json::array();
      for (const double v : values) json.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
      return json;
    };
    Json json{{"x_label", c.x_label}, {"y_label", c.y_label},       {"log_x", c.log_x},
              {"log_y", c.log_y},     {"categories", c.categories}, {"series", Json::array()}};
    if (!c.x_names.empty()) json["x_names"] = c.x_names;
    for (const ChartSeries& s : c.series) {
      Json one{{"name", s.name}, {"x", list(s.x)}, {"y", list(s.y)}};
      if (!s.low.empty()) one["low"] = list(s.low);
      if (!s.high.empty()) one["high"] = list(s.high);
      json["series"].push_back(std::move(one));
    }
    return json;
  }

  // The chart as a table, for those who cannot see it: one column per series when all share their
  // x.
  static PageTable values(const Chart& c) {
    const bool bars = !c.categories.empty();
    const auto shares_x = [&](const ChartSeries& s) { return s.x == c.series.front().x; };
    const bool wide = std::all_of(c.series.begin(), c.series.end(), shares_x);
    PageTable t;
    const std::string across = c.x_label.empty() ? "x" : c.x_label;
    t.head = wide ? std::vector<std::string>{bars ? c.x_label : across}
                  : std::vector<std::string>{"", across};
    const std::size_t columns = wide ? c.series.size() : 1;
    std::vector<bool> interval(columns);
    for (std::size_t n = 0; n < c.series.size(); ++n) {
      if (!c.series[n].low.empty()) interval[wide ? n : 0] = true;
    }
    for (std::size_t n = 0; n < columns; ++n) {
      const std::string& name = c.series.empty() || !wide ? c.y_label : c.series[n].name;
      t.head.push_back(name.empty() ? c.y_label : name);
      if (interval[n]) t.head.insert(t.head.end(), {"from", "to"});
    }
    const auto number = [](const std::vector<double>& v, std::size_t n) {
      return n < v.size() && !std::isnan(v[n]) ? Cell(v[n]) : Cell("");
    };
    const auto place = [&](const ChartSeries& s, std::size_t n) {
      if (bars) return Cell(c.categories.at(n));
      return c.x_names.empty() ? number(s.x, n)
                               : Cell(c.x_names.at(static_cast<std::size_t>(s.x.at(n))));
    };
    const auto append = [&](Line& row, const ChartSeries& s, std::size_t n, bool both) {
      row.push_back(number(s.y, n));
      if (both) row.insert(row.end(), {number(s.low, n), number(s.high, n)});
    };
    if (!wide) {
      for (const ChartSeries& s : c.series) {
        for (std::size_t n = 0; n < s.y.size(); ++n) {
          t.rows.push_back({s.name, place(s, n)});
          append(t.rows.back(), s, n, interval[0]);
        }
      }
      return t;
    }
    const std::size_t rows = c.series.empty() ? 0 : c.series.front().y.size();
    for (std::size_t n = 0; n < rows; ++n) {
      t.rows.push_back({place(c.series.front(), n)});
      for (std::size_t s = 0; s < columns; ++s) append(t.rows.back(), c.series[s], n, interval[s]);
    }
    return t;
  }

  void paragraph(const Line& l, const char* kind) {
    const std::string attribute = *kind == 0 ? "" : fmt::format(" class=\"{}\"", kind);
    out_ += fmt::format("<p{}>{}</p>\n", attribute, line(l));
  }

  std::string line(const Line& l) const {
    std::string all;
    for (const Cell& c : l) all += cell(c);
    return all;
  }

  // Isolated, so that right-to-left text does not reorder its neighbours.
  std::string text(const std::string& value) const {
    std::string escaped = escape_html(shorten(value, limits_.characters));
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(escaped.begin(), escaped.end(), is_plain)) return escaped;
    return fmt::format("<bdi>{}</bdi>", escaped);
  }

  std::string cell(const Cell& c) const {
    if (c.exact.empty()) return text(c.text);
    const std::string exact = escape_html(c.exact);
    const std::string hover = exact == c.text ? "" : fmt::format(" title=\"{}\"", exact);
    return fmt::format("<data value=\"{}\"{}>{}</data>", exact, hover, text(c.text));
  }

  void left_out(std::size_t shown, std::size_t all, const char* what) {
    if (shown >= all) return;
    out_ += fmt::format("<p class=\"left-out\">{} of {} {} are shown; the JSON file has all.</p>\n",
                        shown, all, what);
  }

  template <class T, class F>
  void some(const std::vector<T>& all, const char* what, F show) {
    const std::size_t shown = std::min(all.size(), limits_.sections);
    for (std::size_t n = 0; n < shown; ++n) show(all[n]);
    left_out(shown, all.size(), what);
  }

  Limits limits_;
  std::string out_;
  int charts_ = 0;
  int captions_ = 0;
};

}  // namespace

Cell::Cell(double value) : Cell(value, shown(value)) {}

Cell::Cell(std::int64_t value) : text(shown(value)), exact(fmt::format("{}", value)) {}

Cell::Cell(double value, std::string as)
    : text(std::move(as)), exact(std::isfinite(value) ? json_text(value) : "") {}

std::string render(const Page& page) {
  Limits limits;
  std::string html = Renderer(limits).page(page);
  while (html.size() > kMaxBytes && limits.rows > 1) {
    limits = limits.half();
    html = Renderer(limits).page(page);
  }
  return html;
}

}  // namespace sotto
