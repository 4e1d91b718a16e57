// Reads the public list of the rows of a mode: labels, one a line, declared rather than read off
// the data.
#pragma once

#include <string>

#include "sotto/tensor/label_table.h"

namespace sotto {

// Blank lines are skipped, and spaces around a label are removed. A label given twice and a file
// without labels are refused.
LabelTable read_labels(const std::string& path);

}  // namespace sotto
