#include "sotto/report/result.h"

#include <cmath>

#include "sotto/base/digest.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"

namespace sotto {
namespace {

void check_finite(const Json& value, const std::string& path) {
  if (value.is_number_float()) {
    SOTTO_REQUIRE_AT(std::isfinite(value.get<double>()), path, "is not a finite number");
  } else if (value.is_structured()) {
    for (const auto& [key, child] : value.items())
      check_finite(child, fmt::format("{}/{}", path, key));
  }
}

// The time of a run depends on the records.
void refuse_times(const Json& value) {
  if (!value.is_structured()) return;
  for (const auto& [key, child] : value.items()) {
    SOTTO_REQUIRE(!key.starts_with("seconds"), "a private result must not tell '{}'", key);
    refuse_times(child);
  }
}

bool is_flat(const Json& value) {
  if (!value.is_array()) return false;
  for (const auto& child : value) {
    if (child.is_structured()) return false;
  }
  return true;
}

void write(const Json& value, std::size_t indent, std::string& out) {
  if (!value.is_structured() || value.empty()) {
    out += json_text(value);
    return;
  }
  const bool flat = is_flat(value);
  const std::string newline = flat ? "" : "\n" + std::string(indent + 2, ' ');
  out += value.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& [key, child] : value.items()) {
    if (!first) out += flat ? ", " : ",";
    first = false;
    out += newline;
    if (value.is_object()) out += json_text(Json(key)) + ": ";
    write(child, indent + 2, out);
  }
  if (!flat) out += "\n" + std::string(indent, ' ');
  out += value.is_array() ? "]" : "}";
}

}  // namespace

std::string to_text(const Json& result) {
  check_finite(result, "result");
  if (result.is_object() && result.contains("privacy") && !result["privacy"].is_null()) {
    refuse_times(result);
  }
  std::string text;
  write(result, 0, text);
  return text + "\n";
}

std::string to_sealed_text(const Json& result) {
  SOTTO_REQUIRE(result.is_object() && !result.empty(), "only an object with values can be sealed");
  std::string text = to_text(result);
  text.resize(text.size() - 3);  // "\n}\n"
  text += ",\n";
  return text + fmt::format("  \"seal\": \"{}\"\n}}\n", digest_of(text));
}

}  // namespace sotto
