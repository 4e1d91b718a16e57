#include "sotto/io/text_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/byte_source.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"

namespace sotto {

std::size_t field_end(std::string_view rest, std::string_view separator) {
  if (!rest.starts_with('"')) return rest.find(separator);
  for (std::size_t at = 1; (at = rest.find('"', at)) != std::string_view::npos; ++at) {
    const std::string_view after = rest.substr(at + 1);
    if (after.starts_with(separator)) return at + 1;
    if (after.starts_with('"')) ++at;
  }
  return std::string_view::npos;
}

std::string_view unquoted(std::string_view field) {
  field = trimmed(field);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
    field = field.substr(1, field.size() - 2);
  }
  return field;
}

bool quote_is_open(std::string_view line, std::string_view separator) {
  if (line.find('"') == std::string_view::npos) return false;
  for (;;) {
    const std::size_t end = field_end(line, separator);
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + separator.size());
  }
  if (!line.starts_with('"')) return false;
  // The quotes of a closed field are even in number: its own two, and pairs within.
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  return std::count(line.begin(), line.end(), '"') % 2 != 0;
}

char character_of(Separator separator, char of_format) {
  switch (separator) {
    case Separator::comma:
      return ',';
    case Separator::semicolon:
      return ';';
    case Separator::tab:
      return '\t';
    case Separator::bar:
      return '|';
    case Separator::automatic:
      break;
  }
  return of_format;
}

char separator_in(std::string_view line, const std::string& place) {
  constexpr std::array<std::pair<char, std::string_view>, 4> kKnown = {
      {{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}}};
  std::array<bool, 4> seen{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    for (std::size_t n = 0; n < kKnown.size() && !quoted; ++n) seen[n] |= c == kKnown[n].first;
  }
  char found = 0;
  std::string_view name;
  for (std::size_t n = 0; n < kKnown.size(); ++n) {
    if (!seen[n]) continue;
    SOTTO_REQUIRE_AT(found == 0, place,
                     "has {} and {}: say with `separator` which of them separate the columns "
                     "(numbers like 3,5 need `decimal` comma, too)",
                     name, kKnown[n].second);
    found = kKnown[n].first;
    name = kKnown[n].second;
  }
  return found;
}

char excel_separator(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = unquoted(line);
  return line.size() == 5 && ascii_lower(line.substr(0, 4)) == "sep=" ? line[4] : '\0';
}

std::string_view first_line_of(std::string_view head) {
  while (!head.empty()) {
    std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#' && excel_separator(line) == 0) return line;
  }
  return head;
}

void refuse_other_files(std::string_view head, const std::string& path) {
  using Mark = std::pair<std::string_view, std::string_view>;
  constexpr Mark kMarks[] = {
      {"\xff\xfe", "is text in UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)"},
      {"\xfe\xff", "is text in UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)"},
      {"PK\x03\x04",
       "is an archive (.npz, .xlsx or .zip); save one array with numpy.save, or one sheet as CSV"},
      {"PAR1", "is a Parquet file; save it as CSV (pandas: to_csv)"},
      {"MATLAB 5.0", "is a MATLAB file; save the array as .npy (scipy.io.loadmat, numpy.save)"},
      {"\x89HDF", "is an HDF5 file; save the array as .npy"},
      {"\x80\x04", "is a Python pickle; save the array with numpy.save"},
      {"\x80\x05", "is a Python pickle; save the array with numpy.save"}};
  for (const auto& [mark, what] : kMarks) {
    SOTTO_REQUIRE_AT(!head.starts_with(mark), path, "{}", what);
  }
  const bool is_text = head.find('\0') == std::string_view::npos;
  SOTTO_REQUIRE_AT(
      !is_text || head.find('\n') != std::string_view::npos ||
          head.find('\r') >= std::max<std::size_t>(head.size(), 1) - 1,
      path, "has lines that end in CR alone, as on old Macintosh computers; save it with LF");
}

bool is_utf8(std::string_view head) {
  const auto is_more = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  for (std::size_t at = 0; at < head.size();) {
    const auto first = static_cast<unsigned char>(head[at++]);
    if (first < 0x80) continue;
    if (first < 0xc2 || first > 0xf4) return false;
    for (int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3; more > 0; --more, ++at) {
      if (at == head.size()) return true;
      if (!is_more(head[at])) return false;
    }
  }
  return true;
}

std::string decimal_hint(std::string_view word) {
  std::string with_point(word);
  double ignored;
  if (std::count(word.begin(), word.end(), ',') != 1) return {};
  with_point[word.find(',')] = '.';
  return is_real(with_point, ignored) ? "; `decimal` comma reads such numbers" : "";
}

}  // namespace sotto
