// What every command does at the end: puts its result into the output folder.
#pragma once

#include <chrono>
#include <vector>

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

inline std::vector<double> as_list(const Vector& v) { return {v.data(), v.data() + v.size()}; }

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace sotto::cli
