#include "sotto/tasks/result_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sotto/io/line_reader.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"

namespace sotto {
namespace {

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

ResultFolder::ResultFolder(std::string path) : path_(without_trailing_slashes(std::move(path))) {
  std::error_code ignored;
  SOTTO_REQUIRE_AT(std::filesystem::is_directory(path_, ignored), path_,
                   "is not a folder; a model is the folder of a result, made with `out`");
  SOTTO_REQUIRE_AT(std::filesystem::is_regular_file(file("result.json"), ignored), path_,
                   "is not the folder of a result: it has no result.json");
  json_ = read_json(file("result.json"));
  require(json_.is_object(), "is damaged: not a JSON object");
  const Json& format = find("format");
  require(format.is_null() || format.is_number_integer(), "is damaged: its format is no number");
  const auto found = format.is_null() ? 1 : format.get<std::int64_t>();
  SOTTO_REQUIRE_AT(found <= kResultFormat, path_,
                   "was written by a newer sotto (format {}); this one reads folders up to format "
                   "{}",
                   found, kResultFormat);
  require(found >= 1, "is damaged: there is no such format");
  require(find("command").is_string() && find("version").is_string() && find("files").is_array(),
          "is not that of a result folder");
  command_ = find("command").get<std::string>();
}

bool ResultFolder::lists(const std::string& name) const {
  const Json& files = find("files");
  return std::any_of(files.begin(), files.end(), [&](const Json& file) { return file == name; });
}

const Json& ResultFolder::find(const std::string& keys) const { return sotto::find(json_, keys); }

double ResultFolder::number(const std::string& keys) const {
  const Json& value = find(keys);
  require(value.is_number() && std::isfinite(value.get<double>()), "has no number " + keys);
  return value.get<double>();
}

Vector ResultFolder::numbers(const std::string& keys) const {
  const Json& list = find(keys);
  const bool right = list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& v) {
                       return v.is_number() && std::isfinite(v.get<double>());
                     });
  require(right, "has no list of numbers " + keys);
  Vector values(std::ssize(list));
  for (Index n = 0; n < values.size(); ++n) {
    values[n] = list[static_cast<std::size_t>(n)].get<double>();
  }
  return values;
}

std::string ResultFolder::text(const std::string& keys) const {
  const Json& value = find(keys);
  require(value.is_string(), "does not say " + keys);
  return value.get<std::string>();
}

bool ResultFolder::has_text(const std::string& option) const {
  const Json& value = find("options/" + option);
  return value.is_string() && value != "";
}

bool ResultFolder::flag(const std::string& option) const {
  const Json& value = find("options/" + option);
  return value.is_boolean() && value.get<bool>();
}

DenseTensor ResultFolder::tensor(const std::string& name) const {
  DenseTensor found = read_npy(file(name));
  SOTTO_REQUIRE_AT(found.size() > 0 && !found.has_nonfinite(), file(name),
                   "holds no numbers, or some that are not finite");
  return found;
}

Vector ResultFolder::vector(const std::string& name) const {
  const DenseTensor found = tensor(name);
  SOTTO_REQUIRE_AT(found.order() == 1, file(name), "is not a vector");
  return Eigen::Map<const Vector>(found.values().data(), found.size());
}

Matrix ResultFolder::matrix(const std::string& name) const {
  const DenseTensor found = tensor(name);
  SOTTO_REQUIRE_AT(found.order() == 2, file(name), "is not a matrix");
  return Eigen::Map<const RowMatrix>(found.values().data(), found.dims()[0], found.dims()[1]);
}

LabelTable ResultFolder::labels(const std::string& name) const {
  ByteSource source(file(name));
  LineReader lines(source);
  LabelTable found;
  for (std::string_view line; lines.next(line);) {
    const Index before = found.size();
    found.add(line);
    SOTTO_REQUIRE_AT(found.size() > before, lines.place(), "is a label that was there before");
  }
  return found;
}

Vector ResultFolder::weights() const {
  Vector found = vector("weights.npy");
  const Vector said = numbers("weights");
  require_together(found.size() == said.size() && found == said);
  return found;
}

void ResultFolder::require(bool condition, const std::string& otherwise) const {
  SOTTO_REQUIRE_AT(condition, file("result.json"), "{}", otherwise);
}

void ResultFolder::require_together(bool condition) const {
  SOTTO_REQUIRE_AT(condition, path_, "holds files that do not belong together");
}

}  // namespace sotto
