// Every larger block of memory begins at a multiple of 64 bytes. Vectorised loops treat the first
// numbers of an unaligned block apart, with another rounding in the last digit. Where a block lies
// depends on what was allocated before, and so on the records; results must not.
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kSmall = 128;  // no array of numbers worth a vectorised loop

void* allocate(std::size_t size) {
  if (size < kSmall) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(kLine, (size + kLine - 1) / kLine * kLine);
}

}  // namespace

void* operator new(std::size_t size) {
  for (;;) {
    if (void* block = allocate(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
