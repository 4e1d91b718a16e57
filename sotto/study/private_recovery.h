// How well the private power methods recover known components. The tables of error against epsilon,
// the rule of release/choose.h, and `auto` rest on this experiment.
//
// The tensor is sum_j weights[j] v_j^(x)p with orthonormal v_j, known and public. The noise is that
// of a private run, from a seed, so that every figure can be reproduced.
#pragma once

#include <cstdint>
#include <functional>

#include "sotto/release/private_power.h"
#include "sotto/tasks/decompose.h"

namespace sotto {

struct RecoveryProblem {
  Matrix vectors;  // d x k, orthonormal
  Vector weights;
  int order = 3;

  PowerShape shape(std::int64_t starts, std::int64_t iterations) const {
    return {vectors.rows(), order, vectors.cols(), starts, iterations};
  }
};

// Columns 2 to k+1 of the Sylvester-Hadamard basis (d a power of two): as incoherent as can be.
RecoveryProblem hadamard_problem(Index dim, Index components, int order = 3);
// A random orthonormal basis. Weights of both: evenly spaced from 1000 to 600.
RecoveryProblem random_problem(Index dim, Index components, int order, std::uint64_t seed);

// The mean over components of 1 - |cos| to the nearest found vector.
double recovery_error(const RecoveryProblem& problem, const Matrix& found);

// The error of one run, with noise on every iteration or on the tensor. Noise and starts come from
// the seed.
double iterate_error(const RecoveryProblem& problem, const PowerShape& shape,
                     const PrivacyTarget& target, Published published, std::uint64_t seed);
double input_error(const RecoveryProblem& problem, const PrivacyTarget& target, std::uint64_t seed);

// error(epsilon, seed) averaged over seeds 1..repeats.
using ErrorAt = std::function<double(double epsilon, std::uint64_t seed)>;
double mean_error(const ErrorAt& error, double epsilon, int repeats);

// The epsilon from which the mean error is at most `goal`, by bisection to 2%.
double needed_epsilon(const ErrorAt& error, int repeats, double goal = 0.05);

}  // namespace sotto
