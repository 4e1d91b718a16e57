#include "sotto/base/options.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/json.h"

namespace sotto {
namespace {

std::string place_of(const std::string& name) { return "`" + name + "`"; }

template <class Number>
Number parse_number(const std::string& name, std::string_view text, const char* kind) {
  Number value{};
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  SOTTO_REQUIRE_AT(error == std::errc() && end == text.data() + text.size(), place_of(name),
                   "expected {}, got '{}'", kind, text);
  return value;
}

std::string range_text(const IntegerRange& r) {
  const IntegerRange all;
  if (r.low == all.low && r.high == all.high) return "";
  if (r.high == all.high) return fmt::format("at least {}", r.low);
  if (r.low == all.low) return fmt::format("at most {}", r.high);
  return fmt::format("{} to {}", r.low, r.high);
}

std::string range_text(const RealRange& r) {
  const RealRange all;
  std::string low = fmt::format("{} {}", r.open_low ? "above" : "at least", r.low);
  std::string high = fmt::format("{} {}", r.open_high ? "below" : "at most", r.high);
  if (r.low == all.low && r.high == all.high) return "";
  if (r.high == all.high) return low;
  if (r.low == all.low) return high;
  return low + ", " + high;
}

std::int64_t parse_in(const std::string& name, const std::string& text, const IntegerRange& r) {
  const auto value = parse_number<std::int64_t>(name, text, "a whole number");
  SOTTO_REQUIRE_AT(r.low <= value && value <= r.high, place_of(name), "must be {}, got {}",
                   range_text(r), value);
  return value;
}

double parse_in(const std::string& name, std::string_view text, const RealRange& r) {
  const auto value = parse_number<double>(name, text, "a number");
  const bool above = r.open_low ? value > r.low : value >= r.low;
  const bool below = r.open_high ? value < r.high : value <= r.high;
  const std::string range = range_text(r);
  SOTTO_REQUIRE_AT(above && below, place_of(name), "must be {}, got {}",
                   range.empty() ? "a number" : range, text);
  return value;
}

// A number or an optional number: one declaration serves both.
template <class Field>
Json json_of(const Field& field) {
  return Json(field);
}

template <class Number>
Json json_of(const std::optional<Number>& field) {
  return field ? Json(*field) : Json(nullptr);
}

template <class Field>
std::string default_of(const Field& field) {
  return fmt::format("{}", field);
}

template <class Number>
std::string default_of(const std::optional<Number>& field) {
  return field ? fmt::format("{}", *field) : std::string();
}

template <class Field, class Range>
Option number_option(const std::string& name, char letter, Field& field, Range range,
                     const char* value_name, const std::string& help) {
  Option option{name,  letter, value_name, default_of(field), range_text(range), help, false,
                false, {},     {}};
  option.set = [name, range, &field](const std::string& text) {
    field = parse_in(name, text, range);
  };
  option.get = [&field] { return json_of(field); };
  return option;
}

std::string syntax(const Option& option) {
  std::string s = option.letter ? fmt::format("-{}, ", option.letter) : std::string("    ");
  s += "--" + option.name;
  if (!option.is_flag) s += " " + option.value_name;
  return s;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t space = std::min(text.find(' ', start), text.size());
    result.push_back(text.substr(start, space - start));
    start = space + 1;
  }
  return result;
}

std::string notes(const Option& option) {
  std::vector<std::string> parts;
  if (option.required) parts.emplace_back("required");
  if (!option.range_text.empty()) parts.push_back(option.range_text);
  if (!option.default_text.empty()) parts.push_back(fmt::format("default {}", option.default_text));
  return join_text(parts, "; ");
}

bool is_option_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

std::string with_dashes(std::string_view text) {
  std::string spelled;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('`'), text.size());
    spelled += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::string_view rest = text.substr(1);
    const std::size_t close = rest.find('`');
    const std::string_view name =
        close == std::string_view::npos ? std::string_view() : rest.substr(0, close);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_option_letter)) {
      spelled += '`';
      text.remove_prefix(1);
      continue;
    }
    spelled += "--";
    spelled += name;
    text.remove_prefix(close + 2);
  }
  return spelled;
}

void OptionTable::add(Option option) {
  for (const auto& other : options_) {
    SOTTO_REQUIRE(other.name != option.name, "option --{} is declared twice", option.name);
    SOTTO_REQUIRE(option.letter == 0 || other.letter != option.letter,
                  "option -{} is declared twice", option.letter);
  }
  options_.push_back(std::move(option));
}

OptionTable& OptionTable::integer(const std::string& name, char letter, std::int64_t& field,
                                  IntegerRange range, const std::string& help) {
  add(number_option(name, letter, field, range, "N", help));
  return *this;
}

OptionTable& OptionTable::integer(const std::string& name, char letter,
                                  std::optional<std::int64_t>& field, IntegerRange range,
                                  const std::string& help) {
  add(number_option(name, letter, field, range, "N", help));
  return *this;
}

OptionTable& OptionTable::integer_or_auto(const std::string& name, char letter, std::int64_t& field,
                                          bool& automatic, IntegerRange range,
                                          const std::string& help) {
  Option option = number_option(name, letter, field, range, "N|auto", help);
  if (field < range.low) option.default_text.clear();  // nothing is chosen yet
  option.set = [set = option.set, &automatic](const std::string& text) {
    automatic = text == "auto";
    if (!automatic) set(text);
  };
  option.get = [get = option.get, &automatic] { return automatic ? Json("auto") : get(); };
  add(std::move(option));
  return *this;
}

OptionTable& OptionTable::real(const std::string& name, char letter, double& field, RealRange range,
                               const std::string& help) {
  add(number_option(name, letter, field, range, "X", help));
  return *this;
}

OptionTable& OptionTable::real(const std::string& name, char letter, std::optional<double>& field,
                               RealRange range, const std::string& help) {
  add(number_option(name, letter, field, range, "X", help));
  return *this;
}

OptionTable& OptionTable::reals(const std::string& name, std::vector<double>& field,
                                RealRange range, const std::string& help) {
  Option option{name,  0,  "X,X,...", join_text(field, ","), range_text(range), help, false,
                false, {}, {}};
  option.set = [name, range, &field](const std::string& text) {
    std::vector<double> values;
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t comma = std::min(text.find(',', start), text.size());
      values.push_back(parse_in(name, std::string_view(text).substr(start, comma - start), range));
      start = comma + 1;
    }
    field = std::move(values);
  };
  option.get = [&field] { return Json(field); };
  add(std::move(option));
  return *this;
}

OptionTable& OptionTable::text(const std::string& name, char letter, std::string& field,
                               const std::string& value_name, const std::string& help) {
  Option option{name, letter, value_name, field, "", help, false, false, {}, {}};
  option.set = [&field](const std::string& value) { field = value; };
  option.get = [&field] { return Json(field); };
  add(std::move(option));
  return *this;
}

OptionTable& OptionTable::choice(const std::string& name, std::string& field,
                                 const std::vector<std::string>& choices, const std::string& help) {
  return choice_by(
      name, choices, [&field](const std::string& text) { field = text; },
      [&field] { return field; }, help);
}

OptionTable& OptionTable::choice_by(const std::string& name,
                                    const std::vector<std::string>& choices,
                                    std::function<void(const std::string&)> set,
                                    const std::function<std::string()>& get,
                                    const std::string& help) {
  const std::string all = join_text(choices, "|");
  Option option{name, 0, all, get(), "", help, false, false, {}, {}};
  option.set = [name, choices, all, set = std::move(set)](const std::string& value) {
    SOTTO_REQUIRE_AT(std::find(choices.begin(), choices.end(), value) != choices.end(),
                     place_of(name), "must be one of {}, got '{}'", all, value);
    set(value);
  };
  option.get = [get] {
    const std::string chosen = get();
    return chosen.empty() ? Json(nullptr) : Json(chosen);
  };
  add(std::move(option));
  return *this;
}

OptionTable& OptionTable::flag(const std::string& name, bool& field, const std::string& help) {
  Option option{name, 0, "", "", "", help, true, false, {}, {}};
  option.set = [name, &field](const std::string& value) {
    SOTTO_REQUIRE_AT(value == "true" || value == "false", place_of(name),
                     "must be true or false, got '{}'", value);
    field = value == "true";
  };
  option.get = [&field] { return Json(field); };
  add(std::move(option));
  return *this;
}

OptionTable& OptionTable::append(const OptionTable& other) {
  for (const auto& option : other.options_) add(option);
  return *this;
}

Option& OptionTable::find(const std::string& name) {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.name == name; });
  SOTTO_REQUIRE_AT(found != options_.end(), place_of(name), "unknown option");
  return *found;
}

void OptionTable::set(const std::string& name, const std::string& text) { find(name).set(text); }

OptionTable& OptionTable::notice(const std::string& name, bool& given) {
  Option& option = find(name);
  option.set = [set = option.set, &given](const std::string& text) {
    set(text);
    given = true;
  };
  return *this;
}

Json OptionTable::to_json() const {
  auto json = Json::object();
  for (const auto& option : options_) json[option.name] = option.get();
  return json;
}

OptionTable& OptionTable::required() {
  options_.back().required = true;
  options_.back().default_text.clear();
  return *this;
}

std::string OptionTable::help_text(const std::vector<std::string>& names) const {
  constexpr std::size_t kColumn = 28, kWidth = 100;
  std::string text;
  for (const auto& option : options_) {
    if (!names.empty() && std::find(names.begin(), names.end(), option.name) == names.end()) {
      continue;
    }
    const std::string extra = notes(option);
    std::string line = fmt::format("  {:<{}}", syntax(option), kColumn - 2);
    if (line.size() > kColumn) line += "\n" + std::string(kColumn, ' ');
    std::size_t used = kColumn;
    const std::string note = extra.empty() ? "" : fmt::format(" ({})", extra);
    for (const std::string& word : words(with_dashes(option.help) + note)) {
      if (used + word.size() + 1 > kWidth) {
        line += "\n" + std::string(kColumn, ' ');
        used = kColumn;
      }
      line += " " + word;
      used += word.size() + 1;
    }
    text += line + "\n";
  }
  return text;
}

std::string OptionTable::markdown() const {
  std::string text = "| option | meaning | range and default |\n|---|---|---|\n";
  for (const auto& option : options_) {
    std::string cell;
    for (const char c : syntax(option)) {
      if (c == '|') cell += '\\';  // a bare bar would end the cell
      if (c != ' ' || !cell.empty()) cell += c;
    }
    text += fmt::format("| `{}` | {} | {} |\n", cell, with_dashes(option.help), notes(option));
  }
  return text;
}

}  // namespace sotto
