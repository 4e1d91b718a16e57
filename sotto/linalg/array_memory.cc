#include "sotto/linalg/array_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace sotto {
namespace {

constexpr std::size_t kArrayAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLargeArray = 2 * kHugePage;

std::size_t rounded_to(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* allocate_array(std::size_t bytes) {
  const bool large = bytes >= kLargeArray;
  const std::size_t alignment = large ? kHugePage : kArrayAlignment;
  void* data = nullptr;
  if (::posix_memalign(&data, alignment, bytes > 0 ? bytes : 1) != 0) throw std::bad_alloc();
  if (large) prefer_huge_pages(data, bytes);
  return data;
}

void free_array(void* data) noexcept { std::free(data); }

void prefer_huge_pages(void* data, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  // Whole huge pages alone, so that no neighbour's memory is touched. A system without them says
  // so, and nothing is lost.
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = rounded_to(address, kHugePage);
  const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
  if (first < last) {
    ::madvise(static_cast<char*>(data) + (first - address), last - first, MADV_HUGEPAGE);
  }
#else
  (void)data;
  (void)bytes;
#endif
}

}  // namespace sotto
