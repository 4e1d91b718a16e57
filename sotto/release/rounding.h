// The bound on relative rounding errors that the proof notes of this folder use.
#pragma once

namespace sotto {

// gamma_m of Higham 2002 for doubles: m roundings in a row err by at most this, relatively.
inline double gamma(double m) { return m * 0x1p-53 / (1 - m * 0x1p-53); }

}  // namespace sotto
