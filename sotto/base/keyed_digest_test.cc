#include "sotto/base/keyed_digest.h"

#include <gtest/gtest.h>

#include <string>

namespace sotto {
namespace {

std::string hex(const KeyedDigest::Value& value) {
  std::string text;
  for (const std::uint8_t byte : value) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

KeyedDigest::Value digest(const SecretKey& key, const std::string& text) {
  KeyedDigest digest(key);
  digest.add(text.data(), text.size());
  return digest.value();
}

// Python: hashlib.blake2b(b"abc", digest_size=32, key=bytes(range(32))).hexdigest()
TEST(KeyedDigest, is_keyed_blake2b) {
  SecretKey key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(hex(digest(key, "abc")),
            "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
}

TEST(KeyedDigest, depends_on_key_and_bytes_and_not_on_how_they_are_cut) {
  const SecretKey key = fresh_secret_key();
  const std::string text(1000, 'x');
  KeyedDigest pieces(key);
  for (std::size_t n = 0; n < text.size(); n += 10) {
    EXPECT_EQ(pieces.value(), digest(key, text.substr(0, n)));
    pieces.add(text.data() + n, 10);
  }
  EXPECT_EQ(pieces.value(), digest(key, text));
  EXPECT_NE(digest(key, text), digest(key, text + 'x'));
  EXPECT_NE(digest(key, text), digest(fresh_secret_key(), text));
}

}  // namespace
}  // namespace sotto
