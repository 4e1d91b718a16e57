#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sotto/verify/array_file.h"
#include "sotto/verify/checks.h"

namespace sotto::verify {
namespace {

// ---- the unit ----

bool lists(const Json& result, const std::string& name) {
  const Json& files = find(result, "files");
  return std::find(files.begin(), files.end(), Json(name)) != files.end();
}

// What a command protects, by its name and its files: users and people have no rows of their own.
std::string unit_of(const Json& result) {
  const std::string command = words(find(result, "command"));
  if (command == "topics") return "document";
  if (command == "mixture" || command == "stream") return "record";
  const bool first_mode = lists(result, "factors_0.npy") || lists(result, "vectors.npy");
  if (command == "decompose") return first_mode ? "entry" : "person";
  if (command == "complete") return first_mode ? "rating" : "user";
  return "";
}

bool says(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

// Whether the words of a certificate are about this unit and no other.
bool is_about(const Json& privacy, const std::string& unit) {
  const std::string said = words(find(privacy, "unit"));
  const std::string neighbours = words(find(privacy, "neighbours"));
  if (unit == "rating") return said == "the value of one rating" && says(neighbours, "value");
  const bool one = unit == "user" ? said.starts_with("all ratings of one user")
                                  : said.starts_with("one " + unit);
  return one && says(neighbours, "one " + unit);
}

// ---- numbers ----

// A public fact that ends with a number of the input: "the number of documents, 500".
struct CountedFact {
  const char *text, *key;
};
constexpr std::array<CountedFact, 5> kCountedFacts = {{{"the number of documents, ", "documents"},
                                                       {"the number of records, ", "records"},
                                                       {"the dimension of the records, ", "dim"},
                                                       {"the vocabulary, ", "words"},
                                                       {"the list of items, ", "items"}}};

void check_public_facts(const Json& result, Findings& findings) {
  const Json& facts = find(result, "privacy/public");
  std::size_t compared = 0;
  for (const Json& fact : facts) {
    for (const auto& [text, key] : kCountedFacts) {
      const Json& counted = find(result, fmt::format("input/{}", key));
      if (!words(fact).starts_with(text) || !counted.is_number_integer()) continue;
      const std::string rest = words(fact).substr(std::string(text).size());
      const std::string expected = fmt::format("{}", counted.get<std::int64_t>());
      const bool same = rest.starts_with(expected) &&
                        (rest.size() == expected.size() || rest[expected.size()] == ' ');
      ++compared;
      if (!same) findings.fails(fmt::format("'{}' does not fit the input", words(fact)));
    }
  }
  if (compared > 0) findings.holds(fmt::format("{} public facts fit the input", compared));
}

std::optional<std::int64_t> integer_at(const Json& value) {
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

// How many rows an array must have by what result.json says of the input; none: it does not say.
std::optional<std::int64_t> rows_of(const Json& result, const std::string& array) {
  const Json& input = find(result, "input");
  if (array == "topics") return integer_at(find(input, "words"));
  if (array == "means") return integer_at(find(input, "dim"));
  const Json& dims = find(input, "dims");
  if (array == "vectors") {
    return dims.is_array() && !dims.empty() ? integer_at(dims[0]) : integer_at(find(input, "dim"));
  }
  if (array.size() != 9 || !array.starts_with("factors_") || !dims.is_array()) return {};
  // People are no mode of their own.
  const std::size_t mode =
      static_cast<std::size_t>(array[8] - '0') - (unit_of(result) == "person" ? 1 : 0);
  return mode < dims.size() ? integer_at(dims[mode]) : std::nullopt;
}

std::map<std::string, Array> arrays_of(const Folder& folder, Findings& findings) {
  std::map<std::string, Array> arrays;
  for (const Json& file : find(folder.result, "files")) {
    const std::string name = words(file);
    if (!name.ends_with(".npy") || says(name, "/")) continue;
    const std::optional<std::string> bytes = bytes_of(folder.file(name));
    if (!bytes) continue;  // check_files says so
    std::optional<Array> array = parse_array(*bytes);
    if (array) {
      arrays[name.substr(0, name.size() - 4)] = std::move(*array);
    } else {
      findings.fails(fmt::format("{} is not a readable array of numbers", name));
    }
  }
  return arrays;
}

bool same_numbers(const Json& list, const std::vector<double>& values) {
  return list.is_array() && list.size() == values.size() &&
         std::equal(list.begin(), list.end(), values.begin(),
                    [](const Json& said, double x) { return number(said) == x; });
}

// The entries that result.json shows of an array, column by column.
bool shows_entries_of(const Json& columns, const Array& array) {
  if (!columns.is_array() || array.shape.empty()) return false;
  const std::int64_t width = array.shape.size() > 1 ? array.shape[1] : 1;
  if (std::ssize(columns) != width) return false;
  for (std::int64_t j = 0; j < width; ++j) {
    const Json& column = columns[static_cast<std::size_t>(j)];
    const Json &places = find(column, "index"), &values = find(column, "value");
    if (!places.is_array() || !values.is_array() || places.size() != values.size()) return false;
    for (std::size_t n = 0; n < places.size(); ++n) {
      const std::optional<std::int64_t> row = integer_at(places[n]);
      if (!row || *row < 0 || *row >= array.shape[0]) return false;
      if (number(values[n]) != array.at(*row, j)) return false;
    }
  }
  return true;
}

void check_array(const Json& result, const std::string& name, const Array& array,
                 Findings& findings) {
  const std::optional<std::int64_t> rows = rows_of(result, name);
  if (rows && (array.shape.empty() || array.shape[0] != *rows)) {
    findings.fails(fmt::format("{}.npy does not have the {} rows of the input", name, *rows));
  }
  const Json& shown = find(result, "largest_entries/" + name);
  if (!shown.is_null() && !shows_entries_of(shown, array)) {
    findings.fails(fmt::format("result.json shows other numbers than {}.npy holds", name));
  }
  const bool is_weights = name == "weights" && find(result, "weights").is_array();
  if (is_weights && !same_numbers(find(result, "weights"), array.values)) {
    findings.fails("the weights of result.json are not those of weights.npy");
  }
}

}  // namespace

void check_unit(const Json& result, const std::string& wanted, Findings& findings) {
  const Json& privacy = find(result, "privacy");
  if (!privacy.is_object()) return;
  const std::string unit = unit_of(result), said = words(find(privacy, "unit"));
  if (unit.empty()) return findings.fails("the named command has no private runs");
  const Json& option = find(result, "options/unit");
  const bool fits = is_about(privacy, unit) && (option.is_null() || option == unit);
  findings.require(fits, fmt::format("what is protected, {}, fits the command and its files", said),
                   fmt::format("the certificate says it protects '{}', but such a result protects "
                               "one {}",
                               said, unit));
  if (wanted.empty()) return;
  const std::string protects = words(find(result, "statement/protects"));
  findings.require(wanted == unit || wanted == said || wanted == protects,
                   fmt::format("it protects {}", wanted),
                   fmt::format("it does not protect {}, but {}", wanted, said));
}

void check_facts(const Folder& folder, Findings& findings) {
  const std::int64_t before = findings.failures();
  check_public_facts(folder.result, findings);
  const std::map<std::string, Array> arrays = arrays_of(folder, findings);
  for (const auto& [name, array] : arrays) check_array(folder.result, name, array, findings);
  if (findings.failures() > before) return;
  findings.holds(fmt::format("the numbers of result.json are those of {} arrays", arrays.size()));
}

void check_pages(const Folder& folder, Findings& findings) {
  const Json& epsilon = find(folder.result, "privacy/epsilon");
  if (!epsilon.is_number()) return;
  const std::string exact = json_text(epsilon);
  const auto has = [&](const char* file, const std::string& text) {
    const std::optional<std::string> bytes = bytes_of(folder.file(file));
    return bytes && says(*bytes, text);
  };
  const bool same = has("report.html", fmt::format("\"{}\"", exact)) &&
                    has("certificate.md", fmt::format("- Epsilon: {}\n", exact));
  findings.require(same, "report.html and certificate.md state the same epsilon",
                   "report.html or certificate.md states another epsilon than result.json");
}

}  // namespace sotto::verify
