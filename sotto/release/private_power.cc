#include "sotto/release/private_power.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/rounding.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

constexpr const char* kPowerProducts = "T(I,u,..,u) for the block of starts";
constexpr const char* kPowerValues = "T(u,..,u) for the block of starts";

// gamma_N of Higham: the relative error of a sum in which no term passes more than N roundings. In
// tensor/contraction a term passes at most d additions in S~ u, d in u^T S~ u, one for each slice,
// one for each of 64 chunks, d in the dot product of values(), and a few products.
double rounding_factor(Index dim, int order) {
  const auto d = static_cast<double>(dim);
  const double slices = order == 3 ? d : d * (d + 1) / 2;
  const double n = (3 * d + slices + 96) * 0x1p-53;
  return n / (1 - n);
}

// Bounds the error of a block of computed answers in L2 norm: every entry is within +-max_entry, so
// a product errs by at most gamma max_entry |u|_1^(p-1) in each of its d coordinates.
double answer_error(const Matrix& block, int order, int power, double max_entry) {
  const double coordinates = power == order ? 1 : static_cast<double>(block.rows());
  const Eigen::ArrayXd sums = block.cwiseAbs().colwise().sum().transpose().array();
  const double squares = sums.pow(2 * power).sum();
  return rounding_factor(block.rows(), order) * max_entry * std::sqrt(coordinates * squares) *
         kSafe;
}

// The largest power of two at which twice the error adds at most 1% to the smallest sensitivity a
// block of products can have: |u|_1^2 <= d and max_i sum_l u_il^(2(p-1)) >= L d^-(p-1).
double default_max_entry(Index dim, int order, double change) {
  const double bound =
      0.01 * factorial(order) * change /
      (2 * rounding_factor(dim, order) * std::pow(static_cast<double>(dim), order - 0.5));
  return std::exp2(std::floor(std::log2(bound)));
}

// As published, in units of |u|_inf^power: X p!, plus twice the error at its worst, |u|_1 <= d
// |u|_inf.
double published_charge(const PowerNoise& noise, int power) {
  const auto d = static_cast<double>(noise.shape.dim);
  const double spread = power == noise.shape.order ? 1 : std::sqrt(d);
  const double rounding = 2 * rounding_factor(noise.shape.dim, noise.shape.order) *
                          noise.max_entry * spread * std::pow(d, power);
  return (noise.change * factorial(noise.shape.order) + rounding + noise.scale * 0x1p-32 * spread) *
         kSafe;
}

// The line of the certificate for all releases of one kind as published. A GaussianMechanism made
// with the same numbers supplies the precision charge.
ReleaseRecord published_record(const PowerNoise& noise, int power) {
  const bool products = power < noise.shape.order;
  const PowerShape& s = noise.shape;
  const GaussianMechanism unit(
      products ? "T(I,u,..,u), each start and iteration" : "T(u,..,u), each start",
      published_charge(noise, power), noise.scale, products ? s.dim : 1);
  ReleaseRecord record = unit.record();
  record.count = s.components * s.starts * (products ? s.iterations : 1);
  record.note = fmt::format("in units of |u|_inf^{}", power);
  return record;
}

// The mechanism of input perturbation.
SymmetricGaussianMechanism tensor_mechanism(const PublicShape& shape, const PrivacyTarget& target,
                                            double change) {
  return {"the tensor", change * factorial(shape.order), tensor_deviation(shape, target, change),
          shape.dim, shape.order};
}

std::string neighbours(int order, double change) {
  return fmt::format(
      "one entry changed: T' = T +- t symmetrize(e_i x .. x e_j), 0 <= t <= {}, where symmetrize() "
      "sums over all {} orders of the indices",
      change, factorial(order));
}

// Clipping moves no two values apart.
void clip(SymmetricTensor& tensor, double bound) {
  for (double& x : tensor.packed()) x = clipped(x, -bound, bound);
}

}  // namespace

double published_nu(const PowerShape& shape, const PrivacyTarget& target, Published how) {
  const auto K = static_cast<double>(shape.answers() * shape.starts);
  const double epsilon = target.epsilon / std::sqrt(K * (4 + std::log(2 / target.delta)));
  const double delta = target.delta / (2 * K);
  const double factor = how == Published::imtiaz ? 2 : factorial(shape.order);
  return factor * std::sqrt(2 * std::log(1.25 / delta)) / epsilon;
}

PowerNoise plan_power_noise(const PowerShape& shape, const PrivacyTarget& target,
                            Published published, const EntryBounds& bounds) {
  const std::int64_t per_component = shape.starts * (shape.dim * shape.iterations + 1);
  PowerNoise noise{shape, target, published, bounds.change, 0, 0};
  noise.max_entry =
      bounds.max_entry.value_or(default_max_entry(shape.dim, shape.order, bounds.change));
  noise.scale = published == Published::no
                    ? 1 / affordable_mu(target, shape.answers(), shape.components * per_component)
                    : bounds.change * published_nu(shape, target, published);
  return noise;
}

double block_sensitivity(const Matrix& block, int order, int power) {
  const double most = block.array().pow(2 * power).rowwise().sum().maxCoeff();
  const double summing = 2 * gamma(static_cast<double>(block.cols()));
  return factorial(order) * std::sqrt(most) * (kSafe + summing);
}

ProtectedUnits entry_units(const PublicShape& shape) {
  return {unique_entries(shape.dim, shape.order), "unique entries"};
}

PrivacyStatement entry_statement(const PublicShape& shape, const PrivacyTarget& target,
                                 const EntryBounds& bounds) {
  PrivacyStatement statement;
  statement.unit = "one entry of the symmetric tensor";
  statement.neighbours = neighbours(shape.order, bounds.change);
  statement.public_facts = entry_facts(bounds.change);
  if (bounds.max_entry) statement.public_facts.push_back(clipping_fact(*bounds.max_entry));
  statement.delta = target.delta;
  statement.units = entry_units(shape);
  return statement;
}

PrivacyStatement entry_statement(const PowerNoise& noise) {
  PrivacyStatement statement = entry_statement(PublicShape{noise.shape.dim, noise.shape.order},
                                               noise.target, {noise.change, noise.max_entry});
  if (noise.published != Published::no) {
    statement.claimed = PrivacyClaim{noise.target.epsilon, noise.target.delta};
  }
  return statement;
}

struct PrivatePowerOracle::Held {
  Held(SymmetricTensor data, double bound) : tensor(std::move(data)), oracle(tensor) {
    clip(tensor, bound);
  }
  SymmetricTensor tensor;
  TensorOracle oracle;
};

Plan plan_power(const PowerNoise& noise) {
  const PowerShape& s = noise.shape;
  Plan plan{entry_statement(noise), noise.target, "noise on every iteration", {}, {}, {}};
  if (noise.published == Published::no) {
    const double share = 1 / static_cast<double>(s.iterations + 1);  // of one in each component
    // The noise depends on the block of each question.
    plan.releases = {{kPowerProducts,
                      "gaussian",
                      s.dim * s.starts,
                      s.components * s.iterations,
                      share * static_cast<double>(s.iterations),
                      {},
                      ""},
                     {kPowerValues, "gaussian", s.starts, s.components, share, {}, ""}};
    plan.held_by_budget = true;
    return plan;
  }
  plan.method += fmt::format(", as published ({})", name_of(noise.published));
  const PublishedPowerRecords lines = published_records(noise);
  for (const ReleaseRecord* line : {&lines.products, &lines.values}) {
    const double share = static_cast<double>(line->count) /
                         static_cast<double>(lines.products.count + lines.values.count);
    plan.releases.push_back(
        {line->what, line->mechanism, line->values, line->count, share, line->noise, line->note});
  }
  return plan;
}

PublishedPowerRecords published_records(const PowerNoise& noise) {
  return {published_record(noise, noise.shape.order - 1),
          published_record(noise, noise.shape.order)};
}

PrivatePowerOracle::PrivatePowerOracle(Sensitive<SymmetricTensor> tensor, const PowerNoise& noise,
                                       PrivateRun& run,
                                       const std::optional<PublishedPowerRecords>& records)
    : noise_(noise),
      run_(run),
      held_(std::make_unique<Held>(ReleaseAccess::take(std::move(tensor)), noise.max_entry)),
      exact_(&held_->oracle),
      products_left_(noise.shape.components * noise.shape.iterations),
      values_left_(noise.shape.components) {
  start(records);
}

PrivatePowerOracle::PrivatePowerOracle(SymmetricOracle& exact, const PowerNoise& noise,
                                       PrivateRun& run)
    : noise_(noise),
      run_(run),
      exact_(&exact),
      products_left_(noise.shape.components * noise.shape.iterations),
      values_left_(noise.shape.components) {
  start({});
  run.deny("the answers come from a tensor that was treated as public");
}

PrivatePowerOracle::~PrivatePowerOracle() = default;

void PrivatePowerOracle::start(const std::optional<PublishedPowerRecords>& records) {
  SOTTO_REQUIRE(exact_->dim() == noise_.shape.dim && exact_->order() == noise_.shape.order,
                "the noise was planned for dimension {} and order {}, the tensor has {} and {}",
                noise_.shape.dim, noise_.shape.order, exact_->dim(), exact_->order());
  if (noise_.published == Published::no) {
    run_.require_budget();
    return;
  }
  const PublishedPowerRecords lines = records ? *records : published_records(noise_);
  published_products_.emplace(run_, lines.products);
  published_values_.emplace(run_, lines.values);
}

void PrivatePowerOracle::expect(const Matrix& block, std::int64_t& left) {
  SOTTO_REQUIRE(block.cols() == noise_.shape.starts,
                "the noise was planned for blocks of {} starts, not {}", noise_.shape.starts,
                block.cols());
  SOTTO_REQUIRE(left > 0, "the private oracle has given all {} answers that were planned",
                noise_.shape.answers());
  --left;
}

Matrix PrivatePowerOracle::contract(const Matrix& block) {
  expect(block, products_left_);
  return release(block, order() - 1, exact_->contract(block), published_products_);
}

Vector PrivatePowerOracle::values(const Matrix& block) {
  expect(block, values_left_);
  return release(block, order(), exact_->values(block).transpose(), published_values_).transpose();
}

Matrix PrivatePowerOracle::release(const Matrix& block, int power, Matrix answer,
                                   std::optional<PlannedReleases>& planned) {
  return planned ? release_columns(block, power, std::move(answer), *planned)
                 : release_block(block, power, std::move(answer)).value().value;
}

Released<Noisy<Matrix>> PrivatePowerOracle::release_block(const Matrix& block, int power,
                                                          Matrix answer) {
  const double sensitivity = noise_.change * block_sensitivity(block, order(), power);
  const double error = answer_error(block, order(), power, noise_.max_entry);
  const auto count = static_cast<std::int64_t>(answer.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(static_cast<double>(count))};
  const GaussianMechanism mechanism(power == order() ? kPowerValues : kPowerProducts, sensitivity,
                                    deviation_for(hidden, 1 / noise_.scale), count, error);
  return run_.publish(mechanism, std::move(answer));
}

Matrix PrivatePowerOracle::release_columns(const Matrix& block, int power, Matrix answer,
                                           PlannedReleases& planned) {
  for (Index l = 0; l < block.cols(); ++l) {
    const double unit = std::pow(block.col(l).cwiseAbs().maxCoeff(), power);
    const GaussianMechanism mechanism("start", noise_.change * factorial(order()) * unit,
                                      noise_.scale * unit, answer.rows());
    answer.col(l) = planned.publish(mechanism, Vector(answer.col(l))).value().value;
  }
  return answer;
}

double tensor_deviation(const PublicShape& shape, const PrivacyTarget& target, double change) {
  const double mu = affordable_mu(target, 1, unique_entries(shape.dim, shape.order));
  const double spread = std::sqrt(std::pow(static_cast<double>(shape.dim), shape.order));
  const double p = factorial(shape.order);  // also the largest multiplicity, whose noise is least
  return deviation_for({change * p, spread, std::sqrt(p)}, mu);
}

Plan plan_tensor(const PublicShape& shape, const PrivacyTarget& target, const EntryBounds& bounds) {
  const ReleaseRecord record = tensor_mechanism(shape, target, bounds.change).record();
  Plan plan{entry_statement(shape, target, bounds), target, "noise on the tensor", {}, {}, {}};
  plan.releases = {{record.what, record.mechanism, record.values, 1, 1, record.noise,
                    "in isometric coordinates"}};
  return plan;
}

Released<Noisy<SymmetricTensor>> release_tensor(Sensitive<SymmetricTensor> tensor,
                                                const PrivacyTarget& target, PrivateRun& run,
                                                const EntryBounds& bounds) {
  SymmetricTensor exact = ReleaseAccess::take(std::move(tensor));
  if (bounds.max_entry) clip(exact, *bounds.max_entry);
  const PublicShape shape{exact.dim(), exact.order()};
  return run.publish(tensor_mechanism(shape, target, bounds.change), std::move(exact));
}

}  // namespace sotto
