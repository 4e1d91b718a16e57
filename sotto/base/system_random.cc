#include "sotto/base/system_random.h"

#include <sodium.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kAtOnce = 256;  // so much is given whole, or not at all

[[noreturn]] void refuse() {
  throw Error("the operating system gives no random numbers", "", Fault::system);
}

// libsodium asks for random numbers when it starts, and would end the program where there are none.
// It gets them from here instead, and a refusal is kept for start_sodium(). Keys never come this
// way.
bool was_refused = false;

void fill_for_sodium(void* bytes, std::size_t count) {
  try {
    fill_from_system({static_cast<std::uint8_t*>(bytes), count});
  } catch (const Error&) {
    was_refused = true;
    std::memset(bytes, 0, count);
  }
}

std::uint32_t random_for_sodium() {
  std::uint32_t bits = 0;
  fill_for_sodium(&bits, sizeof bits);
  return bits;
}

bool sodium_starts() {
  static randombytes_implementation source = {
      [] { return "getrandom"; }, random_for_sodium, nullptr, nullptr, fill_for_sodium, nullptr};
  randombytes_set_implementation(&source);
  const bool started = sodium_init() >= 0;
  if (was_refused) refuse();
  return started;
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
