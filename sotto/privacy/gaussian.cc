#include "sotto/privacy/gaussian.h"

#include <array>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

using Shape = IntegerZiggurat::Shape;

// `rounding_charge` bounds in L2 what the rounding of sums and grid adds to the distance of two
// neighbours.
ReleaseRecord gaussian_record(std::string what, double sensitivity, double noise,
                              std::int64_t count, double rounding_charge) {
  const double charged = (sensitivity + rounding_charge) * kRoundUp;
  const double mu = charged / noise * kRoundUp;
  const auto n = static_cast<double>(count);
  // A neighbour's release lies out of reach if some noise passes the reach less the shift mu.
  const double gap = std::max(0.0, IntegerZiggurat::kGaussianReach - mu);
  PrecisionCharge precision{2 * n * IntegerZiggurat::kRelativeError,
                            std::min(1.0, n * std::erfc(gap / std::sqrt(2.0)) * kRoundUp)};
  return {std::move(what), "gaussian", charged, noise, 1, GaussianCost{mu}, precision, "", count};
}

// The multiplicities of the unique entries of a symmetric tensor, by order.
std::vector<double> multiplicities(int order) {
  if (order == 2) return {1, 2};
  if (order == 3) return {1, 3, 6};
  return {1, 4, 6, 12, 24};
}

std::int64_t symmetric_count_of(std::int64_t n, int order) {
  const std::int64_t pairs = n * (n + 1) / 2;
  if (order == 2) return pairs;
  return order == 3 ? n * (n + 1) * (n + 2) / 6 : pairs * ((n + 2) * (n + 3) / 2) / 6;
}

// Walks the indices of packed entries in lexicographic order.
struct PackedIndex {
  std::int64_t d = 0;
  int order = 0;
  std::array<std::int64_t, 4> at{};  // not falling; lower orders use the last ones

  // How many entries of this order have their first index in from..i-1, all indices >= from.
  static std::int64_t before(std::int64_t i, std::int64_t from, std::int64_t d, int order) {
    const auto tail = [&](std::int64_t n) { return order == 1 ? n : symmetric_count_of(n, order); };
    return tail(d - from) - tail(d - i);
  }

  void seek(std::int64_t rank) {
    std::int64_t from = 0;
    for (int o = order; o >= 1; --o) {
      std::int64_t low = from, high = d - 1;  // the last i with before(i) <= rank
      while (low < high) {
        const std::int64_t middle = (low + high + 1) / 2;
        if (before(middle, from, d, o) <= rank) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      rank -= before(low, from, d, o);
      from = at[4 - o] = low;
    }
  }

  // Position of this entry's multiplicity in multiplicities(order).
  int kind() const {
    if (order < 4) return (at[2] != at[3]) + (order == 3 && at[1] != at[2]);
    const bool a = at[0] != at[1], b = at[1] != at[2], c = at[2] != at[3];
    const int different = a + b + c;
    if (different != 1) return different == 0 ? 0 : different + 1;
    return b ? 2 : 1;  // two pairs; three and one
  }

  void next() {
    int a = 3;
    while (a > 4 - order && at[a] == d - 1) --a;
    const std::int64_t index = ++at[a];
    for (int b = a + 1; b < 4; ++b) at[b] = index;
  }
};

// Grid fine enough for the smallest of the standard deviations.
Grid symmetric_grid(double standard_deviation, int order) {
  return Grid::under(standard_deviation / std::sqrt(multiplicities(order).back()));
}

std::vector<IntegerZiggurat> symmetric_noise(double steps, int order) {
  std::vector<IntegerZiggurat> noise;
  for (const double m : multiplicities(order)) {
    noise.emplace_back(Shape::gaussian, steps / std::sqrt(m));
  }
  return noise;
}

}  // namespace

GaussianMechanism::GaussianMechanism(std::string what, double sensitivity,
                                     double standard_deviation, std::int64_t count,
                                     double value_error)
    : BlockMechanism(Grid::under(standard_deviation)),
      noise_(Shape::gaussian, standard_deviation / grid_.step()) {
  require_claim(sensitivity, value_error, count);
  const double rounding_charge = 2 * value_error + grid_.step() * std::sqrt(double(count));
  record_ =
      gaussian_record(std::move(what), sensitivity, standard_deviation, count, rounding_charge);
  variance_ = standard_deviation * standard_deviation;
}

void GaussianMechanism::add_noise(std::span<const double> value, const NoiseStream& stream,
                                  std::span<double> out) const {
  release_on_grid(grid_, noise_, stream, value, out);
}

std::int64_t symmetric_count(std::int64_t d, int order) {
  SOTTO_REQUIRE(order >= 2 && order <= 4, "symmetric noise has order 2, 3 or 4, got {}", order);
  const std::int64_t largest = std::int64_t{1} << (order == 2 ? 31 : order == 3 ? 20 : 15);
  SOTTO_REQUIRE(d >= 1 && d <= largest, "the dimension must lie in 1..{}, got {}", largest, d);
  return symmetric_count_of(d, order);
}

SymmetricGaussianMechanism::SymmetricGaussianMechanism(std::string what, double sensitivity,
                                                       double standard_deviation,
                                                       std::int64_t dimension, int order,
                                                       double value_error)
    : BlockMechanism(symmetric_grid(standard_deviation, order)),
      dimension_(dimension),
      order_(order),
      noise_(symmetric_noise(standard_deviation / grid_.step(), order)) {
  const std::int64_t count = symmetric_count(dimension, order);
  require_claim(sensitivity, value_error, count);
  // In Frobenius norm every one of the d^order entries moves by at most a step.
  const double entries = std::pow(double(dimension), order);
  const double rounding_charge = 2 * value_error + grid_.step() * std::sqrt(entries);
  record_ =
      gaussian_record(std::move(what), sensitivity, standard_deviation, count, rounding_charge);
  variance_ = standard_deviation * standard_deviation;
  record_.note = "symmetric, in isometric coordinates";
}

void SymmetricGaussianMechanism::add_noise(std::span<const double> packed,
                                           const NoiseStream& stream, std::span<double> out) const {
  for_each_chunk(stream, packed.size(), [&](WordSource& words, std::size_t begin, std::size_t end) {
    PackedIndex index{dimension_, order_};
    index.seek(static_cast<std::int64_t>(begin));
    for (std::size_t e = begin; e < end; ++e, index.next()) {
      out[e] = grid_.add(packed[e], noise_[index.kind()].draw(words));
    }
  });
}

}  // namespace sotto
