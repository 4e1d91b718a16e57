// An .npy file of doubles, read by no code that wrote it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sotto::verify {

struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // last index fastest

  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * (shape.size() > 1 ? shape[1] : 1) + column)];
  }
};

// None where the bytes are no such array, or hold more or less than the shape says.
std::optional<Array> parse_array(const std::string& bytes);

}  // namespace sotto::verify
