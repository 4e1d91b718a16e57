#include "sotto/report/json_parts.h"

#include "sotto/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

// The names of the curves of a history, which has no labels of its own.
constexpr std::array<std::pair<const char*, const char*>, 4> kLabels{
    {{"train_rmse", "training RMSE"},
     {"validation_rmse", "validation RMSE"},
     {"change", "Movement of the vectors"},
     {"active", "Vectors still moving"}}};

std::string key_words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string joined(const Json& list) {
  // Sizes read "40 x 40 x 40"; texts, and counts of which one is 0, are separated by commas.
  const bool sizes = std::all_of(list.begin(), list.end(),
                                 [](const Json& v) { return v.is_number_integer() && v > 0; });
  std::string text;
  for (const Json& value : list) {
    if (!text.empty()) text += sizes ? " \u00D7 " : ", ";
    text += value.is_structured() ? json_text(value) : cell_of(value).text;
  }
  return text;
}

}  // namespace

std::string label_of(const std::string& key) {
  for (const auto& [name, label] : kLabels) {
    if (key == name) return label;
  }
  std::string label = key_words(key);
  if (!label.empty()) {
    label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  }
  return label;
}

Cell cell_of(const Json& value) {
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) return joined(value);
  if (value.is_null()) return "";
  return json_text(value);
}

Cell cell_of(const std::string& key, const Json& value) {
  const bool hopeless =
      key == "core_consistency" && value.is_number() && value.get<double>() < kHopelessConsistency;
  if (!hopeless) return cell_of(value);
  return Cell(value.get<double>(), fmt::format("below {}", kHopelessConsistency));
}

const Json& at(const Json& object, const char* key) {
  static const Json none;
  return object.is_object() && object.contains(key) ? object[key] : none;
}

std::string text_at(const Json& object, const char* key, const std::string& otherwise) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : otherwise;
}

bool is_numbers(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const Json& v) { return v.is_number() || v.is_null(); });
}

bool is_records(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_object(); });
}

std::vector<double> numbers_of(const Json& list) {
  std::vector<double> numbers;
  for (const Json& value : list) {
    numbers.push_back(value.is_number() ? value.get<double>()
                                        : std::numeric_limits<double>::quiet_NaN());
  }
  return numbers;
}

std::vector<double> list_of(const Vector& v) { return {v.begin(), v.end()}; }

Json history_of(const Decomposition& found) {
  Json history;
  for (const HistoryPoint& h : found.history) {
    history["component"].push_back(h.component);
    history["iteration"].push_back(h.iteration);
    history["change"].push_back(h.change);
  }
  return history;
}

PageTable table_of(const Json& records) {
  std::vector<std::string> keys;
  for (const Json& record : records) {
    for (const auto& [key, value] : record.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  PageTable table;
  for (const std::string& key : keys) table.head.push_back(label_of(key));
  for (const Json& record : records) {
    Line row;
    for (const std::string& key : keys) {
      row.push_back(record.contains(key) ? cell_of(key, record[key]) : Cell(""));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void append_facts(const Json& object, const std::string& before,
                  std::vector<std::pair<std::string, Cell>>& facts) {
  for (const auto& [key, value] : object.items()) {
    const std::string label = before.empty() ? label_of(key) : before + ": " + key_words(key);
    if (value.is_object()) {
      append_facts(value, label, facts);
    } else if (!value.is_null()) {
      facts.emplace_back(label, cell_of(value));
    }
  }
}

}  // namespace sotto
