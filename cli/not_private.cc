#include "cli/not_private.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace sotto::cli {

void say_not_private(const std::string& what, bool json) {
  std::FILE* stream = json ? stderr : stdout;
  const bool terminal = ::isatty(::fileno(stream)) == 1;
  if (json && !terminal) return;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has been started yet.
  const bool colour = terminal && std::getenv("NO_COLOR") == nullptr;
  fmt::print(stream, "{}not private{}: {}\n", colour ? "\x1b[1;33m" : "", colour ? "\x1b[0m" : "",
             what);
  std::fflush(stream);
}

}  // namespace sotto::cli
