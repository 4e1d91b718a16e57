#include "sotto/base/keyed_digest.h"

#include <sodium.h>

#include "sotto/base/error.h"

namespace sotto {
namespace {

void require_sodium() {
  if (sodium_init() < 0) {
    throw Error("libsodium cannot reach the randomness of the operating system", "", Fault::system);
  }
}

}  // namespace

SecretKey fresh_secret_key() {
  require_sodium();
  SecretKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

struct KeyedDigest::State {
  crypto_generichash_state blake;
};

KeyedDigest::KeyedDigest(const SecretKey& key) : state_(std::make_unique<State>()) {
  require_sodium();
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
