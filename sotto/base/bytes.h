// Numbers and texts as bytes that another process can read: lengths before contents, in the byte
// order of the machine, sealed with a checksum.
//
// The checksum finds bytes that were altered on their way. It is no signature: whoever alters bytes
// on purpose can seal them again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

class ByteWriter {
 public:
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view value);
  void reals(std::span<const double> values);
  // Everything that was written, and its checksum.
  std::string sealed() &&;

 private:
  void raw(const void* bytes, std::size_t count);

  std::string bytes_;
};

// Reads what a ByteWriter wrote. Bytes that are not whole, or not those that were written, are an
// Error with Fault::system that names `what`. Borrows the bytes.
class ByteReader {
 public:
  ByteReader(std::string_view sealed, std::string what);
  std::int64_t integer();
  double real();
  std::string text();
  std::vector<double> reals();
  void require_end() const;

 private:
  std::string_view raw(std::size_t count);
  std::string_view counted(std::size_t item_size);

  std::string what_;
  std::string_view left_;
};

}  // namespace sotto
