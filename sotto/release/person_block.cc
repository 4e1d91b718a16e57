#include "sotto/release/person_block.h"

#include <numbers>

#include "sotto/release/access.h"
#include "sotto/release/packed_matrix.h"

namespace sotto {

Released<Noisy<Matrix>> publish_person_matrix(PrivateRun& run, const char* what, double mu,
                                              const Matrix& sums) {
  PackedMatrix packed(sums.rows(), [&](Index i, Index j) { return sums(i, j); });
  const auto side = static_cast<double>(sums.rows());
  const double sensitivity = person_sensitivity(side * side);
  // The grid is set by the noise off the diagonal, smaller by sqrt(2).
  const SymmetricGaussianMechanism mechanism(
      what, sensitivity, deviation_for({sensitivity, side, std::numbers::sqrt2}, mu), sums.rows(),
      2);
  return ReleaseAccess::released(unpacked(run.publish(mechanism, std::move(packed)).value()));
}

}  // namespace sotto
