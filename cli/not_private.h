// Says first when nothing is protected.
#pragma once

#include <string>

namespace sotto::cli {

// "not private: the tensor is treated as public", before anything else on standard output, coloured
// on a terminal. When standard output is for JSON, on standard error, if that is a terminal.
void say_not_private(const std::string& what, bool json);

}  // namespace sotto::cli
