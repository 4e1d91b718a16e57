#include "sotto/base/digest.h"

#include <sodium.h>

#include <array>
#include <fstream>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/hexadecimal.h"
#include "sotto/base/system_random.h"

namespace sotto {
namespace {

class OpenDigest {
 public:
  OpenDigest() {
    start_sodium();
    crypto_generichash_init(&state_, nullptr, 0, kBytes);
  }
  void add(std::string_view bytes) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  }
  std::string end() {
    std::array<unsigned char, kBytes> value{};
    crypto_generichash_final(&state_, value.data(), value.size());
    return hexadecimal(value.data(), value.size());
  }

 private:
  static constexpr std::size_t kBytes = 32;
  crypto_generichash_state state_{};
};

}  // namespace

std::string digest_of(std::string_view bytes) {
  OpenDigest digest;
  digest.add(bytes);
  return digest.end();
}

FileDigest digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  OpenDigest digest;
  FileDigest found;
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), std::ssize(block)) || file.gcount() > 0) {
    digest.add({block.data(), static_cast<std::size_t>(file.gcount())});
    found.bytes += static_cast<std::uint64_t>(file.gcount());
  }
  if (!file.eof()) throw Error("cannot be read", path, Fault::system);
  found.blake2b = digest.end();
  return found;
}

}  // namespace sotto
