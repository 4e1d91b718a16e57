#include "sotto/complete/fit/bi_scaling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// A row or column within a slice, numbered.
std::uint64_t line_key(const ObservedEntries& entries, Index mode, Index entry) {
  const auto line = static_cast<std::uint32_t>(entries.row(mode, entry));
  const auto slice = static_cast<std::uint32_t>(entries.row(2, entry));
  return (static_cast<std::uint64_t>(line) << 32) | slice;
}

constexpr std::uint64_t line_key(double line, double slice) {
  return (static_cast<std::uint64_t>(line) << 32) | static_cast<std::uint64_t>(slice);
}

constexpr double kFewest = 3;  // entries of a line that is scaled

struct Sums {
  double value = 0, weight = 0, square = 0, count = 0;
};

}  // namespace

BiScaling::BiScaling(const ObservedEntries& entries, Index sweeps) {
  SOTTO_REQUIRE(entries.order() == 3, "bi-scaling takes tensors of order 3, got order {}",
                entries.order());
  const auto n = static_cast<double>(entries.size());
  mean_ = std::accumulate(entries.value.begin(), entries.value.end(), 0.0) / n;
  double square = 0;
  for (const double x : entries.value) square += (x - mean_) * (x - mean_);
  if (square > 0) deviation_ = std::sqrt(square / n);
  for (Index s = 0; s < sweeps; ++s) {
    sweep(entries, 0);
    sweep(entries, 1);
  }
}

// The shift of a line makes its scaled values sum to 0, then its scale makes their squares sum to
// their number.
void BiScaling::sweep(const ObservedEntries& entries, Index mode) {
  const Index across = 1 - mode;
  std::unordered_map<std::uint64_t, Sums> sums;
  const auto standardised = [&](Index e) { return (entries.at(e) - mean_) / deviation_; };
  for (Index e = 0; e < entries.size(); ++e) {
    const Affine other = lines_[across][line_key(entries, across, e)];
    Sums& s = sums[line_key(entries, mode, e)];
    s.value += (standardised(e) - other.shift) / other.scale;
    s.weight += 1 / other.scale;
    s.count += 1;
  }
  std::erase_if(sums, [](const auto& line) { return line.second.count < kFewest; });
  for (const auto& [key, s] : sums) lines_[mode][key].shift = s.value / s.weight;
  for (Index e = 0; e < entries.size(); ++e) {
    const auto line = sums.find(line_key(entries, mode, e));
    if (line == sums.end()) continue;
    const Affine other = lines_[across][line_key(entries, across, e)];
    const double z =
        (standardised(e) - lines_[mode][line->first].shift - other.shift) / other.scale;
    line->second.square += z * z;
  }
  for (const auto& [key, s] : sums) {
    if (s.square > 1e-12 * s.count) lines_[mode][key].scale = std::sqrt(s.square / s.count);
  }
}

BiScaling::Place BiScaling::place(const ObservedEntries& entries, Index entry) const {
  Place found;
  if (const auto at = lines_[0].find(line_key(entries, 0, entry)); at != lines_[0].end()) {
    found.row = at->second;
  }
  if (const auto at = lines_[1].find(line_key(entries, 1, entry)); at != lines_[1].end()) {
    found.column = at->second;
  }
  return found;
}

ObservedEntries BiScaling::scaled(const ObservedEntries& entries) const {
  ObservedEntries result = entries;
  for (Index e = 0; e < entries.size(); ++e) {
    const Place p = place(entries, e);
    const double y = (entries.at(e) - mean_) / deviation_;
    result.value[static_cast<std::size_t>(e)] =
        (y - p.row.shift - p.column.shift) / (p.row.scale * p.column.scale);
  }
  return result;
}

double BiScaling::restore(const ObservedEntries& entries, Index entry, double x) const {
  const Place p = place(entries, entry);
  const double y = x * p.row.scale * p.column.scale + p.row.shift + p.column.shift;
  return mean_ + deviation_ * y;
}

BiScaling::Numbers BiScaling::numbers() const {
  Numbers all{mean_, deviation_, {}};
  for (const std::size_t m : {0, 1}) {
    std::vector<std::uint64_t> keys;
    for (const auto& [key, line] : lines_[m]) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    all.lines[m].resize(std::ssize(keys), 4);
    for (Index n = 0; n < std::ssize(keys); ++n) {
      const std::uint64_t key = keys[static_cast<std::size_t>(n)];
      const Affine line = lines_[m].at(key);
      all.lines[m].row(n) << double(key >> 32), double(key & 0xffffffff), line.shift, line.scale;
    }
  }
  return all;
}

BiScaling::BiScaling(const Numbers& numbers) : mean_(numbers.mean), deviation_(numbers.deviation) {
  for (const std::size_t m : {0, 1}) {
    const Matrix& lines = numbers.lines[m];
    SOTTO_REQUIRE(lines.cols() == 4, "a line of a scaling has 4 numbers, got {}", lines.cols());
    for (Index n = 0; n < lines.rows(); ++n) {
      SOTTO_REQUIRE(lines(n, 0) >= 0 && lines(n, 0) < 0x1p31 && lines(n, 1) >= 0 &&
                        lines(n, 1) < 0x1p31 && lines(n, 3) > 0,
                    "line {} of a scaling is none", n + 1);
      lines_[m][line_key(lines(n, 0), lines(n, 1))] = {lines(n, 2), lines(n, 3)};
    }
  }
}

}  // namespace sotto
