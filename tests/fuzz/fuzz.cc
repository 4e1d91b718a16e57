// libFuzzer over one target: SOTTO_FUZZ=ratings build/fuzz/fuzz CORPUS (see scripts/fuzz.py).
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto::fuzz;
  static const Target* target = [] {
    const char* wanted = std::getenv("SOTTO_FUZZ");
    for (const Target& known : all_targets()) {
      if (wanted != nullptr && known.name == wanted) return &known;
    }
    std::abort();
  }();
  if (size <= kMostBytes) try_input(*target, {reinterpret_cast<const char*>(data), size});
  return 0;
}
