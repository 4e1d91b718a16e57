#include "sotto/io/rating_fields.h"

#include <algorithm>

#include "sotto/io/line_reader.h"
#include "sotto/io/public_format.h"

namespace sotto {
namespace {

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

}  // namespace

void split_fields(std::string_view line, RatingFormat format, Fields& fields) {
  fields.count = 0;
  if (format == RatingFormat::tns) return split_words(line, fields);
  const std::string_view separator = format == RatingFormat::csv         ? ","
                                     : format == RatingFormat::movielens ? "::"
                                                                         : "\t";
  for (;;) {
    const std::size_t end = field_end(line, separator);
    fields.add(unquoted(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + separator.size());
  }
}

RatingFormat sniff_rating_format(const std::string& path, std::string_view head) {
  if (path.ends_with(".tns") || path.ends_with(".tns.gz")) return RatingFormat::tns;
  while (head.starts_with('#')) head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1);
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.find("::") != std::string_view::npos) return RatingFormat::movielens;
  if (line.find(',') != std::string_view::npos) return RatingFormat::csv;
  if (line.find('\t') != std::string_view::npos) {
    return format_by_name(path) == "u.data" ? RatingFormat::u_data : RatingFormat::tsv;
  }
  return RatingFormat::tns;
}

}  // namespace sotto
