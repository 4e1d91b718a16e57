// The option table: an option is declared once, bound to the field that holds it, and the command
// line, the help text, the range check, the JSON form and the manual all come from that one line.
//
//   OptionTable PowerOptions::table() {
//     return OptionTable().integer("starts", 'L', starts, {1, 100000}, "random starts a
//     component");
//   }
//
// The default shown to users is whatever the field holds when the table is made. A table borrows
// its fields: the struct must outlive it and must not be moved while it is in use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// `max-norm` as the command line spells it, --max-norm, everywhere in a message or a help text.
std::string with_dashes(std::string_view text);

struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

// Bounds are inclusive unless `open_low` / `open_high` is set; NaN is never inside.
struct RealRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;
  bool open_high = false;
};

struct Option {
  std::string name;          // without the dashes
  char letter = 0;           // short form, or 0
  std::string value_name;    // "N", "X", "FILE", "a|b"; empty for a flag
  std::string default_text;  // empty when there is none
  std::string range_text;    // "1 to 100000"; empty when anything goes
  std::string help;
  bool is_flag = false;
  bool required = false;
  std::function<void(const std::string&)> set;  // parses, checks the range, stores
  std::function<nlohmann::ordered_json()> get;
};

class OptionTable {
 public:
  OptionTable& integer(const std::string& name, char letter, std::int64_t& field,
                       IntegerRange range, const std::string& help);
  OptionTable& integer(const std::string& name, char letter, std::optional<std::int64_t>& field,
                       IntegerRange range, const std::string& help);
  // A number, or the word auto, which sets `automatic`.
  OptionTable& integer_or_auto(const std::string& name, char letter, std::int64_t& field,
                               bool& automatic, IntegerRange range, const std::string& help);
  OptionTable& real(const std::string& name, char letter, double& field, RealRange range,
                    const std::string& help);
  OptionTable& real(const std::string& name, char letter, std::optional<double>& field,
                    RealRange range, const std::string& help);
  OptionTable& reals(const std::string& name, std::vector<double>& field, RealRange range,
                     const std::string& help);  // comma separated
  OptionTable& text(const std::string& name, char letter, std::string& field,
                    const std::string& value_name, const std::string& help);
  OptionTable& choice(const std::string& name, std::string& field,
                      const std::vector<std::string>& choices, const std::string& help);
  // A field of an enum whose names base/enum_names.h knows; `allowed`, when not empty, are the only
  // values this table takes.
  template <NamedEnum E>
  OptionTable& choice(const std::string& name, E& field, const std::string& help,
                      std::initializer_list<E> allowed = {}) {
    std::vector<std::string> names;
    for (const auto& [value, text] : enum_names(E{})) {
      const bool taken =
          allowed.size() == 0 || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
      if (taken) names.emplace_back(text);
    }
    return choice_by(
        name, names, [&field](const std::string& text) { field = *value_named<E>(text); },
        [&field] { return std::string(name_of(field)); }, help);
  }
  // The same for an optional field, whose default depends on other options.
  template <NamedEnum E>
  OptionTable& choice(const std::string& name, std::optional<E>& field, const std::string& help) {
    std::vector<std::string> names;
    for (const auto& [value, text] : enum_names(E{})) names.emplace_back(text);
    return choice_by(
        name, names, [&field](const std::string& text) { field = *value_named<E>(text); },
        [&field] { return field ? std::string(name_of(*field)) : std::string(); }, help);
  }
  OptionTable& flag(const std::string& name, bool& field, const std::string& help);
  OptionTable& append(const OptionTable& other);
  // Sets `given` when the user gives this option, with any value: for defaults that depend on other
  // options.
  OptionTable& notice(const std::string& name, bool& given);
  OptionTable& required();  // the option added last must be given; its field's value is no default

  const std::vector<Option>& options() const { return options_; }

  // Throws Error at "`name`" when the name is unknown, the text does not parse or is out of range.
  void set(const std::string& name, const std::string& text);
  nlohmann::ordered_json to_json() const;

  // Wrapped at 100 columns, for a terminal: all options, or those with these names.
  std::string help_text(const std::vector<std::string>& names = {}) const;
  std::string markdown() const;  // a table, for the manual

 private:
  // `get` gives an empty text for what has not been chosen.
  OptionTable& choice_by(const std::string& name, const std::vector<std::string>& choices,
                         std::function<void(const std::string&)> set,
                         const std::function<std::string()>& get, const std::string& help);
  void add(Option option);
  Option& find(const std::string& name);

  std::vector<Option> options_;
};

}  // namespace sotto
