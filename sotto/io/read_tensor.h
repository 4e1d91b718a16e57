// Reads a tensor from a file of any known format, recognised by its content, plain or gzip.
//
// Whatever the format, the tensor has only finite values, but for NaN where entries may be missing.
// Private entries (ReadTensorOptions::records_are_private): the format is that of public_format.h,
// gzip is told by the name, and the shape must be declared. Malformed, and refused wherever it
// stands: an entry that is not finite or lies outside the shape, or is given twice; another number
// of entries than the header says; an integer of 2^53 or more; a line of 2^30 bytes or more. What
// is wrong with such a file is not said: the entries are never quoted. Privacy: what was read is
// Sensitive until somebody declares it public.
#pragma once

#include <string>

#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/io/tns.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

struct ReadTensorOptions {
  TensorFormat format = TensorFormat::automatic;
  Duplicates duplicates = Duplicates::refuse;   // only .tns can give an entry twice
  bool missing = false;                         // NaN in .npy stand for entries that are not known
  IndexBase index_base = IndexBase::automatic;  // of .tns
  bool records_are_private = false;  // neither format nor shape is to be read off the entries
  // Which people are kept, the rows of the first mode. Others than all: of a sparse .tns with
  // a header, or of a plain .npy in C order, whose other rows are not in the result.
  PeopleShare people = {};
};

// The format in which a file would be read.
TensorFormat tensor_format(const std::string& path, const ReadTensorOptions& options);

// Sets `format`, if given, to the format in which the file was read.
Sensitive<AnyTensor> read_tensor(const std::string& path, const ReadTensorOptions& options = {},
                                 TensorFormat* format = nullptr);

}  // namespace sotto
