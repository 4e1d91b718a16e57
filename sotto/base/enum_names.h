// The names of an enum's values, declared once beside it:
//
//   enum class PowerForm { robust, simultaneous };
//   constexpr auto enum_names(PowerForm) {
//     return std::to_array<EnumName<PowerForm>>(
//         {{PowerForm::robust, "power"}, {PowerForm::simultaneous, "simultaneous"}});
//   }
//
// Option tables, JSON and messages spell a value by name_of; value_named reads one.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

template <class E>
struct EnumName {
  E value;
  std::string_view name;
};

// enum_names is found in the namespace of the enum.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
  { enum_names(value)[0] } -> std::convertible_to<const EnumName<E>&>;
};

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  for (const auto& [each, name] : enum_names(value)) {
    if (each == value) return name;
  }
  return "";
}

template <NamedEnum E>
constexpr std::optional<E> value_named(std::string_view name) {
  for (const auto& [value, each] : enum_names(E{})) {
    if (each == name) return value;
  }
  return std::nullopt;
}

}  // namespace sotto
