// Whether the rows of an array have an order that a line can follow.
//
// Only what is known beforehand decides, never the values in the array: the page of a private run
// has the same charts whatever the data are.
#pragma once

#include <string>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/report/document.h"

namespace sotto {

enum class RowOrder {
  none,
  index,    // by its index
  numbers,  // by labels that are increasing numbers: wavelengths, years
  dates     // by labels that are increasing ISO dates: 2024-05, 2024-05-17
};

// Fewer rows than 15 have no order, since bars show them better, nor have more than 2000.
RowOrder row_order(const RowNames& names, Index rows);

// The labels of rows that are ordered by numbers.
std::vector<double> label_numbers(const std::vector<std::string>& labels);

}  // namespace sotto
