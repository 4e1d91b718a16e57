// Which program made a result, and on which day.
#pragma once

#include <string>

#include "sotto/base/between_libraries.h"

namespace SOTTO_BETWEEN_LIBRARIES sotto {

// The build of the program or library that holds this code: the identifier that its linker wrote
// (`readelf -n` shows it), which no other build has. Empty where there is none.
std::string build_id();

// The day, UTC: "2026-11-16". The environment variable SOURCE_DATE_EPOCH, seconds since 1970, sets
// it, as in reproducible builds.
std::string today();

}  // namespace sotto
