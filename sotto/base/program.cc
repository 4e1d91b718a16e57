#include "sotto/base/program.h"

#include <elf.h>
#include <fmt/chrono.h>
#include <link.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "sotto/base/hexadecimal.h"

namespace sotto {
namespace {

constexpr std::size_t rounded_to_4(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

// The identifier among the notes of a segment; empty: none.
std::string id_among(const std::uint8_t* notes, std::size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof(head));
    const std::size_t name = sizeof(head), content = name + rounded_to_4(head.n_namesz);
    const std::size_t whole = content + rounded_to_4(head.n_descsz);
    if (whole > size) return "";
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      return hexadecimal(notes + content, head.n_descsz);
    }
    notes += whole;
    size -= whole;
  }
  return "";
}

// Whether an object that is loaded holds the code of this file.
bool holds_this_code(const dl_phdr_info& object) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&build_id);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && here >= begin && here < begin + segment.p_memsz) return true;
  }
  return false;
}

int look_at(dl_phdr_info* object, std::size_t, void* found) {
  if (!holds_this_code(*object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // An address is a number in the interface of the loader.
    const auto* notes =  // NOLINTNEXTLINE(performance-no-int-to-ptr)
        reinterpret_cast<const std::uint8_t*>(object->dlpi_addr + segment.p_vaddr);
    const std::string id = id_among(notes, segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(found) = id;
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string found;
  dl_iterate_phdr(look_at, &found);
  return found;
}

std::string today() {
  std::time_t now = std::time(nullptr);
  // Nobody in this program sets variables.
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) {
    constexpr std::time_t kYear10000 = 253402300800;
    std::time_t seconds = 0;
    const auto [end, fault] = std::from_chars(fixed, fixed + std::strlen(fixed), seconds);
    if (fault == std::errc() && *end == 0 && seconds >= 0 && seconds < kYear10000) now = seconds;
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

}  // namespace sotto
