#include "sotto/base/keyed_digest.h"

#include <sodium.h>

#include "sotto/base/system_random.h"

namespace sotto {

SecretKey fresh_secret_key() {
  SecretKey key;
  fill_from_system(key);
  return key;
}

struct KeyedDigest::State {
  crypto_generichash_state blake;
};

KeyedDigest::KeyedDigest(const SecretKey& key) : state_(std::make_unique<State>()) {
  start_sodium();
  crypto_generichash_init(&state_->blake, key.data(), key.size(), Value().size());
}

KeyedDigest::~KeyedDigest() = default;
KeyedDigest::KeyedDigest(KeyedDigest&&) noexcept = default;
KeyedDigest& KeyedDigest::operator=(KeyedDigest&&) noexcept = default;

void KeyedDigest::add(const void* bytes, std::size_t count) {
  crypto_generichash_update(&state_->blake, static_cast<const unsigned char*>(bytes), count);
}

KeyedDigest::Value KeyedDigest::value() const {
  State copy = *state_;  // the final step ends a state
  Value value;
  crypto_generichash_final(&copy.blake, value.data(), value.size());
  return value;
}

}  // namespace sotto
