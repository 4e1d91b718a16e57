#include "sotto/study/wang_fig1_trial.h"

#include <limits>

#include "sotto/decompose/deflation.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/synthetic/tensor.h"
#include "sotto/tensor/contraction.h"

namespace sotto::wang_fig1_study {
namespace {

bool is_equal(const StudyCell& cell) { return cell.text("weights") == kEqualWeights; }

struct Instance {
  SymmetricTensor signal, noise;  // the noise has operator norm 1
  Matrix vectors;
};

Instance make_instance(const StudyCell& cell, std::uint64_t seed) {
  TensorModel model;
  model.dim = cell.whole("d");
  model.components = 3;
  model.weights = is_equal(cell) ? std::vector<double>{1, 1, 1} : std::vector<double>{1, 0.75, 0.5};
  model.seed = static_cast<std::int64_t>(seed);
  SyntheticTensor signal = generate_tensor(model);
  model.noise = value_named<TensorNoise>(cell.text("noise")).value();
  model.noise_norm = 1;
  SymmetricTensor noise = generate_tensor(model).tensor;
  noise.add_scaled(-1, signal.tensor);
  return {std::move(signal.tensor), std::move(noise), std::move(signal.vectors)};
}

// Algorithm 1; its vectors keep the order in which they are found.
bool recovers(const SymmetricTensor& tensor, const Matrix& vectors, PowerOptions options,
              bool any_order) {
  TensorOracle exact(tensor);
  DeflatedOracle rest(exact);
  Vector open = Vector::Ones(vectors.cols());
  for (Index i = 0; i < vectors.cols(); ++i) {
    options.seed += 1;
    const Decomposition found = robust_power_method(rest, options);
    const Vector overlap = (vectors.transpose() * found.vectors().col(0)).cwiseProduct(open);
    Index matched = i;
    if (any_order) overlap.maxCoeff(&matched);
    if (overlap[matched] < 0.25) return false;
    open[matched] = 0;
    rest.deflate(found.weights[0], found.vectors().col(0));
  }
  return true;
}

// What one start of the shifted power method finds of the operator norm; the best of 32 is 1.
double norm_by_one_start(const SymmetricTensor& noise, std::uint64_t seed) {
  TensorOracle oracle(noise);
  EigenpairOptions options;
  options.starts = 1;
  options.tolerance = 1e-4;
  options.seed = static_cast<std::int64_t>(seed / 2);
  return operator_norm(oracle, options);
}

}  // namespace

std::vector<double> run_trial(const StudyCell& cell, std::uint64_t seed) {
  const Instance made = make_instance(cell, seed);
  PowerOptions options;
  options.components = 1;
  options.starts = cell.whole("starts");
  options.iterations = cell.whole("iterations");
  options.polish = 0;
  options.tolerance = 0;
  options.residuals = false;
  std::vector<double> failed;
  for (int j = 0; j < kLevels; ++j) {
    SymmetricTensor noisy = made.signal;
    noisy.add_scaled(level(j), made.noise);
    options.seed = static_cast<std::int64_t>(seed / 2) + 10 * j;
    failed.push_back(recovers(noisy, made.vectors, options, is_equal(cell)) ? 0 : 1);
  }
  failed.push_back(cell.text("noise") == "gaussian" ? norm_by_one_start(made.noise, seed)
                                                    : std::numeric_limits<double>::quiet_NaN());
  return failed;
}

}  // namespace sotto::wang_fig1_study
