// One trial of Wang & Anandkumar 2016, Figure 1 (wang_fig1.cc): a tensor of three components, noise
// of operator norm one, and at which of its levels the power method still recovers the components.
#pragma once

#include <cmath>
#include <vector>

#include "sotto/study/study.h"

namespace sotto::wang_fig1_study {

constexpr int kLevels = 23;
inline double level(int j) { return 0.01 * std::pow(1.25, j); }

// Values of the parameter "weights": 1, 0.75 and 0.5, or 1 each. Components of equal weight have no
// order; there every one must be found once.
constexpr const char* kPaperWeights = "falling";
constexpr const char* kEqualWeights = "equal";

struct Effort {
  std::int64_t starts, iterations;
};
constexpr Effort kFew = {5, 10}, kMany = {20, 20};

// For each level 1 where a component is not recovered; then, for random noise, the operator norm
// that one start of the shifted power method finds, where the best of 32 is 1.
std::vector<double> run_trial(const StudyCell& cell, std::uint64_t seed);

}  // namespace sotto::wang_fig1_study
