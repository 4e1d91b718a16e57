// Bytes as hexadecimal digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto {

inline std::string hexadecimal(const std::uint8_t* bytes, std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text;
}

}  // namespace sotto
