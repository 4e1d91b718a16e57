#include "sotto/study/wang_fig1_trial.h"

#include <limits>

#include "sotto/decompose/deflation.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/synthetic/tensor.h"
#include "sotto/tensor/contraction.h"

namespace sotto::wang_fig1_study {
namespace {

struct Instance {
  SymmetricTensor signal, noise;  // the noise has operator norm 1
  Matrix vectors;
};

Instance make_instance(const StudyCell& cell, std::uint64_t seed) {
  TensorModel model;
  model.dim = cell.whole("d");
  model.components = 3;
  model.weights = {1, 0.75, 0.5};
  model.seed = static_cast<std::int64_t>(seed);
  SyntheticTensor signal = generate_tensor(model);
  model.noise = value_named<TensorNoise>(cell.text("noise")).value();
  model.noise_norm = 1;
  SymmetricTensor noise = generate_tensor(model).tensor;
  noise.add_scaled(-1, signal.tensor);
  return {std::move(signal.tensor), std::move(noise), std::move(signal.vectors)};
}

}  // namespace

StudyCell cell_of(const std::string& noise, std::int64_t dim, const Effort& effort,
                  const std::string& weights) {
  return StudyCell()
      .with("noise", noise)
      .with("weights", weights)
      .with("d", static_cast<double>(dim))
      .with("starts", static_cast<double>(effort.starts))
      .with("iterations", static_cast<double>(effort.iterations));
}

PowerOptions options_of(const StudyCell& cell) {
  PowerOptions options;
  options.components = 1;
  options.starts = cell.whole("starts");
  options.iterations = cell.whole("iterations");
  options.polish = 0;
  options.tolerance = 0;
  options.residuals = false;
  return options;
}

bool recovers(SymmetricOracle& tensor, const Matrix& vectors, PowerOptions options, Order order) {
  DeflatedOracle rest(tensor);
  Vector open = Vector::Ones(vectors.cols());
  for (Index i = 0; i < vectors.cols(); ++i) {
    options.seed += 1;
    const Decomposition found = robust_power_method(rest, options);
    const Vector overlap = (vectors.transpose() * found.vectors().col(0)).cwiseProduct(open);
    Index matched = i;
    if (order == Order::any) overlap.maxCoeff(&matched);
    if (overlap[matched] < 0.25) return false;
    open[matched] = 0;
    rest.deflate(found.weights[0], found.vectors().col(0));
  }
  return true;
}

double norm_by_starts(SymmetricOracle& noise, std::int64_t starts, std::uint64_t seed) {
  EigenpairOptions options;
  options.starts = starts;
  options.tolerance = 1e-4;  // the value is exact to the square of this
  options.seed = static_cast<std::int64_t>(seed / 2);
  return operator_norm(noise, options);
}

std::vector<double> paper_trial(const StudyCell& cell, std::uint64_t seed) {
  const Instance made = make_instance(cell, seed);
  PowerOptions options = options_of(cell);
  std::vector<double> failed;
  for (int j = 0; j < kLevels; ++j) {
    SymmetricTensor noisy = made.signal;
    noisy.add_scaled(level(j), made.noise);
    TensorOracle exact(noisy);
    options.seed = static_cast<std::int64_t>(seed / 2) + 10 * j;
    failed.push_back(recovers(exact, made.vectors, options, Order::as_found) ? 0 : 1);
  }
  TensorOracle noise(made.noise);
  failed.push_back(cell.text("noise") == "gaussian" ? norm_by_starts(noise, 1, seed)
                                                    : std::numeric_limits<double>::quiet_NaN());
  return failed;
}

}  // namespace sotto::wang_fig1_study
