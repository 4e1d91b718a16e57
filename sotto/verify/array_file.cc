#include "sotto/verify/array_file.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace sotto::verify {
namespace {

// The numbers between the parentheses after 'shape'.
std::optional<std::vector<std::int64_t>> shape_in(const std::string& header) {
  const std::size_t key = header.find("'shape'");
  const std::size_t open = header.find('(', key == std::string::npos ? header.size() : key);
  const std::size_t close = header.find(')', open == std::string::npos ? header.size() : open);
  if (close == std::string::npos) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const char* at = header.data() + open + 1; at < header.data() + close;) {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(at, header.data() + close, value);
    if (fault == std::errc()) {
      if (value < 1 || value > (std::int64_t{1} << 40)) return std::nullopt;
      shape.push_back(value);
    }
    at = end == at ? at + 1 : end;
  }
  return shape;
}

}  // namespace

std::optional<Array> parse_array(const std::string& bytes) {
  constexpr std::size_t kStart = 10;
  if (bytes.size() < kStart || std::memcmp(bytes.data(), "\x93NUMPY\x01\x00", 8) != 0) {
    return std::nullopt;
  }
  const std::size_t length = static_cast<unsigned char>(bytes[8]) +
                             256 * std::size_t{static_cast<unsigned char>(bytes[9])};
  if (bytes.size() < kStart + length) return std::nullopt;
  const std::string header = bytes.substr(kStart, length);
  const bool known = header.find("'<f8'") != std::string::npos &&
                     header.find("'fortran_order': False") != std::string::npos;
  std::optional<std::vector<std::int64_t>> shape = shape_in(header);
  if (!known || !shape) return std::nullopt;
  std::size_t count = 1;
  for (const std::int64_t d : *shape) {
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(d), &count)) return std::nullopt;
  }
  const std::size_t rest = bytes.size() - kStart - length;
  if (rest % sizeof(double) != 0 || rest / sizeof(double) != count) return std::nullopt;
  Array array{std::move(*shape), std::vector<double>(count)};
  std::memcpy(array.values.data(), bytes.data() + kStart + length, rest);
  for (const double x : array.values) {
    if (!std::isfinite(x)) return std::nullopt;
  }
  return array;
}

}  // namespace sotto::verify
