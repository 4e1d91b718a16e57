#include "sotto/tensor/label_table.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {

namespace {

bool comes_before(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const bool number = is_number(a);
  if (number != is_number(b)) return number;
  return number && a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

LabelTable::LabelTable() : slots_(16, -1) {}

std::string_view LabelTable::label(Index number) const {
  const auto n = static_cast<std::size_t>(number);
  return std::string_view(text_).substr(end_[n], end_[n + 1] - end_[n]);
}

std::size_t LabelTable::slot_of(std::string_view wanted) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = std::hash<std::string_view>{}(wanted)&mask;
  while (slots_[at] >= 0 && label(slots_[at]) != wanted) at = (at + 1) & mask;
  return at;
}

std::int32_t LabelTable::find(std::string_view wanted) const { return slots_[slot_of(wanted)]; }

std::int32_t LabelTable::add(std::string_view wanted) {
  std::size_t at = slot_of(wanted);
  if (slots_[at] >= 0) return slots_[at];
  SOTTO_REQUIRE(size() < std::numeric_limits<std::int32_t>::max(), "more than 2^31 - 1 names");
  if (2 * end_.size() > slots_.size()) {  // at most half full
    grow();
    at = slot_of(wanted);
  }
  text_ += wanted;
  end_.push_back(text_.size());
  return slots_[at] = static_cast<std::int32_t>(size() - 1);
}

std::vector<std::int32_t> LabelTable::sort() {
  std::vector<std::int32_t> order(static_cast<std::size_t>(size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return comes_before(label(a), label(b)); });
  LabelTable sorted;
  for (const std::int32_t n : order) sorted.add(label(n));
  *this = std::move(sorted);
  return order;
}

void LabelTable::grow() {
  slots_.assign(2 * slots_.size(), -1);
  for (Index n = 0; n < size(); ++n) slots_[slot_of(label(n))] = static_cast<std::int32_t>(n);
}

}  // namespace sotto
