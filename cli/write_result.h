// What every command does at the end: puts its result into the output folder.
#pragma once

#include "sotto/io/output_folder.h"
#include "sotto/linalg/matrix.h"
#include "sotto/report/result.h"

namespace sotto::cli {

// Writes result.json, which lists the files of the folder, and the page made from it, and commits
// the folder.
void write_result(OutputFolder& folder, Json& result);

// For each column the entries that are largest in size, largest first: [{index: [..], value: [..]},
// ..]. The array has them all; these are for the reader of a result.
Json largest_entries(const Matrix& columns);

}  // namespace sotto::cli
