// JSON in the form of the result files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// Keys keep the order in which they were set, so that files read from top to bottom.
using Json = nlohmann::ordered_json;

// Two-space indentation with short arrays of numbers on one line; ends with a newline. Refuses NaN
// and infinity, which JSON does not have, and a time in a private result. Replaces bytes of a file
// name that are not UTF-8.
std::string to_text(const Json& result);

}  // namespace sotto
