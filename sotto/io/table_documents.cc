#include "sotto/io/table_documents.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/text_fields.h"

namespace sotto {
namespace {

bool is_column_number(const std::string& said) {
  Index ignored;
  return is_whole(said, ignored);
}

}  // namespace

TableDocuments::TableDocuments(ByteSource& bytes, const TableRules& rules)
    : lines_(bytes, LineReader::longest_document), rules_(rules) {
  const bool named = !is_column_number(rules.text_column) ||
                     (!rules.id_column.empty() && !is_column_number(rules.id_column));
  SOTTO_REQUIRE_AT(rules.header || named, "`header`",
                   "say yes or no: `text-column` is a number, so the first line may be a document");
  SOTTO_REQUIRE_AT(rules.header.value_or(true) || !named, "`text-column`",
                   "is a name, but `header` says that there are none; give its number");
  SOTTO_REQUIRE_AT(rules.header.value_or(true) || !rules.is_private, "`header`",
                   "no does not work with `epsilon`: how many columns there are would be read off "
                   "the first document");
  has_header_ = rules.header.value_or(true);
  SOTTO_REQUIRE_AT(next_record(), bytes.path(), "has no documents");
  width_ = fields_.size();
  text_ = column("text-column", rules.text_column);
  id_ = rules.id_column.empty() ? width_ : column("id-column", rules.id_column);
  pending_ = !has_header_;
}

// The place of a column that is given by its name or its number.
std::size_t TableDocuments::column(const std::string& option, const std::string& said) const {
  const std::string place = "`" + option + "`";
  Index number = 0;
  if (is_whole(said, number)) {
    SOTTO_REQUIRE_AT(number >= 1 && number <= std::ssize(fields_), place,
                     "there is no column {}; columns are numbered from 1 to {}", number,
                     fields_.size());
    return static_cast<std::size_t>(number - 1);
  }
  const auto at = std::find(fields_.begin(), fields_.end(), said);
  SOTTO_REQUIRE_AT(at != fields_.end(), place, "the header has no column {}", said);
  SOTTO_REQUIRE_AT(std::find(at + 1, fields_.end(), said) == fields_.end(), place,
                   "the header has two columns {}", said);
  return static_cast<std::size_t>(at - fields_.begin());
}

// Takes a quoted field off the front, which may go on in further lines. Its quote has been taken.
void TableDocuments::read_quoted(std::string_view& line) {
  std::string& field = fields_.back();
  const std::string begin = lines_.place();
  for (;;) {
    const std::size_t end = line.find('"');
    field += line.substr(0, end);
    if (end == std::string_view::npos) {
      field += '\n';
      SOTTO_REQUIRE_AT(lines_.next(line) && field.size() < LineReader::longest_document, begin,
                       "the quote of a field is never closed");
      continue;
    }
    line.remove_prefix(end + 1);
    if (!line.starts_with('"')) break;
    field += '"';
    line.remove_prefix(1);
  }
  SOTTO_REQUIRE_AT(line.empty() || line.front() == rules_.separator, begin,
                   "text follows the quote that ends a quoted field; a quote within a text is "
                   "doubled");
}

// Takes a field off the front, up to the separator.
void TableDocuments::read_field(std::string_view& line) {
  fields_.emplace_back();
  if (line.starts_with('"')) {
    line.remove_prefix(1);
    return read_quoted(line);
  }
  const std::size_t end = std::min(line.find(rules_.separator), line.size());
  fields_.back() = line.substr(0, end);
  line.remove_prefix(end);
}

bool TableDocuments::next_record() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
    const bool hint = !rules_.is_private && lines_.number() == 1 && excel_separator(line) != 0;
    if (hint) line = {};
    SOTTO_REQUIRE_AT(!line.empty() || !rules_.is_private || width_ == 1, lines_.place(),
                     "is blank; the number of documents is public, and every record is one");
  } while (line.empty() && width_ != 1);
  fields_.clear();
  read_field(line);
  while (!line.empty()) {
    line.remove_prefix(1);
    read_field(line);
  }
  return true;
}

bool TableDocuments::next(std::string_view& text) {
  if (!std::exchange(pending_, false) && !next_record()) return false;
  SOTTO_REQUIRE_AT(fields_.size() == width_, lines_.place(),
                   "has {} fields, the first line has {}; put a text with separators or line "
                   "breaks between quotes",
                   fields_.size(), width_);
  std::string& document = fields_[text_];
  std::replace(document.begin(), document.end(), '\n', ' ');
  std::replace(document.begin(), document.end(), '\r', ' ');
  if (id_ < width_) {
    SOTTO_REQUIRE_AT(fields_[id_].find('\n') == std::string::npos, lines_.place(),
                     "`id-column` has a line break");
    ids_.push_back(fields_[id_]);
  }
  text = document;
  return true;
}

}  // namespace sotto
