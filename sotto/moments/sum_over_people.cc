#include "sotto/moments/sum_over_people.h"

namespace sotto {

std::vector<Index> people_begin(const SparseTensor& tensor) {
  std::vector<Index> begin;
  for (Index e = 0; e < tensor.nnz(); ++e) {
    if (e == 0 || tensor.index(e)[0] != tensor.index(e - 1)[0]) begin.push_back(e);
  }
  begin.push_back(tensor.nnz());
  return begin;
}

std::vector<Index> feature_offsets(const SparseTensor& tensor) {
  std::vector<Index> offset{0};
  for (std::size_t m = 1; m < tensor.dims().size(); ++m) {
    offset.push_back(offset.back() + tensor.dims()[m]);
  }
  return offset;
}

}  // namespace sotto
