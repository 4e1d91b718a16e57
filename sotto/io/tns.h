// Text tensors (.tns), plain or gzip, in both dialects:
//
//   FROSTT: one entry a line, "i j k value", indices counted from 1; the dimensions are the largest
//   indices seen.
//   Tensor Toolbox: a header of lines "sptensor", order, dimensions, number of entries, then
//   entries as above; or "tensor", order, dimensions, then all values, first index fastest.
//
// Blank lines and lines that begin with # are skipped. Everything a header says is checked, and
// memory grows only with what has arrived. An error names file and line.
// Cost: about 100 ns a line.
#pragma once

#include <string>
#include <utility>

#include "sotto/io/byte_source.h"
#include "sotto/io/file_options.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

// Where the dimensions may come from: a FROSTT file has no header, so its shape reveals which
// indices occur.
enum class Shape { declared_or_seen, declared };

// Some rows of the first mode, which are people: part number `number` of `parts` of equal length.
struct PeopleShare {
  Index number = 0, parts = 1;

  std::pair<Index, Index> of(Index people) const {
    return {people * number / parts, people * (number + 1) / parts};
  }
};

// Keeps the entries of `share`; the others are checked as far as their lines go. A dense text has
// to be kept whole.
AnyTensor read_tns(ByteSource& source, Duplicates duplicates = Duplicates::refuse,
                   Shape shape = Shape::declared_or_seen, IndexBase base = IndexBase::automatic,
                   const PeopleShare& share = {});
AnyTensor read_tns(const std::string& path, Duplicates duplicates = Duplicates::refuse,
                   Shape shape = Shape::declared_or_seen);

enum class TnsDialect { frostt, tensor_toolbox };

// Values are written with as many digits as it takes to read them back exactly. FROSTT does not
// record the dimensions: trailing indices without an entry are lost, and a tensor without any entry
// is refused. Tensor Toolbox keeps them. The file is complete or not there.
void write_tns(const std::string& path, const SparseTensor& tensor,
               TnsDialect dialect = TnsDialect::frostt);

}  // namespace sotto
