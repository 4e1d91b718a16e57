// One trial of Wang & Anandkumar 2016, Figure 1 (wang_fig1.cc): a tensor of three components, noise
// of operator norm one, and at which of its levels the power method still recovers the components.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/decompose/power.h"
#include "sotto/study/study.h"
#include "sotto/tensor/oracle.h"

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

StudyCell cell_of(const std::string& noise, std::int64_t dim, const Effort& effort,
                  const std::string& weights = kPaperWeights);

// Algorithm 1 with the starts and iterations of the cell.
PowerOptions options_of(const StudyCell& cell);

// Whether the vectors that Algorithm 1 finds match the columns of `vectors`.
enum class Order { as_found, any };
bool recovers(SymmetricOracle& tensor, const Matrix& vectors, PowerOptions options, Order order);

// The operator norm of the noise by this many starts of the shifted power method.
double norm_by_starts(SymmetricOracle& noise, std::int64_t starts, std::uint64_t seed);

// For each level 1 where a component is not recovered; then, for random noise, the operator norm
// that one start of the shifted power method finds, where the best of 32 is 1.
std::vector<double> paper_trial(const StudyCell& cell, std::uint64_t seed);

}  // namespace sotto::wang_fig1_study
