// NumPy's .npy arrays: versions 1, 2 and 3 of the format (numpy.lib.format), plain or gzip.
//
// Reads real floating point numbers of 4 and 8 bytes and integers of 1 to 8 bytes, in either byte
// order, in C or Fortran order, with 1 to 8 dimensions. Integers of 2^53 and more, which a double
// may not hold, are refused. What a header claims is checked against the size of the file before
// anything is allocated; if that size is not known (gzip), memory grows only with what has arrived.
// Writes 8-byte floats in C order, version 1; the file is complete or not there.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/io/atomic_file.h"
#include "sotto/io/byte_source.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace sotto {

inline constexpr bool kNativeBigEndian = std::endian::native == std::endian::big;

struct NpyHeader {
  std::string dtype;  // as written in the file, "<f8"
  char kind = 'f';    // 'f' floating point, 'i' signed, 'u' unsigned
  Index item_size = 8;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> shape;
  Index count = 0;  // product of the shape
  std::uint64_t data_offset = 0;
};

// Leaves `source` at the first byte of the data.
NpyHeader read_npy_header(ByteSource& source);
NpyHeader read_npy_header(const std::string& path);

// `bytes` holds out.size() items of the header's type; `place` is for messages.
void convert_npy_items(const NpyHeader& header, const char* bytes, std::span<double> out,
                       const std::string& place);

DenseTensor read_npy(ByteSource& source);
DenseTensor read_npy(const std::string& path);
// Rows first .. last-1 of the first mode, at least one, of a plain file in C order.
DenseTensor read_npy_rows(ByteSource& source, NpyHeader header, Index first, Index last);

void write_npy(const std::string& path, const Matrix& matrix);  // shape (rows, cols)
void write_npy(const std::string& path, const Vector& vector);  // shape (size,)
void write_npy(const std::string& path, const DenseTensor& tensor);

// An array that is written piece by piece, in C order, as floats of 4 or 8 bytes. Its shape is
// given beforehand; commit() refuses an array that is not complete.
class NpyWriter {
 public:
  NpyWriter(const std::string& path, std::vector<Index> shape, Index item_size = 8);
  void write(std::span<const double> values);
  void commit();

 private:
  std::string path_;
  AtomicFile file_;
  Index item_size_;
  Index left_;
};

// Values as raw floats of 4 or 8 bytes in the order of the machine, appended to `bytes`.
void append_raw_items(std::span<const double> values, Index item_size, std::string& bytes);

}  // namespace sotto
