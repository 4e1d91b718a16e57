// Names of any kind, numbered 0, 1, .. in the order in which they first appear.
//
// Open addressing over one string that holds all names: about 30 ns per look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

class LabelTable {
 public:
  LabelTable();

  // The number of `label`; a new label gets the next one.
  std::int32_t add(std::string_view label);
  // -1 when `label` is not in the table.
  std::int32_t find(std::string_view label) const;

  // Sorts the labels by their text alone: labels of digits first, by their number and then their
  // bytes, all others by their bytes. Returns the old numbers in the new order.
  std::vector<std::int32_t> sort();

  Index size() const { return static_cast<Index>(end_.size()) - 1; }
  std::string_view label(Index number) const;

 private:
  std::size_t slot_of(std::string_view label) const;  // where it is, or would be
  void grow();

  std::string text_;
  std::vector<std::size_t> end_ = {0};  // label n is text_[end_[n] .. end_[n+1])
  std::vector<std::int32_t> slots_;     // a power of two of them; -1 is free
};

}  // namespace sotto
