// Whether two names lead to one file: by path, through links, or as what stands behind standard
// input.
#pragma once

#include <string>

namespace sotto {

// "-" is standard input. Names that lead nowhere are the same as nothing.
bool same_file(const std::string& a, const std::string& b);

}  // namespace sotto
