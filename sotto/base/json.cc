#include "sotto/base/json.h"

#include <fstream>

namespace sotto {
namespace {

std::string written(const Json& value, bool ascii) {
  return value.dump(-1, ' ', ascii, Json::error_handler_t::replace);
}

}  // namespace

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

Json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_json(text);
}

const Json& find(const Json& root, const std::string& keys) {
  static const Json none;
  const Json* place = &root;
  for (std::size_t start = 0;;) {
    const std::size_t slash = keys.find('/', start);
    const std::string key = keys.substr(start, slash - start);
    if (!place->is_object() || !place->contains(key)) return none;
    place = &place->at(key);
    if (slash == std::string::npos) return *place;
    start = slash + 1;
  }
}

std::string json_text(const Json& value) { return written(value, false); }

std::string ascii_json_text(const Json& value) { return written(value, true); }

}  // namespace sotto
