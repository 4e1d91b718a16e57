// The line that comes first when nothing is protected.
#pragma once

#include <string>

namespace sotto::cli {

// Prints "not private: the tensor is treated as public" before anything else, coloured on a
// terminal. The line goes to standard output or, when that is for JSON, to standard error if that
// is a terminal.
void say_not_private(const std::string& what, bool json);

}  // namespace sotto::cli
