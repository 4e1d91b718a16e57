#include "sotto/release/record_options.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "sotto/base/error.h"

namespace sotto {

OptionTable RecordPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return target_table(
             "make the result differentially private, with at most this epsilon for each record; "
             "`method`, `starts` and `iterations` that are not given are then chosen for it",
             "delta of the guarantee; `epsilon` needs it")
      .real("max-norm", 0, max_norm, {0, kInfinity, true, true},
            "public bound: longer records are shortened to this norm; `epsilon` needs it, or "
            "`norm-range`")
      .text("norm-range", 0, norm_range, "LO:HI",
            "instead of `max-norm`: choose the bound privately between two public numbers (stream: "
            "from the first records, which are then not used again; mixture: for a twentieth of "
            "epsilon)");
}

void RecordPrivacyOptions::check() const {
  check_target({{"`max-norm`", max_norm.has_value()}, {"`norm-range`", !norm_range.empty()}});
  if (!asked()) return;
  require_delta_given();
  SOTTO_REQUIRE_AT(max_norm || !norm_range.empty(), "`epsilon`",
                   "needs `max-norm`, a bound on the norm of a record that is not read off the "
                   "data, or `norm-range` LO:HI to choose one privately");
  SOTTO_REQUIRE_AT(!max_norm || norm_range.empty(), "`norm-range`",
                   "does not work with `max-norm`: the bound is either given or chosen privately");
  norm();
}

RecordNorm RecordPrivacyOptions::norm() const {
  if (max_norm) return *max_norm;
  const std::size_t colon = norm_range.find(':');
  NormRange range{};
  const char* end = norm_range.data() + norm_range.size();
  bool good = colon != std::string::npos;
  if (good) {
    const char* middle = norm_range.data() + colon;
    const auto low = std::from_chars(norm_range.data(), middle, range.low);
    const auto high = std::from_chars(middle + 1, end, range.high);
    good = low.ec == std::errc() && low.ptr == middle && high.ec == std::errc() && high.ptr == end;
  }
  // Far from where a power of a norm overflows or a square vanishes.
  good = good && 1e-60 <= range.low && range.low < range.high && range.high <= 1e60;
  SOTTO_REQUIRE_AT(good, "`norm-range`",
                   "must be two positive numbers in order, LO:HI, say 0.01:100; got '{}'",
                   norm_range);
  return range;
}

void RecordPrivacyOptions::set_norm(const RecordNorm& norm) {
  max_norm.reset();
  norm_range.clear();
  if (const auto* range = std::get_if<NormRange>(&norm)) {
    norm_range = fmt::format("{}:{}", range->low, range->high);
  } else {
    max_norm = std::get<double>(norm);
  }
}

}  // namespace sotto
