// Rounding errors in the bounds of this folder: how large they can be, and the factors that cover
// them. rounding.md has one argument for all of them, and says which bound uses which factor.
#pragma once

namespace sotto {

// gamma_m of Higham 2002 for doubles: m roundings in a row err by at most this, relatively.
inline double gamma(double m) { return m * 0x1p-53 / (1 - m * 0x1p-53); }

// A bound is multiplied by one of these: at least twice the relative error it covers.
inline constexpr double kSafe = 1 + 0x1p-40;          // below 2^-41: up to 2^12 roundings
inline constexpr double kSafeScaled = 1 + 0x1p-38;    // to 2^-40: what such a norm scales
inline constexpr double kSafeSpectral = 1 + 0x1p-30;  // below 2^-31: what eigenvectors bound
inline constexpr double kSafeLong = 1 + 0x1p-28;      // below 2^-29: norms of up to 2^23 numbers

}  // namespace sotto
