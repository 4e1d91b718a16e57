// The fields of a line of a table in text: CSV and its relatives.
//
// A field between double quotes ends at the quote before the next separator; a quote within it is
// doubled. Blanks around a field do not belong to it.
//
// What is recognised by content (a separator, a file that is no text at all) is for public files
// alone. In a private run options and the name of the file say it.
#pragma once

#include <string>
#include <string_view>

#include "sotto/io/file_options.h"

namespace sotto {

// Where the first field of `rest` ends; npos: it is the last one.
std::size_t field_end(std::string_view rest, std::string_view separator);

// The text of a field without the blanks around it and the quotes of a quoted one; quotes within
// stay doubled.
std::string_view unquoted(std::string_view field);

// Whether the last field of the line is quoted and its quote is not closed: the record goes on in
// the next line.
bool quote_is_open(std::string_view line, std::string_view separator);

// The character of `separator`; that of the format where nothing was said.
char character_of(Separator separator, char of_format);

// The only one of , ; tab and | in the line, quoted fields left out; 0 where there is none. Refuses
// a line with two of them: `separator` has to decide.
char separator_in(std::string_view line, const std::string& place);

// The line "sep=;" that Excel takes a hint from; 0: it is another line.
char excel_separator(std::string_view line);

// The first line of a text that is neither blank, nor a comment, nor Excel's hint.
std::string_view first_line_of(std::string_view head);

// Refuses what is often taken for a text or an array and is neither: UTF-16, archives and
// workbooks, Parquet, MATLAB, lines that end as on old Macintoshes. The message says what to do.
void refuse_other_files(std::string_view head, const std::string& path);

// Whether the beginning of a text is UTF-8; its last character may be cut.
bool is_utf8(std::string_view head);

// "3,5" where a number was expected: the hint that goes with the refusal, or nothing.
std::string decimal_hint(std::string_view word);

}  // namespace sotto
