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

std::string json_text(const Json& value) { return written(value, false); }

std::string ascii_json_text(const Json& value) { return written(value, true); }

}  // namespace sotto
