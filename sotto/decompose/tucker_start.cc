#include "sotto/decompose/tucker_start.h"

#include <algorithm>
#include <utility>

#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/sketched_bases.h"

namespace sotto {

Factors random_bases(const std::vector<Index>& dims, const std::vector<Index>& ranks,
                     std::uint64_t seed) {
  SeededRandom random(seed);
  Factors factors;
  for (std::size_t m = 0; m < dims.size(); ++m) {
    Matrix a(dims[m], ranks[m]);
    for (Index n = 0; n < a.size(); ++n) a.data()[n] = random.normal();
    factors.push_back(orthonormal_columns(a));
  }
  return factors;
}

std::optional<TuckerModel> compressed_fit(const DenseTensor& tensor, const TuckerOptions& options) {
  constexpr double kWorthIt = 8;
  constexpr Index kOversampling = 2;
  constexpr int kPowerSteps = 1;  // a sweep on the tensor does what a further one would
  std::vector<Index> ranks;
  double size = 1;
  Index columns = 0;
  for (std::size_t m = 0; m < options.ranks.size(); ++m) {
    const Index rank = options.ranks[m] + kOversampling;
    columns = std::max(columns, rank);
    ranks.push_back(std::min(tensor.dims()[m], padded_narrow(rank)));
    size *= static_cast<double>(ranks.back());
  }
  if (kWorthIt * size > static_cast<double>(tensor.size())) return std::nullopt;
  const ModeBases compressed =
      sketched_bases(tensor, ranks, columns, static_cast<std::uint64_t>(options.seed), kPowerSteps);
  TuckerOptions inside;
  inside.ranks = options.ranks;
  TuckerFit fit = fit_tucker(compressed.core, inside);
  for (std::size_t m = 0; m < ranks.size(); ++m) {
    fit.factors[m] = multiply(compressed.bases[m], fit.factors[m]);
  }
  return TuckerModel{std::move(fit.core), std::move(fit.factors)};
}

}  // namespace sotto
