#include "sotto/release/norm_bound.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr int kPerDoubling = 32;
constexpr int kOneIn = 10;  // one in so many records may be longer than the bound

// Powers of 2^(1/32) in [low, high), and high itself.
std::vector<double> grid_of(const NormRange& range) {
  SOTTO_REQUIRE(range.low > 0 && range.low < range.high && std::isfinite(range.high),
                "a range of norms has 0 < low < high, got {} and {}", range.low, range.high);
  std::vector<double> grid;
  for (auto j = static_cast<int>(std::ceil(kPerDoubling * std::log2(range.low)));; ++j) {
    const double bound = std::exp2(static_cast<double>(j) / kPerDoubling);
    if (bound >= range.high) break;
    grid.push_back(bound);
  }
  grid.push_back(range.high);
  return grid;
}

// The mechanism that costs at most `epsilon`, the charge for its precision included.
ExponentialMechanism mechanism_within(double epsilon, double score_bound) {
  const char* what = "bound on the norm of records";
  const double charge =
      ExponentialMechanism(what, epsilon, 1, score_bound).record().precision.epsilon;
  const double left = epsilon * (1 - 0x1p-44) - charge * (1 + 0x1p-44);
  SOTTO_REQUIRE(left > 0, "epsilon {} is too small to choose a bound on the norm", epsilon);
  return ExponentialMechanism(what, left, 1, score_bound);
}

}  // namespace

std::int64_t norm_search_records(double epsilon, std::int64_t run_records) {
  const double sharp = std::ceil(std::max(2000.0, 1000 / epsilon));
  const std::int64_t most = run_records / 20;
  return static_cast<std::int64_t>(std::max(1.0, std::min(sharp, static_cast<double>(most))));
}

NormTally::NormTally(const NormRange& range)
    : candidates_(grid_of(range)), fits_(candidates_.size() + 1, 0) {}

void NormTally::add(const RecordTotal& counts) {
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    fits_[i] += static_cast<std::int64_t>(counts.sum(0, static_cast<Index>(i)));
  }
  records_ += counts.records;
}

std::vector<double> NormTally::scores() const {
  const std::int64_t allowed = records_ / kOneIn;
  std::vector<double> result(candidates_.size());
  std::int64_t before = records_;  // longer than the previous candidate
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t longer = before - fits_[i];
    const std::int64_t distance = std::max({std::int64_t{0}, longer - allowed, allowed - before});
    result[i] = -static_cast<double>(distance);
    before = longer;
  }
  return result;
}

NormBound::NormBound(const NormSearch& search)
    : search_(search),
      mechanism_(mechanism_within(search.epsilon, static_cast<double>(search.records))) {
  grid_of(search.range);  // refuses a bad range
  SOTTO_REQUIRE(search.records >= 1 && search.records <= std::int64_t{1} << 40,
                "a bound is chosen from 1 to 2^40 records, got {}", search.records);
}

NormTally NormBound::tally(OnePassRecords& records) const {
  NormTally tally(search_.range);
  tally.add(records.sum_next(tally.question(), search_.records));
  SOTTO_REQUIRE_AT(tally.records() == search_.records, records.source().name(),
                   "ended after {} records; the bound on their norm alone needs {}",
                   records.source().position(), search_.records);
  return tally;
}

double NormBound::release(const NormTally& tally, NoiseStream stream) const {
  SOTTO_REQUIRE(tally.records() == search_.records, "planned for {} records, got {}",
                search_.records, tally.records());
  return tally.candidates()[mechanism_.release(tally.scores(), std::move(stream))];
}

}  // namespace sotto
