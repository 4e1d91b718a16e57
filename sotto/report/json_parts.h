// Numbers as JSON, and pieces of a page from pieces of JSON, whatever their keys are.
#pragma once

#include <string>
#include <vector>

#include "sotto/decompose/result.h"
#include "sotto/report/page.h"
#include "sotto/report/result.h"

namespace sotto {

// "seconds_reading" -> "Seconds reading"; known curves have names of their own.
std::string label_of(const std::string& key);

// A number or a text; true and false in words; the elements of a list with separators.
Cell cell_of(const Json& value);
// The same for a value whose key is known: a core consistency below this says nothing by its
// digits.
constexpr int kHopelessConsistency = -100;
Cell cell_of(const std::string& key, const Json& value);

// The value of a key, or null; null too when `object` is no object.
const Json& at(const Json& object, const char* key);
std::string text_at(const Json& object, const char* key, const std::string& otherwise);

bool is_numbers(const Json& value);  // a list of numbers, not empty
bool is_records(const Json& value);  // a list of objects, not empty

std::vector<double> numbers_of(const Json& list);

// The numbers of a vector, and the steps of a decomposition, as lists for the JSON.
std::vector<double> list_of(const Vector& v);
Json history_of(const Decomposition& found);

// One row per object, and a column for each key that occurs.
PageTable table_of(const Json& records);

// Appends each value that is no object under its label. Values inside objects have the labels of
// the objects before theirs.
void append_facts(const Json& object, const std::string& before,
                  std::vector<std::pair<std::string, Cell>>& facts);

}  // namespace sotto
