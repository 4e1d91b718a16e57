// A fingerprint of bytes that anyone can compute: BLAKE2b of 256 bits, as `b2sum -l 256` prints it.
//
// For files that are published anyway. A digest of data would let anyone test a guess at it; data
// has keyed ones (keyed_digest.h). About 1 GB/s.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// 64 hexadecimal digits.
std::string digest_of(std::string_view bytes);

struct FileDigest {
  std::uint64_t bytes = 0;
  std::string blake2b;
};
// Fault::system where the file cannot be read.
FileDigest digest_of_file(const std::string& path);

}  // namespace sotto
