// Reads the public list of the rows of a mode: labels, one a line, declared beside the data rather
// than read off it.
#pragma once

#include <string>

#include "sotto/tensor/label_table.h"

namespace sotto {

// Blank lines are passed over, spaces around a label taken off. A label given twice and a file
// without labels are refused.
LabelTable read_labels(const std::string& path);

}  // namespace sotto
