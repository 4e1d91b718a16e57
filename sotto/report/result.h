// JSON in the form of the result files.
#pragma once

#include <string>

#include "sotto/base/export.h"
#include "sotto/base/json.h"

namespace SOTTO_API sotto {

// Two-space indentation with short arrays of numbers on one line; ends with a newline. Refuses NaN
// and infinity, which JSON does not have, and a time in a private result. Replaces bytes of a file
// name that are not UTF-8.
std::string to_text(const Json& result);

// The same with a last line that shows whether it was changed: "seal", the digest of all bytes
// before that line (`head -n -2 result.json | b2sum -l 256`).
std::string to_sealed_text(const Json& result);

}  // namespace sotto
