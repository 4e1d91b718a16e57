#include "sotto/report/html.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto {

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      out += "\xEF\xBF\xBD";
    } else {
      out += c;
    }
  }
  return out;
}

std::string shorten(std::string_view text, std::size_t limit) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool continues = (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    if (!continues && ++characters > limit) return std::string(text.substr(0, at)) + "\u2026";
  }
  return std::string(text);
}

std::string shown(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 2 : 1;   // no comma before the first digit
  if (digits.size() - first < 4) return digits;  // 1234 reads well as it is
  for (std::size_t at = digits.size() - 3;; at -= 3) {
    digits.insert(at, ",");
    if (at < first + 3) return digits;
  }
}

std::string shown(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "none" : value > 0 ? "\u221E" : "\u2212\u221E";
  const double size = std::fabs(value);
  const bool whole = value == std::round(value);
  if (size < 1e7 && (whole || size >= 1e4)) {
    return shown(static_cast<std::int64_t>(std::llround(value)));
  }
  // Trailing zeros are kept when there is no exponent, so that columns of digits line up.
  const std::string text = fmt::format("{:.4g}", value);
  return text.find('e') == std::string::npos ? fmt::format("{:#.4g}", value) : text;
}

}  // namespace sotto
