// The names of the coordinates of points, in the folder of a result.
//
// They come from the header of a public file. The header of a private file decides the dimension
// and is otherwise not used: nobody has said whether its words may be published.
#pragma once

#include <string>
#include <vector>

#include "sotto/tensor/point_source.h"

namespace sotto {

class OutputFolder;
class ResultFolder;

// Writes columns.txt, one name a line, where there are names.
void save_columns(const std::vector<std::string>& columns, OutputFolder& folder);

// Those of a former result; empty where it has none.
std::vector<std::string> saved_columns(const ResultFolder& folder, Index dim);

// Refuses points whose header has other names, or the same ones in another order. Points without a
// header, and a model without names, are taken as they are.
void require_same_columns(const PointSource& points, const std::vector<std::string>& expected);

}  // namespace sotto
