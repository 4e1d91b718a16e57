// Whether the first line of a text file names its columns.
#pragma once

#include <array>

#include "sotto/base/enum_names.h"

namespace sotto {

enum class HeaderLine { automatic, yes, no };  // automatic: by a look at it
constexpr auto enum_names(HeaderLine) {
  return std::to_array<EnumName<HeaderLine>>(
      {{HeaderLine::automatic, "auto"}, {HeaderLine::yes, "yes"}, {HeaderLine::no, "no"}});
}

}  // namespace sotto
