#include "sotto/base/signature.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/system_random.h"

namespace sotto {
namespace {

using Seed = std::array<std::uint8_t, crypto_sign_SEEDBYTES>;

// What goes before the 32 bytes of a key: the DER of PKCS #8 and of SubjectPublicKeyInfo.
constexpr std::array<std::uint8_t, 16> kSecretHead = {
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr std::array<std::uint8_t, 12> kPublicHead = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
constexpr const char* kSecretName = "PRIVATE KEY";
constexpr const char* kPublicName = "PUBLIC KEY";

std::string line_with(const char* word, const char* name) {
  return fmt::format("-----{} {}-----\n", word, name);
}

std::string pem_of(const char* name, std::vector<std::uint8_t> bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), 0);
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kVariant);
  sodium_memzero(bytes.data(), bytes.size());
  text.resize(std::strlen(text.c_str()));
  return line_with("BEGIN", name) + text + "\n" + line_with("END", name);
}

// The key in a PEM text; none where the text is something else.
template <std::size_t Head>
std::optional<Seed> key_in(const std::string& text, const char* name,
                           const std::array<std::uint8_t, Head>& head) {
  const std::string begin = line_with("BEGIN", name), end = line_with("END", name);
  if (!text.starts_with(begin) || !text.ends_with(end)) return std::nullopt;
  std::array<std::uint8_t, Head + crypto_sign_SEEDBYTES> bytes{};
  std::size_t count = 0;
  const std::size_t length = text.size() - begin.size() - end.size();
  const int failed =
      sodium_base642bin(bytes.data(), bytes.size(), text.data() + begin.size(), length, "\n",
                        &count, nullptr, sodium_base64_VARIANT_ORIGINAL);
  const bool right =
      failed == 0 && count == bytes.size() && std::equal(head.begin(), head.end(), bytes.begin());
  Seed key{};
  std::copy_n(bytes.begin() + Head, key.size(), key.begin());
  sodium_memzero(bytes.data(), bytes.size());
  if (!right) return std::nullopt;
  return key;
}

// No key is longer than this.
constexpr std::size_t kLongestFile = 4096;

std::string key_file(const std::string& path) {
  std::error_code failed;
  SOTTO_REQUIRE_AT(std::filesystem::is_regular_file(path, failed), path, "is not a file");
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongestFile, 0);
  file.read(text.data(), std::ssize(text));
  SOTTO_REQUIRE_AT(file.gcount() > 0 || file.eof(), path, "cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::erase(text, '\r');
  return text;
}

// A file that was not there before, with these permissions from its first byte on.
void write_new_file(const std::string& path, const std::string& text, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  SOTTO_REQUIRE_AT(file >= 0 || errno != EEXIST, path, "is there already; a key is never replaced");
  SOTTO_REQUIRE_AT(file >= 0, path, "cannot be made: {}", std::generic_category().message(errno));
  const bool written = ::write(file, text.data(), text.size()) == std::ssize(text) &&
                       ::fchmod(file, mode) == 0 && ::fsync(file) == 0;
  ::close(file);
  if (written) return;
  ::unlink(path.c_str());
  throw Error("cannot be written", path, Fault::system);
}

}  // namespace

struct SigningKey::Secret {
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> bytes;
};

SigningKey::SigningKey() {
  start_sodium();
  secret_ = static_cast<Secret*>(sodium_malloc(sizeof(Secret)));
  if (secret_ == nullptr) throw Error("not enough memory for a key", "", Fault::system);
}

SigningKey::~SigningKey() { sodium_free(secret_); }

std::shared_ptr<const SigningKey> SigningKey::read(const std::string& path) {
  std::string text = key_file(path);
  SOTTO_REQUIRE_AT(text.find(kPublicName) == std::string::npos, path,
                   "is a public key; signing needs the secret one");
  std::optional<Seed> seed = key_in(text, kSecretName, kSecretHead);
  sodium_memzero(text.data(), text.size());
  SOTTO_REQUIRE_AT(seed, path, "is not a key made by sotto keys new");
  struct stat info {};
  const bool closed = ::stat(path.c_str(), &info) == 0 && (info.st_mode & 077) == 0;
  SOTTO_REQUIRE_AT(
      closed, path,
      "can be read by others, so it is no secret; say chmod 600 if nobody has read it");
  std::shared_ptr<SigningKey> key(new SigningKey);
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> unused{};
  crypto_sign_seed_keypair(unused.data(), key->secret_->bytes.data(), seed->data());
  sodium_memzero(seed->data(), seed->size());
  return key;
}

void SigningKey::make(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  SOTTO_REQUIRE(!path.empty(), "a key needs the name of a file");
  SOTTO_REQUIRE_AT(!fs::exists(fs::path(path).parent_path() / "result.json", failed), path,
                   "would be in the folder of a result, which is meant to be given away");
  SOTTO_REQUIRE_AT(!fs::exists(path + ".pub", failed), path + ".pub",
                   "is there already; a key is never replaced");
  start_sodium();
  Seed seed;
  fill_from_system(seed);
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> open{};
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
  crypto_sign_seed_keypair(open.data(), secret.data(), seed.data());
  sodium_memzero(secret.data(), secret.size());
  const auto joined = [](const auto& head, const auto& tail) {
    std::vector<std::uint8_t> bytes(head.begin(), head.end());
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
  };
  std::string text = pem_of(kSecretName, joined(kSecretHead, seed));
  sodium_memzero(seed.data(), seed.size());
  write_new_file(path, text, 0600);
  sodium_memzero(text.data(), text.size());
  try {
    write_new_file(path + ".pub", pem_of(kPublicName, joined(kPublicHead, open)), 0644);
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

std::string SigningKey::sign(std::string_view bytes) const {
  std::string signature(crypto_sign_BYTES, 0);
  crypto_sign_detached(reinterpret_cast<unsigned char*>(signature.data()), nullptr,
                       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                       secret_->bytes.data());
  return signature;
}

PublicKey PublicKey::read(const std::string& path) {
  start_sodium();
  std::string text = key_file(path);
  const bool secret = text.find(kSecretName) != std::string::npos;
  const std::optional<Seed> found = key_in(text, kPublicName, kPublicHead);
  sodium_memzero(text.data(), text.size());
  SOTTO_REQUIRE_AT(!secret, path,
                   "is a secret key, which stays with whoever signs; give the public one, .pub");
  SOTTO_REQUIRE_AT(found, path, "is not a public key made by sotto keys new");
  PublicKey key;
  key.bytes_ = *found;
  return key;
}

bool PublicKey::verifies(std::string_view bytes, std::string_view signature) const {
  return signature.size() == crypto_sign_BYTES &&
         crypto_sign_verify_detached(reinterpret_cast<const unsigned char*>(signature.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     bytes.size(), bytes_.data()) == 0;
}

}  // namespace sotto
