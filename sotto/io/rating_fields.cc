#include "sotto/io/rating_fields.h"

#include <algorithm>

#include "sotto/io/line_reader.h"
#include "sotto/io/public_format.h"
#include "sotto/io/text_fields.h"

namespace sotto {
namespace {

void split_words(std::string_view line, Fields& fields) {
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    fields.add(line.substr(0, end));
    line.remove_prefix(end);
  }
}

}  // namespace

void Fields::add_quoted(std::string_view text) {
  if (count >= field.size() || text.find("\"\"") == std::string_view::npos) return add(text);
  std::string& single = single_[count];
  single.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    single += text[at];
    if (text.substr(at).starts_with("\"\"")) ++at;
  }
  add(single);
}

std::string separator_of(RatingFormat format, Separator separator) {
  if (format == RatingFormat::tns) return "";
  if (format == RatingFormat::movielens) return "::";
  return std::string(1, character_of(separator, format == RatingFormat::csv ? ',' : '\t'));
}

void split_fields(std::string_view line, std::string_view separator, Fields& fields) {
  fields.count = 0;
  if (separator.empty()) return split_words(line, fields);
  for (;;) {
    const std::size_t end = field_end(line, separator);
    const std::string_view field = trimmed(line.substr(0, end));
    if (field.size() > 1 && field.starts_with('"') && field.ends_with('"')) {
      fields.add_quoted(unquoted(field));
    } else {
      fields.add(field);
    }
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + separator.size());
  }
}

RatingDialect sniff_ratings(const std::string& path, std::string_view head) {
  if (head.starts_with("\x93NUM")) return {RatingFormat::npy};
  refuse_other_files(head, path);
  if (path.ends_with(".tns") || path.ends_with(".tns.gz")) return {RatingFormat::tns};
  const std::string_view line = first_line_of(head);
  if (line.find("::") != std::string_view::npos) return {RatingFormat::movielens};
  switch (separator_in(line, path)) {
    case ',':
      return {RatingFormat::csv};
    case ';':
      return {RatingFormat::csv, Separator::semicolon};
    case '|':
      return {RatingFormat::csv, Separator::bar};
    case '\t':
      return {format_by_name(path) == "u.data" ? RatingFormat::u_data : RatingFormat::tsv};
    default:
      return {RatingFormat::tns};
  }
}

}  // namespace sotto
