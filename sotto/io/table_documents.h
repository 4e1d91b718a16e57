// The documents of a table in text (CSV, TSV): one column holds the text, and another may hold a
// name for each document.
//
// Fields are cut as RFC 4180 says: one between double quotes may hold separators, line breaks and
// doubled quotes, and nothing but a separator or the end of the line follows it. Every record has
// as many fields as the first line. Line breaks within a text count as blanks. What is malformed is
// an Error that names the line.
//
// Privacy: a file of private documents is the list of its documents, written in this way, so one
// document never decides where another begins. Which columns there are follows from options and
// from the first line, which is a header where `text-column` is a name or `header` says so; a
// private file has one. A blank line is no record: it is left out, or refused in a private file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/line_reader.h"

namespace sotto {

struct TableRules {
  char separator = ',';
  std::optional<bool> header;          // none: said by nobody
  std::string text_column, id_column;  // names or numbers from 1 on; no id column: empty
  bool is_private = false;
};

class TableDocuments {
 public:
  TableDocuments(ByteSource& bytes, const TableRules& rules);

  // The text of the next document; false after the last one.
  bool next(std::string_view& text);
  // What the id column says of the documents so far, where there is one.
  std::vector<std::string> take_ids() { return std::move(ids_); }

 private:
  bool next_record();
  void read_field(std::string_view& line);
  void read_quoted(std::string_view& line);
  std::size_t column(const std::string& option, const std::string& said) const;

  LineReader lines_;
  TableRules rules_;
  std::vector<std::string> fields_;  // of the record last read
  std::size_t width_ = 0, text_ = 0, id_ = 0;
  bool has_header_ = false, pending_ = false;  // pending: the record last read is a document
  std::vector<std::string> ids_;
};

}  // namespace sotto
