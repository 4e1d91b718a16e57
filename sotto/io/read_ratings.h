// Reads observed entries of order 3 to 5 (who rated what, and when) from text, plain or gzip.
//
//   .tns         both dialects; indices are the rows, counted from 1 or as `index-base` says
//   .npy         an array of order 2 to 5: what is not NaN was observed; rows are counted from 1
//   CSV and TSV  with or without a header; MovieLens `ratings.csv`; `separator` and `decimal`
//   MovieLens    `::` between the fields; `u.data`: tabs
//
// Columns of text are modes, the value, or a time stamp. A header names them: rating, value, score
// or stars is the value; timestamp, time, date or a name that ends in such a word (visit_date, but
// not play_time) the time; the others are modes, and where nothing is called a value it is the last
// column that is not the time. A column without a name (a saved index) is refused. Without a header
// three columns are mode,mode,value and four are mode,mode,value,time. `columns` overrides both.
// What stands in a mode column may be anything; rows are numbered as they appear. The time becomes
// one more mode of days, weeks or months in the order of time, or is left out. Two modes become
// three with a third of one row. Capitals, _, - and spaces make no difference in a name.
//
// Who the users are (RatingFileOptions::for_users): mode 0 is the users and mode 1 the items,
// whatever their order in the file. The users' column is the one that `columns` or `user-column`
// says; else the only one of the header that is called user, customer, person, patient, member,
// account or the like (rating_columns.cc has the list); else the first of a MovieLens format; else
// an Error. One label is one user. The items' column is what `columns` says; else the only mode
// beside the users; else the only one that is called item, movie, product or the like; else an
// Error. Without for_users `user-column` puts the users first, too.
//
// Private ratings (RatingFileOptions::records_are_private): no rating decides how another one is
// read, nor in which order anything stands.
//   - The format is that of public_format.h; gzip is told by the name.
//   - The first line is a header where `header` says so, or when nothing on it is a number and a
//     name on it is that of a value. Without one `columns` is needed, but for MovieLens (user,
//     item, value, time) and .tns (indices, value; with for_users two indices).
//   - Exactly one name of the header is that of a value, or `columns` is needed: what is taken for
//     a mode may be published.
//   - Rows are numbered in the order of their labels (LabelTable::sort), entries are put into the
//     order of their places, and lines are forgotten: a file may be sorted by what is private.
//   - The indices of a .tns are labels: a row is one that occurs. With a header (sptensor) and
//     without for_users its sizes are the shape, and public.
//   - Malformed, and refused wherever it stands: a value that is not a finite number, an empty
//     field, a wrong number of fields, an index that is not a whole number from 1 on or beyond the
//     header, a time that cannot be read or outside the years 1 to 9999 (with `time-mode`), a line
//     of 2^20 bytes or more. Lines that are blank or begin with # are not ratings. A file without
//     any is refused, but for that of no users. What is wrong with a file is not said.
//   - A value outside `range` is none of these: release/ clips it.
//
// Of others: what would be a guess is refused, with the option that decides. That is a first line
// 0,1,2,.. that may be a header, a first column that counts the lines (a saved index), a column of
// dates that is not called a time, a first line with two kinds of separators. A quoted field may go
// on in the next line. A value that is not a finite number, or outside `range`, an empty field, a
// wrong number of fields and a place given twice are Errors that name the line. Cost: about 200 ns
// a line. Privacy: what was read is Sensitive until somebody declares it public.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

Sensitive<Ratings> read_ratings(const std::string& path, const RatingFileOptions& options = {});

// Reads several files, text with labels, as if their entries stood in one: all have the format and
// the columns of the first.
Sensitive<Ratings> read_rating_files(const std::vector<std::string>& paths,
                                     const RatingFileOptions& options = {});

// Reads more ratings of the same modes. Rows get the numbers that they have in `known`; others are
// `kUnknownRow`.
Sensitive<Ratings> read_more_ratings(const std::string& path, const RatingFileOptions& options,
                                     const Ratings& known);

}  // namespace sotto
