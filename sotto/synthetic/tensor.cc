#include "sotto/synthetic/tensor.h"

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// Streams of one seed, so that components and noise can be varied separately.
enum Stream : std::uint64_t { kTensorComponentStream = 11, kTensorNoiseStream = 12 };

Matrix random_orthonormal(Index d, Index k, SeededRandom& random) {
  return orthonormal_columns(random_unit_block(d, k, random));
}

// Orthonormal columns, or Q1 diag(1 .. 1/condition) Q2^T.
Matrix make_components(const TensorModel& model) {
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kTensorComponentStream);
  Matrix basis = random_orthonormal(model.dim, model.components, random);
  if (model.condition == 1) return basis;
  const Vector singular = Vector::LinSpaced(model.components, 1.0, 1.0 / model.condition);
  const Matrix mix = random_orthonormal(model.components, model.components, random);
  return multiply_by_transposed(basis * singular.asDiagonal(), mix);
}

Vector make_weights(const TensorModel& model) {
  if (model.weights.empty()) return Vector::LinSpaced(model.components, 2.0, 1.0);
  SOTTO_REQUIRE_AT(static_cast<std::int64_t>(model.weights.size()) == model.components, "`weights`",
                   "expected {} weights, one a component, got {}", model.components,
                   model.weights.size());
  return Eigen::Map<const Vector>(model.weights.data(), model.components);
}

// Independent normal entries, then the mean over all orderings of the indices: a unique entry of
// multiplicity m has variance 1/m. Scaled by its operator norm, which the shifted power method
// finds.
SymmetricTensor gaussian_noise(const TensorModel& model) {
  SymmetricTensor e(model.dim, static_cast<int>(model.order));
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kTensorNoiseStream);
  auto entry = e.packed().begin();
  for_unique_entries(model.dim, e.order(), [&](const std::vector<Index>&, double multiplicity) {
    *entry++ = random.normal() / std::sqrt(multiplicity);
  });
  TensorOracle oracle(e);
  EigenpairOptions options;
  options.starts = 32;
  options.tolerance = 1e-4;  // the value is exact to the square of this
  options.seed = model.seed;
  SymmetricTensor scaled(model.dim, e.order());
  scaled.add_scaled(1 / operator_norm(oracle, options), e);
  return scaled;
}

// Sym( v^(x)(p-2) (x) I ) with v the second component: its value at x is (v.x)^(p-2), so its
// operator norm is exactly one. For order 3 this is the paper's adversarial noise over three.
SymmetricTensor adversarial_noise(const TensorModel& model, const Matrix& components) {
  const Vector v = components.col(std::min<Index>(1, components.cols() - 1)).normalized();
  SymmetricTensor e(model.dim, static_cast<int>(model.order));
  auto entry = e.packed().begin();
  for_unique_entries(model.dim, e.order(), [&](const std::vector<Index>& index, double) {
    double sum = 0;
    int pairs = 0;
    for (std::size_t a = 0; a < index.size(); ++a) {
      for (std::size_t b = a + 1; b < index.size(); ++b, ++pairs) {
        if (index[a] != index[b]) continue;
        double product = 1;
        for (std::size_t c = 0; c < index.size(); ++c) {
          if (c != a && c != b) product *= v[index[c]];
        }
        sum += product;
      }
    }
    *entry++ = sum / pairs;
  });
  return e;
}

// sum of v_i^(x)p over an orthonormal basis of the complement of the components: operator norm one.
SymmetricTensor weakly_correlated_noise(const TensorModel& model, const Matrix& components) {
  SOTTO_REQUIRE_AT(model.components < model.dim, "`noise`",
                   "weakly correlated noise needs fewer components than dimensions");
  Matrix all(model.dim, model.dim);
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kTensorNoiseStream);
  all << components, random_unit_block(model.dim, model.dim - model.components, random);
  const Matrix basis = orthonormal_columns(all).rightCols(model.dim - model.components);
  SymmetricTensor e(model.dim, static_cast<int>(model.order));
  for (Index j = 0; j < basis.cols(); ++j) e.add_rank_one(1, basis.col(j));
  return e;
}

SymmetricTensor unit_noise(const TensorModel& model, const Matrix& components) {
  if (model.noise == TensorNoise::gaussian) return gaussian_noise(model);
  if (model.noise == TensorNoise::adversarial) return adversarial_noise(model, components);
  return weakly_correlated_noise(model, components);
}

}  // namespace

OptionTable TensorModel::table() {
  return OptionTable()
      .integer("dim", 'd', dim, {1, 100000}, "dimension of the tensor")
      .integer("components", 'k', components, {1, 100000}, "number of components")
      .integer("order", 'p', order, {3, 4}, "order of the tensor")
      .reals("weights", weights, {}, "weights of the components (none given: 2 down to 1)")
      .real("condition", 0, condition, {1, 1e12},
            "condition number of the components; 1 makes them orthonormal")
      .choice("noise", noise, "noise model")
      .real("noise-norm", 0, noise_norm, {0, 1e300}, "operator norm of the noise")
      .integer("seed", 0, seed, {0, std::numeric_limits<std::int64_t>::max()},
               "seed of components and noise");
}

SyntheticTensor generate_tensor(const TensorModel& model) {
  SOTTO_REQUIRE_AT(model.components <= model.dim, "`components`",
                   "cannot exceed the dimension {}, got {}", model.dim, model.components);
  SOTTO_REQUIRE_AT(model.noise == TensorNoise::none || model.noise_norm > 0, "`noise-norm`",
                   "must be above 0 with `noise` {}", name_of(model.noise));
  SOTTO_REQUIRE_AT(model.noise != TensorNoise::none || model.noise_norm == 0, "`noise-norm`",
                   "needs a noise model: `noise` gaussian, adversarial or weak");
  const Vector weights = make_weights(model);
  const Matrix components = make_components(model);
  SyntheticTensor result{SymmetricTensor(model.dim, static_cast<int>(model.order)), weights,
                         components,
                         multiply_by_transposed(components * weights.asDiagonal(), components)};
  for (Index j = 0; j < weights.size(); ++j) {
    result.tensor.add_rank_one(weights[j], components.col(j));
  }
  if (model.noise != TensorNoise::none) {
    result.tensor.add_scaled(model.noise_norm, unit_noise(model, components));
  }
  return result;
}

}  // namespace sotto
