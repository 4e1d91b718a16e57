// Reads a tensor from a file of any known format, recognised by its content, plain or gzip.
//
// Whatever the format, the tensor has only finite values.
// Privacy: none here; the caller wraps what belongs to persons as Sensitive.
#pragma once

#include <string>

#include "sotto/io/tns.h"

namespace sotto {

enum class TensorFormat { automatic, npy, tns };

struct ReadTensorOptions {
  TensorFormat format = TensorFormat::automatic;
  Duplicates duplicates = Duplicates::refuse;  // only .tns can give an entry twice
  Shape shape = Shape::declared_or_seen;       // only .tns can leave it to the entries
};

AnyTensor read_tensor(const std::string& path, const ReadTensorOptions& options = {});

}  // namespace sotto
