#include "sotto/privacy/permutation.h"

#include <numeric>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/privacy/secure_stream.h"
#include "sotto/privacy/uniform.h"

namespace sotto {

OrderSeed OrderSeed::insecure_from_seed(std::uint64_t seed) {
  OrderSeed order;
  for (int i = 0; i < 8; ++i) order.bytes[i] = static_cast<std::uint8_t>(seed >> (8 * i));
  order.bytes[8] = 1;  // zero in a key of noise
  return order;
}

std::vector<std::int64_t> secret_permutation(std::int64_t count, const OrderSeed& seed) {
  SOTTO_REQUIRE(count >= 0, "an order of {} records", count);
  // "Insecure" only as a key of noise, which must never be made a second time.
  const NoiseStream stream = NoiseKey::insecure_from_bytes(seed.bytes).open_stream();
  WordSource words(stream, 0);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  // Each place from the last on gets one of those not yet placed, all equally likely.
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[uniform_below(i, words)]);
  }
  return order;
}

}  // namespace sotto
