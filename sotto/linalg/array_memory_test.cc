#include "sotto/linalg/array_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace sotto {
namespace {

TEST(ArrayMemory, begins_at_a_multiple_of_64_bytes_and_large_blocks_at_a_huge_page) {
  for (const std::size_t bytes : {0UL, 1UL, 100UL, 4095UL, 1UL << 20, (1UL << 22) + 8, 9000001UL}) {
    void* data = allocate_array(bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    EXPECT_EQ(address % (bytes >= 1UL << 22 ? 1UL << 21 : 64), 0U) << bytes;
    static_cast<char*>(data)[bytes > 0 ? bytes - 1 : 0] = 1;  // all of it is there
    free_array(data);
  }
}

TEST(ArrayMemory, serves_containers_and_refuses_what_no_machine_has) {
  std::vector<double, ArrayAllocator<double>> values(1 << 20, 2.5);
  values.resize(3 << 20, 1.0);
  EXPECT_EQ(values.front(), 2.5);
  EXPECT_EQ(values.back(), 1.0);
  ArrayAllocator<double> allocator;
  EXPECT_THROW(allocator.allocate(std::numeric_limits<std::size_t>::max() / 4),
               std::bad_array_new_length);
}

TEST(ArrayMemory, asking_for_huge_pages_changes_no_byte) {
  std::vector<unsigned char> bytes(5 << 20, 7);
  prefer_huge_pages(bytes.data() + 3, bytes.size() - 5);
  for (const unsigned char byte : bytes) ASSERT_EQ(byte, 7);
}

}  // namespace
}  // namespace sotto
