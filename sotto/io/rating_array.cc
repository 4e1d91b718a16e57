#include "sotto/io/rating_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/large_values.h"
#include "sotto/io/npy.h"

namespace sotto {

void read_rating_array(ByteSource& source, const RatingFileOptions& options, const Ratings* known,
                       Ratings& out) {
  const std::pair<const char*, bool> of_columns[] = {
      {"`columns`", !options.columns.empty() && !options.columns_of_model},
      {"`user-column`", !options.user_column.empty()},
      {"`header`", options.header != HeaderLine::automatic},
      {"`time-mode`", options.time_mode != TimeMode::none}};
  for (const auto& [option, is_given] : of_columns) {
    SOTTO_REQUIRE_AT(!is_given, option, "does not work with an array, which has no columns");
  }
  SOTTO_REQUIRE_AT(!options.for_users && options.modes.empty(), "`format`",
                   "an array has no labels of users and items; give ratings as CSV");
  const DenseTensor array = read_npy(source);
  const auto order = static_cast<std::size_t>(array.order());
  const std::size_t modes = std::max<std::size_t>(order, kMinObservedOrder);
  SOTTO_REQUIRE_AT(order >= 2 && order <= kMaxObservedOrder, source.path(),
                   "an array of {} dimensions; 2 to {} are completed", order, kMaxObservedOrder);
  std::vector<Index> dims = array.dims();
  dims.resize(modes, 1);
  SOTTO_REQUIRE_AT(known == nullptr || known->entries.dims == dims, source.path(),
                   "is {}, not {} as {}", shape_text(dims),
                   known == nullptr ? "" : shape_text(known->entries.dims),
                   known == nullptr ? "" : known->path);
  const std::optional<ValueRange> range =
      options.records_are_private ? std::nullopt : options.value_range();
  out.entries = ObservedEntries(dims);
  std::vector<std::int32_t> rows(modes, 0);
  for (Index n = 0; n < array.size(); ++n) {
    const double x = array.values()[n];
    if (std::isnan(x)) continue;
    const auto index = array.index_of(n);
    const bool inside = !range || (x >= range->low && x <= range->high);
    if (!options.positions_only) {
      refuse_large({&x, 1}, largest_value(options.records_are_private), source.path());
    }
    // A plan looks at no value: whether there is one is all it asks.
    SOTTO_REQUIRE_AT(options.positions_only || (std::isfinite(x) && inside), source.path(),
                     "the value at index ({}), counted from 0, is {}", join_text(index, ", "),
                     std::isfinite(x) ? fmt::format("{}, outside `range`", x) : "infinite");
    for (std::size_t m = 0; m < order; ++m) rows[m] = static_cast<std::int32_t>(index[m]);
    out.entries.append(rows, options.positions_only ? 0 : x);
  }
  for (std::size_t m = 0; m < modes; ++m) {
    out.modes.push_back({m < order ? fmt::format("mode {}", m + 1) : "all", true, {}});
  }
}

}  // namespace sotto
