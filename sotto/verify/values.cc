#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sotto/base/error.h"
#include "sotto/verify/checks.h"

namespace sotto::verify {

std::optional<double> number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto x = value.get<double>();
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

std::string words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<std::string> bytes_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  // A link could lead out of the folder.
  if (fs::symlink_status(path, failed).type() != fs::file_type::regular) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  // It is there: that it cannot be read says nothing of the result.
  if (!file.good() && !file.eof()) throw Error("cannot be read", path, Fault::system);
  return bytes;
}

}  // namespace sotto::verify
