#include "sotto/base/random.h"

#include <bit>
#include <cmath>

namespace sotto {
namespace {

std::uint64_t splitmix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

SeededRandom::SeededRandom(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t mixed = stream;
  std::uint64_t x = seed ^ splitmix(mixed);
  for (auto& word : state_) word = splitmix(x);
}

std::uint64_t SeededRandom::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double SeededRandom::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t SeededRandom::below(std::uint64_t bound) {
  // Reject the few top values that would make the remainder uneven.
  const std::uint64_t reject_from = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t draw = bits();
  while (draw >= reject_from) draw = bits();
  return draw % bound;
}

double SeededRandom::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  // Marsaglia's polar method: two normals from a point in the unit disc.
  double x, y, s;
  do {
    x = 2 * uniform() - 1;
    y = 2 * uniform() - 1;
    s = x * x + y * y;
  } while (s >= 1 || s == 0);
  const double scale = std::sqrt(-2 * std::log(s) / s);
  spare_ = y * scale;
  has_spare_ = true;
  return x * scale;
}

}  // namespace sotto
