#include "sotto/report/svg_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// The sizes of a panel, in points.
constexpr double kWidth = 300, kHeight = 210, kLeft = 52, kRight = 12, kTop = 26, kBottom = 42;
constexpr double kLegendLine = 13;

struct Style {
  const char* colour;
  const char* dashes;
};
constexpr Style kStyles[] = {{"#000000", ""},        {"#c1440e", "7 3"},     {"#1f5fa8", "2 2"},
                             {"#4f8f3a", "9 3 2 3"}, {"#8a5aa8", "4 2 1 2"}, {"#9a7b1c", "12 3"},
                             {"#3f9aa5", "1 3"},     {"#777777", "5 5"}};
constexpr const char* kBarFills[] = {"#222222", "#8a8a8a", "#d0d0d0", "#555555",
                                     "#b0b0b0", "#efefef", "#3a3a3a", "#9d9d9d"};
constexpr std::size_t kStyleCount = std::size(kStyles);

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      // XML has no control characters.
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

// Maps values to points on paper.
struct Axis {
  double low = 0, high = 1;
  bool log = false;
  double begin = 0, end = 1;  // on paper

  bool shows(double value) const { return std::isfinite(value) && (!log || value > 0); }
  double at(double value) const {
    const double share =
        log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + share * (end - begin);
  }
  std::vector<double> ticks(int count) const {
    return log ? log_ticks(low, high, count) : linear_ticks(low, high, count);
  }
};

// An axis around all values that can be shown.
Axis axis_around(const std::vector<double>& values, bool log) {
  Axis axis;
  axis.log = log;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!axis.shows(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) low = high = 1;
  if (log) {
    const double margin = low == high ? 2 : std::pow(high / low, 0.04);
    return {low / margin, high * margin, true};
  }
  const double margin = low == high ? std::max(0.5, std::abs(low) / 2) : 0.04 * (high - low);
  // An axis that almost reaches zero starts there.
  const bool from_zero = low >= 0 && low < 0.3 * high;
  return {from_zero ? 0 : low - margin, high + margin, false};
}

std::vector<double> all_of(const Chart& chart, bool vertical) {
  std::vector<double> values;
  const auto add = [&](const std::vector<double>& more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  for (const ChartSeries& series : chart.series) {
    if (!vertical) {
      add(series.x);
      continue;
    }
    add(series.y);
    add(series.low);
    add(series.high);
  }
  if (vertical && !chart.categories.empty() && !chart.log_y) values.push_back(0);
  return values;
}

void check(const Chart& chart) {
  for (const ChartSeries& series : chart.series) {
    const bool bars = !chart.categories.empty();
    SOTTO_REQUIRE(bars ? series.y.size() == chart.categories.size() && series.x.empty()
                       : series.y.size() == series.x.size(),
                  "series '{}' of chart '{}' has lists of different lengths", series.name,
                  chart.title);
    SOTTO_REQUIRE(series.low.size() == series.high.size() &&
                      (series.low.empty() || series.low.size() == series.y.size()),
                  "series '{}' of chart '{}' has an interval of another length", series.name,
                  chart.title);
  }
}

// Markers with different outlines: circle, square, triangle, diamond, cross, plus; then the same
// filled with white.
std::string marker(std::size_t style, double x, double y) {
  const std::string fill = style % 2 == 0 ? kStyles[style % kStyleCount].colour : "#ffffff";
  const std::string stroke = kStyles[style % kStyleCount].colour;
  const std::string paint = fmt::format("fill=\"{}\" stroke=\"{}\"", fill, stroke);
  switch (style % 6) {
    case 0:
      return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.6\" {}/>\n", x, y, paint);
    case 1:
      return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"5\" height=\"5\" {}/>\n", x - 2.5,
                         y - 2.5, paint);
    case 2:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l3 5.2h-6z\" {}/>\n", x, y - 3.2, paint);
    case 3:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l3.2 3.2l-3.2 3.2l-3.2 -3.2z\" {}/>\n", x,
                         y - 3.2, paint);
    case 4:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l5 5m0 -5l-5 5\" fill=\"none\" stroke=\"{}\"/>\n",
                         x - 2.5, y - 2.5, stroke);
    default:
      return fmt::format("<path d=\"M{:.2f} {:.2f}h6m-3 -3v6\" fill=\"none\" stroke=\"{}\"/>\n",
                         x - 3, y, stroke);
  }
}

class Panel {
 public:
  Panel(const Chart& chart, double left, double top) : chart_(chart), left_(left), top_(top) {
    check(chart);
    y_ = axis_around(all_of(chart, true), chart.log_y);
    y_.begin = top_ + kHeight - kBottom;
    y_.end = top_ + kTop;
    if (chart.categories.empty()) {
      x_ = axis_around(all_of(chart, false), chart.log_x);
    } else {
      x_ = {0, static_cast<double>(chart.categories.size()), false};
    }
    x_.begin = left_ + kLeft;
    x_.end = left_ + kWidth - kRight;
  }

  std::string draw() {
    frame();
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      out_ += "<g stroke-width=\"1.3\">\n";
      if (chart_.categories.empty()) {
        line(s);
      } else {
        bars(s);
      }
      out_ += "</g>\n";
    }
    legend();
    return std::move(out_);
  }

 private:
  void text(double x, double y, const std::string& words, const char* more) {
    out_ +=
        fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" {}>{}</text>\n", x, y, more, escaped(words));
  }
  void stroke(double x1, double y1, double x2, double y2, const char* paint) {
    out_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", x1,
                        y1, x2, y2, paint);
  }

  std::string x_text(double tick) const {
    if (chart_.x_names.empty()) return tick_text(tick);
    const bool named =
        tick == std::round(tick) && tick >= 0 && tick < static_cast<double>(chart_.x_names.size());
    return named ? chart_.x_names[static_cast<std::size_t>(tick)] : "";
  }

  void frame() {
    constexpr const char* kMiddle = "text-anchor=\"middle\"";
    out_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" "
        "stroke=\"#000\" stroke-width=\"0.8\"/>\n",
        x_.begin, y_.end, x_.end - x_.begin, y_.begin - y_.end);
    for (const double tick : y_.ticks(6)) {
      stroke(x_.begin, y_.at(tick), x_.end, y_.at(tick), "stroke=\"#ddd\" stroke-width=\"0.6\"");
      text(x_.begin - 4, y_.at(tick) + 3, tick_text(tick), "text-anchor=\"end\"");
    }
    if (chart_.categories.empty()) {
      for (const double tick : x_.ticks(6)) {
        stroke(x_.at(tick), y_.begin, x_.at(tick), y_.begin - 4,
               "stroke=\"#000\" stroke-width=\"0.8\"");
        text(x_.at(tick), y_.begin + 12, x_text(tick), kMiddle);
      }
    }
    for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
      text(x_.at(static_cast<double>(c) + 0.5), y_.begin + 12, chart_.categories[c], kMiddle);
    }
    const double middle = (x_.begin + x_.end) / 2, height = (y_.begin + y_.end) / 2;
    text(middle, y_.begin + 28, chart_.x_label, kMiddle);
    text(middle, y_.end - 8, chart_.title, "text-anchor=\"middle\" font-weight=\"bold\"");
    const std::string turned = fmt::format(
        "text-anchor=\"middle\" transform=\"rotate(-90 {:.2f} {:.2f})\"", left_ + 12, height);
    text(left_ + 12, height, chart_.y_label, turned.c_str());
  }

  void interval(const ChartSeries& series, std::size_t i, double x, const char* colour) {
    if (series.low.empty() || !y_.shows(series.low[i]) || !y_.shows(series.high[i])) return;
    const double low = y_.at(series.low[i]), high = y_.at(series.high[i]);
    const std::string paint = fmt::format("stroke=\"{}\" stroke-width=\"0.8\"", colour);
    stroke(x, low, x, high, paint.c_str());
    for (const double cap : {low, high}) stroke(x - 2.5, cap, x + 2.5, cap, paint.c_str());
  }

  // A path with gaps where points are missing; intervals below, markers on top.
  void line(std::size_t s) {
    const ChartSeries& series = chart_.series[s];
    const Style& style = kStyles[s % kStyleCount];
    std::string path, marks;
    bool broken = true;
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (!x_.shows(series.x[i]) || !y_.shows(series.y[i])) {
        broken = true;
        continue;
      }
      const double x = x_.at(series.x[i]), y = y_.at(series.y[i]);
      interval(series, i, x, style.colour);
      path += fmt::format("{}{:.2f} {:.2f}", broken ? "M" : "L", x, y);
      marks += marker(s, x, y);
      broken = false;
    }
    if (!path.empty()) {
      out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-dasharray=\"{}\"/>\n",
                          path, style.colour, *style.dashes == 0 ? "none" : style.dashes);
    }
    out_ += marks;
  }

  void bars(std::size_t s) {
    const ChartSeries& series = chart_.series[s];
    const double group = 0.8 / static_cast<double>(chart_.series.size());
    const double floor = y_.log ? y_.low : std::max(y_.low, 0.0);
    for (std::size_t c = 0; c < series.y.size(); ++c) {
      if (!y_.shows(series.y[c])) continue;
      const double from = static_cast<double>(c) + 0.1 + group * static_cast<double>(s);
      const double left = x_.at(from), right = x_.at(from + group);
      const double top = std::min(y_.at(series.y[c]), y_.at(floor));
      out_ += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
          "stroke=\"#000\" stroke-width=\"0.6\"/>\n",
          left, top, right - left, std::abs(y_.at(series.y[c]) - y_.at(floor)),
          kBarFills[s % kStyleCount]);
      interval(series, c, (left + right) / 2, "#000000");
    }
  }

  // The legend below the panel, two entries per line.
  void legend() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const double x = left_ + kLeft + (s % 2 == 0 ? 0 : (kWidth - kLeft) / 2);
      const double y = top_ + kHeight + kLegendLine * std::floor(static_cast<double>(s) / 2);
      const Style& style = kStyles[s % kStyleCount];
      if (chart_.categories.empty()) {
        const std::string paint =
            fmt::format("stroke=\"{}\" stroke-width=\"1.3\" stroke-dasharray=\"{}\"", style.colour,
                        *style.dashes == 0 ? "none" : style.dashes);
        stroke(x, y - 3, x + 26, y - 3, paint.c_str());
        out_ += marker(s, x + 13, y - 3);
      } else {
        out_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"14\" height=\"8\" fill=\"{}\" "
            "stroke=\"#000\" stroke-width=\"0.6\"/>\n",
            x + 10, y - 8, kBarFills[s % kStyleCount]);
      }
      text(x + 31, y, chart_.series[s].name, "");
    }
  }

  const Chart& chart_;
  double left_, top_;
  Axis x_, y_;
  std::string out_;
};

std::size_t legend_lines(const Chart& chart) { return (chart.series.size() + 1) / 2; }

}  // namespace

std::vector<double> linear_ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push_back(k * step + 0.0);  // no minus zero
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int count) {
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const auto collect = [&](const std::vector<double>& factors, int every) {
    std::vector<double> ticks;
    for (int power = first; power <= last; ++power) {
      if (((power % every) + every) % every != 0) continue;
      for (const double factor : factors) {
        const double tick = factor * std::pow(10, power);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
      }
    }
    return ticks;
  };
  const auto limit = static_cast<std::size_t>(count) + 1;
  std::vector<double> usual = collect({1, 2, 5}, 1), fine = collect({1, 2, 3, 4, 5, 6, 7, 8, 9}, 1);
  if (usual.size() < 3 && fine.size() <= limit && fine.size() >= 2) return fine;
  if (usual.size() >= 2 && usual.size() <= limit) return usual;
  std::vector<double> coarse = collect({1, 3}, 1);
  if (coarse.size() >= 2 && coarse.size() <= limit) return coarse;
  int every = 1;
  while (collect({1}, every).size() > limit) ++every;
  return collect({1}, every);
}

std::string tick_text(double value) { return fmt::format("{:.6g}", value); }

std::string svg_figure(const std::vector<Chart>& panels, int columns) {
  SOTTO_REQUIRE(!panels.empty() && columns >= 1, "a figure needs a chart and a column");
  std::string body;
  double top = 4;
  const auto count = panels.size(), wide = std::min(count, static_cast<std::size_t>(columns));
  for (std::size_t begin = 0; begin < count; begin += wide) {
    const std::size_t end = std::min(count, begin + wide);
    std::size_t lines = 0;
    for (std::size_t i = begin; i < end; ++i) {
      body += Panel(panels[i], kWidth * static_cast<double>(i - begin), top).draw();
      lines = std::max(lines, legend_lines(panels[i]));
    }
    top += kHeight + 8 + kLegendLine * static_cast<double>(lines);
  }
  const double width = kWidth * static_cast<double>(wide);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}pt\" height=\"{1:.0f}pt\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"9\">\n<rect width=\"100%\" "
      "height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      width, top, body);
}

}  // namespace sotto
