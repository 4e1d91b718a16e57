// The files that a page is made of, embedded in the library at build time (cmake/assets.cmake).
#pragma once

#include <string_view>

namespace sotto::asset {

extern const std::string_view chart_library;  // Chart.js, minified, with its licence line
extern const std::string_view style;          // assets/page.css
extern const std::string_view script;         // assets/page.js

}  // namespace sotto::asset
