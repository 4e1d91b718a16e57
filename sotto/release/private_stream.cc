#include "sotto/release/private_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/linalg/spectral.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"

namespace sotto {
namespace {

// Covers the roundings in a bound, the eigenvalue included.
constexpr double kSafe = 1 + 0x1p-30;

// gamma_k of Higham.
double gamma(double k) { return k * 0x1p-53 / (1 - k * 0x1p-53); }

// min(1, B/|x|) for each row; 0 for a record so long that its square overflows.
Vector shrink_factors(const PointBlock& points, double max_norm) {
  return squared_norms(points).unaryExpr([max_norm](double square) {
    if (!std::isfinite(square)) return 0.0;
    return square > max_norm * max_norm ? max_norm / std::sqrt(square) : 1.0;
  });
}

// (r s)^power for power 2 to 4, entry by entry.
template <class Row>
Eigen::ArrayXXd raised(double r, const Row& s, int power) {
  const Eigen::ArrayXXd t = r * s.array();
  if (power == 2) return t.square();
  return power == 3 ? Eigen::ArrayXXd(t.cube()) : Eigen::ArrayXXd(t.square().square());
}

double integer_power(double x, int power) {
  double result = 1;
  for (int a = 0; a < power; ++a) result *= x;
  return result;
}

// private_stream.md, step 4: the error of a computed mean in L2 norm.
double mean_error(const PrivateStreamPlan& plan, const PointSource& source, double longest) {
  const auto d = static_cast<double>(plan.dim);
  const auto depth = static_cast<double>(addition_depth(source, plan.batch));
  const double relative = plan.order * gamma(2 * d + 16) + gamma(depth + 2);
  return relative * integer_power(plan.max_norm * std::max(1.0, longest), plan.order) *
         std::sqrt(static_cast<double>(plan.starts)) * kSafe;
}

}  // namespace

void refuse_records(const Error& error, const std::string& name) {
  if (error.fault() == Fault::system || error.place().starts_with("--")) throw error;
  throw Error(
      "has a record that cannot be read as finite numbers; what is wrong with it is not shown in a "
      "private run, and nothing was released",
      name);
}

Index OnePassRecords::read(Index max_rows, PointBlock& block) {
  try {
    return source_->read(max_rows, block);
  } catch (const Error& error) {
    refuse_records(error, source_->name());
  }
}

PrivateStreamPlan plan_private_stream(const Sensitive<std::unique_ptr<PointSource>>& data,
                                      const PrivacyTarget& target, double max_norm,
                                      const StreamQuestions& questions) {
  const PointSource& source = *ReleaseAccess::view(data);
  SOTTO_REQUIRE_AT(source.dim_is_declared(), "--dim",
                   "is needed: the dimension of {} would otherwise be read off the records",
                   source.name());
  const std::optional<Index> records = source.records();
  SOTTO_REQUIRE_AT(questions.batch > 0 || records, "--batch",
                   "is needed: {} does not say how many records it has", source.name());
  const std::int64_t batch =
      questions.batch > 0 ? questions.batch : std::max<Index>(1, *records / questions.answers);
  const PrivateStreamPlan plan{
      target, source.dim(), questions.order, questions.starts, questions.answers, batch, max_norm};
  SOTTO_REQUIRE_AT(!records || plan.records() <= *records, source.name(),
                   "this run needs {} records, {} answers from {} each, it has {}: give more "
                   "records, a smaller --batch, or fewer --iterations or --components",
                   plan.records(), plan.answers, plan.batch, *records);
  return plan;
}

double record_bound(const Matrix& block, const PrivateStreamPlan& plan, int power) {
  const Matrix gram = block.transpose() * block;
  const double lambda = leading_eigenpairs(gram, 1).values[0];
  const double longest = std::sqrt(gram.diagonal().maxCoeff());
  return integer_power(plan.max_norm, plan.order) * integer_power(longest, power - 1) *
         std::sqrt(lambda) * kSafe;
}

PrivacyStatement record_statement(const PrivateStreamPlan& plan) {
  PrivacyStatement statement;
  statement.unit = "one record";
  statement.neighbours = "one record replaced by another; the number of records stays the same";
  statement.public_facts = {
      fmt::format("the number of records read, {}", plan.records()),
      fmt::format("their dimension, {}", plan.dim),
      fmt::format("that records longer than {:g} are shortened to that norm", plan.max_norm),
      "all options"};
  statement.delta = plan.target.delta;
  return statement;
}

PrivateStreamOracle::PrivateStreamOracle(Sensitive<OnePassRecords> records,
                                         const PrivateStreamPlan& plan, NoiseKey key,
                                         Ledger& ledger)
    : plan_(plan),
      records_(ReleaseAccess::take(std::move(records))),
      key_(std::move(key)),
      ledger_(ledger),
      group_(ledger.open_disjoint_group()),
      mu_(affordable_mu(plan.target, 1, plan.dim * plan.starts)),
      answers_left_(plan.answers) {
  SOTTO_REQUIRE(records_.source().dim() == plan.dim, "records of dimension {}, planned for {}",
                records_.source().dim(), plan.dim);
  SOTTO_REQUIRE(plan.order == 3 || plan.order == 4, "the order must be 3 or 4, got {}", plan.order);
  SOTTO_REQUIRE(plan.batch >= 1 && plan.answers >= 1 && plan.starts >= 1,
                "a plan has answers, starts and a batch of at least 1");
  SOTTO_REQUIRE_AT(plan.max_norm > 0 && std::isfinite(integer_power(plan.max_norm, plan.order)),
                   "--max-norm", "must be positive, got {}", plan.max_norm);
  if (!key_.secure()) {
    ledger.deny("the noise was drawn from an insecure seed: who knows it can subtract it");
  }
}

ReadRecords PrivateStreamOracle::next_batch() {
  SOTTO_REQUIRE(answers_left_ > 0, "all {} planned answers have been given", plan_.answers);
  --answers_left_;
  const Index step = block_rows(records_.source());
  return [this, step, left = plan_.batch](PointBlock& points) mutable {
    if (left == 0) return Index{0};
    const Index rows = records_.read(std::min(step, left), points);
    SOTTO_REQUIRE_AT(rows > 0, records_.source().name(),
                     "ended after {} records; this run needs {}, {} answers from {} each",
                     records_.source().position(), plan_.records(), plan_.answers, plan_.batch);
    left -= rows;
    return rows;
  };
}

Matrix PrivateStreamOracle::contract(const Matrix& block) {
  const RowMatrix u = block;
  RowMatrix sum = RowMatrix::Zero(u.rows(), u.cols());
  const int power = order() - 1;
  // With x^ = r x the contribution x^ (x^.u)^(p-1) is x times r (r s)^(p-1), s = x.u.
  const ScoreMap contribution = [&](const PointBlock& points, RowMatrix& s) {
    const Vector shrink = shrink_factors(points, plan_.max_norm);
    for (Index i = 0; i < s.rows(); ++i) {
      if (shrink[i] == 0) {
        s.row(i).setZero();
      } else {
        s.row(i) = shrink[i] * raised(shrink[i], s.row(i), power);
      }
    }
  };
  add_mapped_product(next_batch(), u, contribution, sum);
  return release(block, power, sum / static_cast<double>(plan_.batch));
}

Vector PrivateStreamOracle::values(const Matrix& block) {
  const RowMatrix u = block;
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(u.cols());
  const ScoreMap contribution = [&](const PointBlock& points, RowMatrix& s) {
    const Vector shrink = shrink_factors(points, plan_.max_norm);
    for (Index i = 0; i < s.rows(); ++i) {
      if (shrink[i] == 0) {
        s.row(i).setZero();
      } else {
        s.row(i) = raised(shrink[i], s.row(i), order());
      }
    }
  };
  add_mapped_scores(next_batch(), u, contribution, sum);
  return release(block, order(), sum / static_cast<double>(plan_.batch)).transpose();
}

Matrix PrivateStreamOracle::release(const Matrix& block, int power, const Matrix& mean) {
  SOTTO_REQUIRE(block.cols() == plan_.starts, "the noise was planned for blocks of {}, not {}",
                plan_.starts, block.cols());
  const double sensitivity =
      2 * record_bound(block, plan_, power) / static_cast<double>(plan_.batch) * kSafe;
  const double longest = block.colwise().norm().maxCoeff();
  const double error = mean_error(plan_, records_.source(), longest);
  const auto count = static_cast<std::int64_t>(mean.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(static_cast<double>(count))};
  const GaussianMechanism mechanism(power == order() ? "mean of (x.u)^p, its own records"
                                                     : "mean of x (x.u)^(p-1), its own records",
                                    sensitivity, deviation_for(hidden, mu_), count, error);
  Matrix noisy(mean.rows(), mean.cols());
  mechanism.release({mean.data(), static_cast<std::size_t>(count)}, key_.open_stream(),
                    {noisy.data(), static_cast<std::size_t>(count)});
  ledger_.add_to_group(group_, mechanism.record());
  return noisy;
}

}  // namespace sotto
