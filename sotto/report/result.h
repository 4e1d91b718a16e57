// The result of a run as JSON: one layout for every command.
//
// Always there: command, version, options, input, seconds, privacy (null when nothing private was
// asked). A command adds what it has found: weights, the names of its array files, diagnostics.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sotto/base/options.h"

namespace sotto {

// Keys keep the order in which they were set, so that files read from top to bottom.
using Json = nlohmann::ordered_json;

Json make_result(const std::string& command, const OptionTable& options, const Json& input);

// Two-space indentation with short arrays of numbers on one line; ends with a newline. NaN and
// infinity, which JSON does not have, are refused.
std::string to_text(const Json& result);

}  // namespace sotto
