// Reads a file of private records without quoting them.
#pragma once

#include <string>

#include "sotto/base/unquoted.h"

namespace sotto {

// Runs `read`. If the records are private, an error about them is replaced by one that names the
// file and nothing of its content.
template <class Read>
auto read_unquoted(bool records_are_private, const std::string& path, Read read) {
  if (!records_are_private) return read();
  try {
    return read();
  } catch (const Error& error) {
    refuse_records(error, path == "-" ? "standard input" : path);
  }
}

}  // namespace sotto
