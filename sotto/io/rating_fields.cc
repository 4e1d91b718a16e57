#include "sotto/io/rating_fields.h"

#include <algorithm>
#include <cctype>

#include "sotto/base/error.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

void split_words(std::string_view line, Fields& fields) {
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    fields.add(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// A quoted field ends at the quote before the next separator; quotes inside stay doubled, which is
// as good a name as any other.
std::size_t field_end(std::string_view rest, std::string_view separator) {
  if (!rest.starts_with('"')) return rest.find(separator);
  for (std::size_t at = 1; (at = rest.find('"', at)) != std::string_view::npos; ++at) {
    if (rest.substr(at + 1).starts_with(separator)) return at + 1;
  }
  return std::string_view::npos;
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool one_of(const std::string& word, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::vector<Column> given_columns(const Fields& first, const std::string& roles,
                                  const std::string& place) {
  std::vector<Column> columns;
  Fields words;
  split_fields(roles, RatingFormat::csv, words);
  for (std::size_t n = 0; n < std::min(words.count, max_rating_fields); ++n) {
    const std::string_view word = words.field[n];
    SOTTO_REQUIRE_AT(one_of(std::string(word), {"mode", "value", "time", "-"}), "--columns",
                     "a column is mode, value, time or - (left out), not '{}'", word);
    columns.push_back({word == "mode"    ? Role::mode
                       : word == "value" ? Role::value
                       : word == "time"  ? Role::time
                                         : Role::none,
                       {}});
  }
  SOTTO_REQUIRE_AT(words.count == first.count, place, "has {} fields, --columns lists {}",
                   first.count, words.count);
  return columns;
}

std::vector<Column> named_columns(const Fields& header) {
  std::vector<Column> columns;
  std::size_t values = 0, last = 0;
  for (std::size_t n = 0; n < header.count; ++n) {
    const std::string name = lower(header.field[n]);
    Role role = Role::mode;
    if (one_of(name, {"rating", "value", "score", "stars"}) && values == 0) role = Role::value;
    if (one_of(name, {"timestamp", "time", "date"})) role = Role::time;
    values += role == Role::value ? 1 : 0;
    if (role != Role::time) last = n;
    columns.push_back({role, std::string(header.field[n])});
  }
  if (values == 0) columns[last].role = Role::value;
  return columns;
}

std::vector<Column> usual_columns(const Fields& first, const std::string& place) {
  SOTTO_REQUIRE_AT(first.count == 3 || first.count == 4, place,
                   "has {} fields and no header; say what they are, for instance --columns "
                   "mode,mode,mode,value",
                   first.count);
  std::vector<Column> columns = {{Role::mode, {}}, {Role::mode, {}}, {Role::value, {}}};
  if (first.count == 4) columns.push_back({Role::time, {}});
  return columns;
}

void check_roles(const std::vector<Column>& columns, const std::string& place) {
  const auto count = [&](Role role) {
    return std::count_if(columns.begin(), columns.end(),
                         [&](const Column& c) { return c.role == role; });
  };
  SOTTO_REQUIRE_AT(count(Role::value) == 1, place, "needs one value column, got {}",
                   count(Role::value));
  SOTTO_REQUIRE_AT(count(Role::time) <= 1, place, "has more than one time column");
  SOTTO_REQUIRE_AT(count(Role::mode) >= 2 && count(Role::mode) <= 5, place,
                   "needs 2 to 5 mode columns, got {}; name them with --columns",
                   count(Role::mode));
}

}  // namespace

void split_fields(std::string_view line, RatingFormat format, Fields& fields) {
  fields.count = 0;
  if (format == RatingFormat::tns) return split_words(line, fields);
  const std::string_view separator = format == RatingFormat::csv   ? ","
                                     : format == RatingFormat::tsv ? "\t"
                                                                   : "::";
  for (;;) {
    const std::size_t end = field_end(line, separator);
    fields.add(unquoted(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + separator.size());
  }
}

RatingFormat sniff_rating_format(const std::string& path, std::string_view head) {
  if (path.ends_with(".tns") || path.ends_with(".tns.gz")) return RatingFormat::tns;
  while (head.starts_with('#')) head.remove_prefix(std::min(head.find('\n') + 1, head.size()));
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.find("::") != std::string_view::npos) return RatingFormat::movielens;
  if (line.find(',') != std::string_view::npos) return RatingFormat::csv;
  if (line.find('\t') != std::string_view::npos) return RatingFormat::tsv;
  return RatingFormat::tns;
}

std::vector<Column> find_columns(const Fields& first, const std::string& roles,
                                 const std::string& place, bool& has_header) {
  SOTTO_REQUIRE_AT(first.count <= max_rating_fields, place, "has {} fields, at most {} are read",
                   first.count, max_rating_fields);
  double ignored;
  has_header = std::none_of(first.field.begin(),
                            first.field.begin() + static_cast<std::ptrdiff_t>(first.count),
                            [&](std::string_view word) { return is_real(word, ignored); });
  std::vector<Column> columns = !roles.empty() ? given_columns(first, roles, place)
                                : has_header   ? named_columns(first)
                                               : usual_columns(first, place);
  check_roles(columns, roles.empty() ? place : "--columns");
  Index mode = 0;
  for (std::size_t n = 0; n < columns.size(); ++n) {
    Column& column = columns[n];
    mode += column.role == Role::mode ? 1 : 0;
    if (column.name.empty()) {
      column.name = has_header ? std::string(first.field[n]) : fmt::format("mode {}", mode);
    }
  }
  return columns;
}

}  // namespace sotto
