#include "cli/private_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "sotto/io/same_file.h"

namespace sotto::cli {

void require_public(const Companions& companions, const std::string& protected_path) {
  for (const Companion& companion : companions) {
    SOTTO_REQUIRE_AT(
        companion.path.empty() || !same_file(companion.path, protected_path), companion.option,
        "must be a public file; {} is the file that this run protects", companion.path);
  }
}

void name_companions(Certificate& certificate, const Companions& companions) {
  for (const Companion& companion : companions) {
    if (companion.path.empty()) continue;
    certificate.statement.public_facts.push_back(
        fmt::format("the file of {}, {}", companion.option, companion.path));
  }
}

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
