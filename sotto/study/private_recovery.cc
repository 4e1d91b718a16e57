#include "sotto/study/private_recovery.h"

#include <bit>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// The tensor through its components: T(I,u,..,u) = V (w * (V^T u)^(p-1)), O(dk) a vector.
class ComponentsOracle final : public SymmetricOracle {
 public:
  explicit ComponentsOracle(const RecoveryProblem& problem) : problem_(problem) {}
  Index dim() const override { return problem_.vectors.rows(); }
  int order() const override { return problem_.order; }
  Matrix contract(const Matrix& block) override {
    const Matrix powers = multiply_transposed(problem_.vectors, block).array().pow(order() - 1);
    return problem_.vectors * (problem_.weights.asDiagonal() * powers);
  }
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }

 private:
  const RecoveryProblem& problem_;
};

Vector even_weights(Index k) { return Vector::LinSpaced(k, 1000, k == 1 ? 1000 : 600); }

SymmetricTensor tensor_of(const RecoveryProblem& problem) {
  SymmetricTensor tensor(problem.vectors.rows(), problem.order);
  for (Index j = 0; j < problem.weights.size(); ++j) {
    tensor.add_rank_one(problem.weights[j], problem.vectors.col(j));
  }
  return tensor;
}

DecomposeTask seeded_task(const PrivacyTarget& target, std::uint64_t seed) {
  DecomposeTask task;
  task.privacy.epsilon = target.epsilon;
  task.privacy.delta = target.delta;
  task.privacy.accept_large_delta = true;  // one delta for every size of the tensor
  task.privacy.anyway = true;
  task.privacy.insecure_seed = static_cast<std::int64_t>(seed);
  task.power.seed = static_cast<std::int64_t>(seed);
  return task;
}

}  // namespace

RecoveryProblem hadamard_problem(Index dim, Index components, int order) {
  SOTTO_REQUIRE(std::has_single_bit(static_cast<std::uint64_t>(dim)) && components < dim,
                "a Hadamard basis needs a power of two above {}, got {}", components, dim);
  Matrix vectors(dim, components);
  for (Index i = 0; i < dim; ++i) {
    for (Index j = 0; j < components; ++j) {
      const bool odd = std::popcount(static_cast<std::uint64_t>(i & (j + 1))) % 2 == 1;
      vectors(i, j) = (odd ? -1 : 1) / std::sqrt(static_cast<double>(dim));
    }
  }
  return {vectors, even_weights(components), order};
}

RecoveryProblem random_problem(Index dim, Index components, int order, std::uint64_t seed) {
  SeededRandom random(seed, 1);
  Matrix vectors(dim, components);
  for (double& x : vectors.reshaped()) x = random.normal();
  return {orthonormal_columns(vectors), even_weights(components), order};
}

double recovery_error(const RecoveryProblem& problem, const Matrix& found) {
  const Matrix cosines = multiply_transposed(problem.vectors, found).cwiseAbs();
  return 1 - cosines.rowwise().maxCoeff().mean();
}

double iterate_error(const RecoveryProblem& problem, const PowerShape& shape,
                     const PrivacyTarget& target, Published published, std::uint64_t seed) {
  DecomposeTask task = seeded_task(target, seed);
  task.privacy.mechanism = PowerMechanism::iterate;
  task.privacy.as_published = published;
  task.power.components = shape.components;
  task.power.starts = shape.starts;
  task.power.iterations = shape.iterations;
  task.given.starts = task.given.iterations = true;
  ComponentsOracle exact(problem);
  return recovery_error(problem, rehearse(exact, task).found.vectors());
}

double input_error(const RecoveryProblem& problem, const PrivacyTarget& target,
                   std::uint64_t seed) {
  DecomposeTask task = seeded_task(target, seed);
  task.privacy.mechanism = PowerMechanism::input;
  task.power.components = problem.weights.size();
  task.power.tolerance = 1e-4;
  const DecomposeResult result = run(Input(Sensitive(tensor_of(problem))), task);
  return recovery_error(problem, result.found.vectors());
}

double mean_error(const ErrorAt& error, double epsilon, int repeats) {
  double sum = 0;
  for (int r = 1; r <= repeats; ++r) sum += error(epsilon, static_cast<std::uint64_t>(r));
  return sum / repeats;
}

double needed_epsilon(const ErrorAt& error, int repeats, double goal) {
  double low = 1e-3, high = 1;
  while (mean_error(error, high, repeats) > goal) {
    low = high;
    high *= 4;
    SOTTO_REQUIRE(high < 1e5, "no epsilon up to {} recovers the components", high);
  }
  while (high / low > 1.02) {
    const double middle = std::sqrt(low * high);
    (mean_error(error, middle, repeats) > goal ? low : high) = middle;
  }
  return high;
}

}  // namespace sotto
