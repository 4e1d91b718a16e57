// JSON, its keys in the order in which they were written. The parser and the writer are compiled
// here once; they are much longer than most code that calls them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

using Json = nlohmann::ordered_json;

// The value of a text, or a discarded one (Json::is_discarded) where the text is not JSON.
Json parse_json(std::string_view text);
// The same for a file; one that cannot be read is discarded, too.
Json read_json(const std::string& path);

// A value by keys joined by '/'; null where there is none.
const Json& find(const Json& root, const std::string& keys);

// On one line. Bytes that are not UTF-8 are replaced.
std::string json_text(const Json& value);
// The same in ASCII alone.
std::string ascii_json_text(const Json& value);

}  // namespace sotto
