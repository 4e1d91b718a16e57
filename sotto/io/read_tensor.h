// Reads a tensor from a file of any known format, recognised by its content, plain or gzip.
//
// Whatever the format, the tensor has only finite values.
// Private entries (ReadTensorOptions::records_are_private): the format is that of public_format.h,
// gzip is told by the name, and the shape must be declared. Malformed, and refused wherever it
// stands: an entry that is not finite or lies outside the shape, or is given twice; another number
// of entries than the header says; an integer of 2^53 or more; a line of 2^30 bytes or more.
// Privacy: none but that; the caller wraps what belongs to persons as Sensitive.
#pragma once

#include <string>
#include <string_view>

#include "sotto/io/tns.h"

namespace sotto {

enum class TensorFormat { automatic, npy, tns };

struct ReadTensorOptions {
  TensorFormat format = TensorFormat::automatic;
  Duplicates duplicates = Duplicates::refuse;  // only .tns can give an entry twice
  Shape shape = Shape::declared_or_seen;       // only .tns can leave it to the entries
  bool records_are_private = false;            // the format is not to be read off the entries
};

// Sets `format`, where it is given, to the one that the file was read in: "npy", "tns".
AnyTensor read_tensor(const std::string& path, const ReadTensorOptions& options = {},
                      std::string* format = nullptr);

// "auto", "npy" or "tns".
TensorFormat tensor_format(std::string_view name);

}  // namespace sotto
