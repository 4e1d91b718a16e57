#include "sotto/base/system_random.h"

#include <sodium.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kAtOnce = 256;  // so much is given whole, or not at all

[[noreturn]] void refuse() {
  throw Error("the operating system gives no random numbers", "", Fault::system);
}

bool sodium_starts() {
  std::array<std::uint8_t, 16> tried{};  // libsodium would not return
  fill_from_system(tried);
  return sodium_init() >= 0;
}

}  // namespace

void fill_from_system(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), std::min(bytes.size(), kAtOnce), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) refuse();
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void start_sodium() {
  static const bool started = sodium_starts();
  if (!started) refuse();
}

}  // namespace sotto
