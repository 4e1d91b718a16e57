// Rows that are public: a list of labels, one a line, declared beside the data rather than read off
// it.
#pragma once

#include <string>

#include "sotto/io/label_table.h"
#include "sotto/io/read_ratings.h"

namespace sotto {

// Blank lines are passed over, spaces around a label taken off. A label given twice and a file
// without labels are refused.
LabelTable read_labels(const std::string& path);

// The entries with the rows of a mode numbered as in the list; rows that are not listed become
// `kUnknownRow`.
ObservedEntries numbered_by(const LabelTable& listed, Index mode, const Ratings& ratings);

}  // namespace sotto
