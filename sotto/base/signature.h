// Signatures of published files: Ed25519 (libsodium), with keys in the PEM form of RFC 8410, so
// that `openssl pkeyutl -verify -pubin -inkey KEY.pub -rawin -in FILE -sigfile FILE.sig` checks
// one, too.
//
// A secret key is read from a file that only its owner can read, kept out of the way of swap and
// core dumps where the system allows, and wiped at the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sotto/base/between_libraries.h"

namespace SOTTO_BETWEEN_LIBRARIES sotto {

class SigningKey {
 public:
  // Refuses what is no secret key, and a file that others can read.
  static std::shared_ptr<const SigningKey> read(const std::string& path);
  // Writes a new key to `path`, readable by its owner alone, and its public half to `path`.pub.
  // Refuses to replace a file, and to put a key into the folder of a result.
  static void make(const std::string& path);

  ~SigningKey();
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;

  std::string sign(std::string_view bytes) const;  // 64 bytes

 private:
  SigningKey();
  struct Secret;
  Secret* secret_;
};

class PublicKey {
 public:
  // Refuses what is no public key; a secret one above all.
  static PublicKey read(const std::string& path);
  bool verifies(std::string_view bytes, std::string_view signature) const;

 private:
  std::array<std::uint8_t, 32> bytes_{};
};

}  // namespace sotto
