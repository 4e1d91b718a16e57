// The result of a run as JSON: one layout for every command.
//
// Always there: command, version, arguments (the command line after the name), options, input,
// privacy (null when nothing private was asked). A command adds what it has found: weights, the
// names of its array files, diagnostics; and `seconds`, unless the run was private.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sotto/base/options.h"

namespace sotto {

// Keys keep the order in which they were set, so that files read from top to bottom.
using Json = nlohmann::ordered_json;

Json make_result(const std::string& command, const OptionTable& options, const Json& input,
                 const std::vector<std::string>& arguments = {});

// Two-space indentation with short arrays of numbers on one line; ends with a newline. NaN and
// infinity, which JSON does not have, are refused, and so is a time in a private result; bytes of a
// file name that are not UTF-8 are replaced.
std::string to_text(const Json& result);

}  // namespace sotto
