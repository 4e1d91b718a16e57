// Opens a file or standard input ("-") of points in any known format, recognised by its content.
//
// Raw numbers cannot be recognised: they are read as such when --dtype or --format raw says so, or
// when the input is not text and --dim is given.
//
// A public file is read as csv_points.h says: what would be a guess is refused, with the option
// that decides. Records of a pipe are kept in memory where the caller reads them more than once
// (PointFileOptions::kept_in_memory).
//
// Private records (PointFileOptions::records_are_private): no record decides how another one is
// read, or how many there are.
//   - The format is that of public_format.h, raw where --dtype is given; gzip is told by the name.
//   - Numbers in text are separated as --separator says, or the format: csv a comma, tsv a tab,
//     spaces blanks and tabs. No column is taken for an index. --header says whether the first line
//     names the columns, with no default.
//   - The dimension is that of an .npy or UCI header, of a line with names, or of --dim.
//   - Every other line of text is a record. What is none (a wrong number of fields, a field that is
//     not a finite number, a blank line, a comment, a line of 2^30 bytes or more) is refused
//     wherever it stands, and so is what document_reader.h calls an Error. The empty record of
//     LDA-C is "0", that of SVMlight a label. What is wrong with the beginning of such a file is
//     not said, and OnePassRecords and PrivatePoints of release/ say no more of what follows.
// Privacy: what was opened is Sensitive until somebody declares it public.
#pragma once

#include <string>
#include <vector>

#include "sotto/io/file_options.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

class Shards;

// Sets `format`, if given, to the format in which the file is read.
SensitivePoints open_points(const std::string& path, const PointFileOptions& options = {},
                            PointFormat* format = nullptr);

// Several files, all in one format, as one source (joined_points.h). With `shards`, its sums are
// questions to them (tensor/sharded_points.h); they must outlive it.
SensitivePoints open_points(const std::vector<std::string>& paths, const PointFileOptions& options,
                            PointFormat* format = nullptr, Shards* shards = nullptr);

}  // namespace sotto
