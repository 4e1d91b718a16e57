// Pieces of a page from pieces of JSON, whatever their keys are.
#pragma once

#include <string>

#include "sotto/report/page.h"
#include "sotto/report/result.h"

namespace sotto {

// "seconds_reading" -> "Seconds reading"; the names of known curves.
std::string label_of(const std::string& key);

// A number, a text, true and false in words; a list with what stands between its elements.
Cell cell_of(const Json& value);

// What stands under a key, or null; also of what is no object.
const Json& at(const Json& object, const char* key);
std::string text_at(const Json& object, const char* key, const std::string& otherwise);

bool is_numbers(const Json& value);  // a list of numbers, not empty
bool is_records(const Json& value);  // a list of objects, not empty

std::vector<double> numbers_of(const Json& list);

// One row an object; a column for each key that one of them has.
PageTable table_of(const Json& records);

// Appends what is no object under its label, and what stands in objects with their labels before
// it.
void append_facts(const Json& object, const std::string& before,
                  std::vector<std::pair<std::string, Cell>>& facts);

}  // namespace sotto
