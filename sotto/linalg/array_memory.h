// Memory for large arrays: it begins at a multiple of 64 bytes, and from 4 MB on it asks the system
// for pages of 2 MB. Reading such an array, in order or at random, then takes half the time where
// the system has small pages.
#pragma once

#include <cstddef>
#include <new>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// Throws std::bad_alloc where there is no memory.
void* allocate_array(std::size_t bytes);
void free_array(void* data) noexcept;

// For memory from elsewhere that nothing has been written to yet.
void prefer_huge_pages(void* data, std::size_t bytes) noexcept;

// For containers.
template <class T>
struct ArrayAllocator {
  using value_type = T;

  ArrayAllocator() = default;
  template <class U>
  ArrayAllocator(const ArrayAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_array(count * sizeof(T)));
  }
  void deallocate(T* data, std::size_t) noexcept { free_array(data); }

  friend bool operator==(const ArrayAllocator&, const ArrayAllocator&) { return true; }
};

}  // namespace sotto
