// A secret order of records: a uniform permutation from ChaCha20.
//
// Fisher-Yates with exact uniform integers: every order of the records has the same probability, as
// far as ChaCha20's words are uniform. Unlike the key of noise, a seed may be used again: the same
// seed gives the same order, which an interrupted run needs to resume.
// Cost: 8 bytes of memory and one access at random a record.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/keyed_digest.h"

namespace sotto {

struct OrderSeed {
  SecretKey bytes{};
  bool secure = false;

  static OrderSeed from_system() { return {fresh_secret_key(), true}; }
  // For --insecure-seed and for data that is public. It shares no word with the noise of a key made
  // from the same number.
  static OrderSeed insecure_from_seed(std::uint64_t seed);
};

// A permutation of 0..count-1.
std::vector<std::int64_t> secret_permutation(std::int64_t count, const OrderSeed& seed);

}  // namespace sotto
