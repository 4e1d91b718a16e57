// Whether two names lead to one file: by path, through links, or as standard input.
#pragma once

#include <string>

namespace sotto {

// "-" is standard input. A name that leads nowhere is the same as no other.
bool same_file(const std::string& a, const std::string& b);

}  // namespace sotto
