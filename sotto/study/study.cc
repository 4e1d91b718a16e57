#include "sotto/study/study.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {

StudyCell& StudyCell::with(const std::string& name, const std::string& value) {
  values_.emplace_back(name, value);
  return *this;
}

StudyCell& StudyCell::with(const std::string& name, double value) {
  return with(name, fmt::format("{}", value));
}

const std::string& StudyCell::text(const std::string& name) const {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const auto& value) { return value.first == name; });
  SOTTO_REQUIRE(found != values_.end(), "a cell has no parameter {}", name);
  return found->second;
}

double StudyCell::number(const std::string& name) const {
  const std::string& word = text(name);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  SOTTO_REQUIRE(error == std::errc() && end == word.data() + word.size(),
                "parameter {} is no number: '{}'", name, word);
  return value;
}

std::int64_t StudyCell::whole(const std::string& name) const { return std::llround(number(name)); }

std::string StudyCell::joined(char separator) const {
  std::string line;
  for (const auto& [name, value] : values_) {
    if (!line.empty()) line += separator;
    line += value;
  }
  return line;
}

std::size_t StudyTable::column(const std::string& measure) const {
  const auto found = std::find(plan.measures.begin(), plan.measures.end(), measure);
  SOTTO_REQUIRE(found != plan.measures.end(), "nothing is measured as {}", measure);
  return static_cast<std::size_t>(found - plan.measures.begin());
}

std::vector<double> StudyTable::differences(const StudyCell& cell, const std::string& a,
                                            const std::string& b) const {
  const std::size_t first = column(a), second = column(b);
  std::vector<double> values;
  for (const StudyRow& row : rows) {
    const double gap = row.measured[second] - row.measured[first];
    if (plan.cells[row.cell] == cell && !std::isnan(gap)) values.push_back(gap);
  }
  return values;
}

std::vector<double> StudyTable::measured(const StudyCell& cell, const std::string& measure) const {
  const std::size_t place = column(measure);
  std::vector<double> values;
  for (const StudyRow& row : rows) {
    if (plan.cells[row.cell] == cell && !std::isnan(row.measured[place])) {
      values.push_back(row.measured[place]);
    }
  }
  return values;
}

double StudyTable::seconds() const {
  double sum = 0;
  for (const StudyRow& row : rows) sum += row.seconds;
  return sum;
}

std::uint64_t trial_seed(std::uint64_t study_seed, const StudyCell& cell, int trial) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, over names and values
  const auto add = [&](const std::string& text) {
    for (const char c : text + '\n') {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
  };
  for (const auto& [name, value] : cell.values()) {
    add(name);
    add(value);
  }
  SeededRandom mixed(study_seed ^ hash, static_cast<std::uint64_t>(trial));
  return mixed.bits() >> 1;  // seeds of options are signed
}

}  // namespace sotto
