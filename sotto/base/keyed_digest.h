// A fingerprint of bytes that only the holder of a key can make or check: keyed BLAKE2b
// (libsodium's crypto_generichash). Two inputs with the same fingerprint cannot be found. About 1
// GB/s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace sotto {

using SecretKey = std::array<std::uint8_t, 32>;

// Drawn from the operating system; Fault::system when it gives no randomness.
SecretKey fresh_secret_key();

class KeyedDigest {
 public:
  using Value = std::array<std::uint8_t, 32>;

  explicit KeyedDigest(const SecretKey& key);
  ~KeyedDigest();
  KeyedDigest(KeyedDigest&&) noexcept;
  KeyedDigest& operator=(KeyedDigest&&) noexcept;

  void add(const void* bytes, std::size_t count);
  // The digest of everything added so far; more can be added afterwards.
  Value value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sotto
