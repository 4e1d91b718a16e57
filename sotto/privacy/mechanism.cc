#include "sotto/privacy/mechanism.h"

namespace sotto {

void BlockMechanism::release(std::span<const double> value, NoiseStream stream,
                             std::span<double> out) const {
  require_releasable(value, record_.values, out);
  add_noise(value, stream, out);
}

}  // namespace sotto
