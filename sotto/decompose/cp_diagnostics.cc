#include "sotto/decompose/cp_diagnostics.h"

#include <algorithm>

#include "sotto/linalg/spectral.h"
#include "sotto/tensor/mode_product.h"
#include "sotto/tensor/sparse_mode_product.h"

namespace sotto {
namespace {

constexpr double kDegenerate = -0.9;

// (A^+)^T of each factor: what a mode product takes.
Factors transposed_inverses(const Factors& factors) {
  Factors inverses;
  for (const Matrix& a : factors) inverses.emplace_back(pseudo_inverse(a).transpose());
  return inverses;
}

}  // namespace

double core_consistency(const DenseTensor& core, Index components) {
  double distance = 0;
  for (Index p = 0; p < core.size(); ++p) {
    const std::vector<Index> at = core.index_of(p);
    const bool diagonal = std::all_of(at.begin(), at.end(), [&](Index i) { return i == at[0]; });
    const double gap = core.values()[p] - (diagonal ? 1 : 0);
    distance += gap * gap;
  }
  return 100 * (1 - distance / static_cast<double>(components));
}

DenseTensor least_squares_core(const DenseTensor& tensor, const Factors& factors) {
  return mode_products(tensor, transposed_inverses(factors));
}

DenseTensor least_squares_core(FibreCache& fibres, const Factors& factors) {
  const Factors inverses = transposed_inverses(factors);
  const std::vector<Index>& dims = fibres.tensor().dims();
  // Mode 0 needs no copy of the entries, and puts the core in C order.
  const RowMatrix y = sparse_mode_products(fibres.of(0), inverses);
  const RowMatrix g = inverses[0].transpose() * y;
  return DenseTensor(std::vector<Index>(dims.size(), factors[0].cols()),
                     std::vector<double>(g.data(), g.data() + g.size()));
}

std::vector<DegeneratePair> degenerate_pairs(const Factors& factors) {
  const Matrix cosines = congruence(factors, factors);
  std::vector<DegeneratePair> pairs;
  for (Index r = 0; r < cosines.rows(); ++r) {
    for (Index s = r + 1; s < cosines.cols(); ++s) {
      if (cosines(r, s) < kDegenerate) pairs.push_back({r, s, cosines(r, s)});
    }
  }
  return pairs;
}

}  // namespace sotto
