// Where Tucker fits start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/decompose/tucker.h"

namespace sotto {

struct TuckerModel {
  DenseTensor core;
  Factors factors;
};

Factors random_bases(const std::vector<Index>& dims, const std::vector<Index>& ranks,
                     std::uint64_t seed);

// The least squares of the tensor in few dimensions a mode, where that is much smaller. Sweeps
// there cost next to nothing, and on the tensor itself few are left. Three passes over the tensor.
std::optional<TuckerModel> compressed_fit(const DenseTensor& tensor, const TuckerOptions& options);

}  // namespace sotto
