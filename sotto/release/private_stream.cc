#include "sotto/release/private_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/moments/stream_sums.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

constexpr const char* kStreamProducts = "mean of x (x.u)^(p-1), its own records";
constexpr const char* kStreamValues = "mean of (x.u)^p, its own records";

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
         std::sqrt(static_cast<double>(plan.starts)) * kSafeSpectral;
}

std::string needs(const PrivateStreamPlan& plan) {
  return fmt::format("needs {} records, {} answers from {} each{}", plan.records(), plan.answers,
                     plan.batch,
                     plan.search ? fmt::format(" and {} for the bound", plan.search->records) : "");
}

std::string norm_fact(const PrivateStreamPlan& plan) {
  if (!plan.search) {
    return fmt::format("that records longer than {:g} are clipped to that norm", plan.max_norm);
  }
  return fmt::format("that records are clipped to a norm between {:g} and {:g}",
                     plan.search->range.low, plan.search->range.high);
}

std::string order_fact(const PrivateStreamPlan& plan) {
  if (!plan.shuffled) return "that the order of the records does not depend on what is in them";
  return fmt::format(
      "the number of records in all, {}, from which those read are drawn in a secret order",
      *plan.shuffled);
}

}  // namespace

PrivateStreamPlan plan_private_stream(const PublicStream& stream, const PrivacyTarget& target,
                                      const RecordNorm& norm, const StreamQuestions& questions) {
  SOTTO_REQUIRE_AT(questions.batch > 0 || stream.records, "`batch`",
                   "is needed: {} does not say how many records it has", stream.name);
  const std::int64_t answers = questions.answers, batch = questions.batch;
  SOTTO_REQUIRE_AT(batch <= std::numeric_limits<std::int64_t>::max() / 2 / answers, "`batch`",
                   "{} answers from {} records are too many", answers, batch);
  PrivateStreamPlan plan{target, stream.dim, questions.order, questions.starts, answers, batch, 0};
  if (questions.shuffle) {
    require_random_access(stream.random_access && stream.records, stream.name);
    plan.shuffled = stream.records;
  }
  if (const auto* range = std::get_if<NormRange>(&norm)) {
    const std::int64_t run = batch > 0 ? answers * batch : *stream.records;
    plan.search = NormSearch{*range, norm_search_records(target.epsilon, run), target.epsilon};
    plan.max_norm = range->high;
    NormBound(*plan.search);  // refuses an epsilon for which there is none
  } else {
    plan.max_norm = std::get<double>(norm);
  }
  if (batch == 0) {
    const std::int64_t sought = plan.search ? plan.search->records : 0;
    plan.batch = std::max<std::int64_t>(1, (*stream.records - sought) / answers);
  }
  SOTTO_REQUIRE_AT(!stream.records || plan.records() <= *stream.records, stream.name,
                   "this run {}, it has {}: give more records, a smaller `batch`, or fewer "
                   "`iterations` or `components`",
                   needs(plan), *stream.records);
  return plan;
}

double stream_mu(const PrivateStreamPlan& plan) {
  return affordable_mu(plan.target, 1, plan.dim * plan.starts);
}

double record_bound(const Matrix& block, const PrivateStreamPlan& plan, int power) {
  const Matrix gram = multiply_transposed(block, block);
  const double lambda = leading_eigenpairs(gram, 1).values[0];
  const double longest = std::sqrt(gram.diagonal().maxCoeff());
  // The error of the computed Gram matrix, relative to lambda >= |U|_F^2 / min(d, L).
  const auto smaller = static_cast<double>(std::min(block.rows(), block.cols()));
  const double summing = 4 * gamma(static_cast<double>(block.rows()) + 8) * smaller;
  return integer_power(plan.max_norm, plan.order) * integer_power(longest, power - 1) *
         std::sqrt(lambda) * (kSafeSpectral + summing);
}

PrivacyStatement record_statement(const PrivateStreamPlan& plan) {
  PrivacyStatement statement;
  statement.unit = "one record";
  statement.neighbours =
      plan.shuffled ? "one record replaced by another, all of them in any order; the number of "
                      "records stays the same"
                    : "one record replaced by another in its place; the other records, their order "
                      "and their number stay the same";
  statement.public_facts = {
      fmt::format("the number of records read, {}", plan.records()), order_fact(plan),
      fmt::format("the dimension of the records, {}", plan.dim), norm_fact(plan), "all options"};
  statement.delta = plan.target.delta;
  statement.units = {plan.records(), "records"};
  return statement;
}

Plan plan_releases(const PrivateStreamPlan& plan, std::int64_t values) {
  Plan made{record_statement(plan), plan.target, "noise on the mean of every batch", {}, {}, {}};
  if (plan.search) {
    const ReleaseRecord bound = NormBound(*plan.search).record();
    made.releases.push_back(
        {bound.what, bound.mechanism, 1, 1, 1, bound.noise, "in the score of a bound", true});
  }
  // The noise depends on the block of each question, and on the bound.
  made.releases.push_back({kStreamProducts,
                           "gaussian",
                           plan.dim * plan.starts,
                           plan.answers - values,
                           1,
                           {},
                           "",
                           true});
  made.releases.push_back({kStreamValues, "gaussian", plan.starts, values, 1, {}, "", true});
  return made;
}

PrivateStreamOracle::PrivateStreamOracle(Sensitive<OnePassRecords> records,
                                         const PrivateStreamPlan& plan, PrivateRun& run,
                                         const std::optional<OrderSeed>& order)
    : plan_(plan),
      records_(ReleaseAccess::take(std::move(records))),
      run_(run),
      group_(run.open_disjoint_group()),
      mu_(stream_mu(plan)),
      bound_known_(!plan.search),
      answers_left_(plan.answers) {
  SOTTO_REQUIRE(records_.source().dim() == plan.dim, "records of dimension {}, planned for {}",
                records_.source().dim(), plan.dim);
  SOTTO_REQUIRE(plan.order == 3 || plan.order == 4, "the order must be 3 or 4, got {}", plan.order);
  SOTTO_REQUIRE(plan.batch >= 1 && plan.answers >= 1 && plan.starts >= 1,
                "a plan has answers, starts and a batch of at least 1");
  const double least = plan.search ? plan.search->range.low : plan.max_norm;
  SOTTO_REQUIRE_AT(least >= 1e-20 && plan.max_norm <= 1e20,
                   plan.search ? "`norm-range`" : "`max-norm`",
                   "a bound on the norm must lie between 1e-20 and 1e20");
  SOTTO_REQUIRE(order.has_value() == plan.shuffled.has_value(),
                "an order is needed exactly where the plan says shuffle");
  if (order) shuffle(*order);
}

void PrivateStreamOracle::shuffle(const OrderSeed& order) {
  SOTTO_REQUIRE(records_.source().records() == plan_.shuffled, "planned for {} records to shuffle",
                *plan_.shuffled);
  records_.read_in_order(secret_permutation(*plan_.shuffled, order));
  if (!order.secure) run_.deny("the order was drawn from an insecure seed: it is not secret");
}

StreamPosition PrivateStreamOracle::position() const {
  return {plan_.answers - answers_left_, 0, records_.source().position(),
          plan_.search && bound_known_ ? plan_.max_norm : 0, records_.source().digest()};
}

void PrivateStreamOracle::resume_at(const StreamPosition& position) {
  const Index sought = plan_.search ? plan_.search->records : 0;
  SOTTO_REQUIRE(answers_left_ == plan_.answers && records_.source().position() == 0,
                "a stream can be resumed only before its first answer");
  SOTTO_REQUIRE(1 <= position.answers && position.answers <= plan_.answers && position.pass == 0 &&
                    position.record == sought + position.answers * plan_.batch &&
                    (!plan_.search || (0 < position.bound && position.bound <= plan_.max_norm)),
                "the position does not belong to this plan");
  records_.skip(position.record);
  check_resumed(records_.source(), position);
  answers_left_ -= position.answers;
  if (!plan_.search) return;
  run_.replay(NormBound(*plan_.search).record(), group_);
  plan_.max_norm = position.bound;
  bound_known_ = true;
}

// The question is the same, so the release was the same: its noise depends on nothing else.
void PrivateStreamOracle::replayed(const Matrix& block, Asked asked) {
  const int power = asked == Asked::values ? order() : order() - 1;
  run_.replay(mechanism_for(block, power).record(), group_);
}

void PrivateStreamOracle::find_bound() {
  if (bound_known_) return;
  const NormBound bound(*plan_.search);
  plan_.max_norm = run_.choose(bound, bound.tally(records_), group_).value();
  bound_known_ = true;
}

Matrix PrivateStreamOracle::next_mean(const RecordSum& sum) {
  --answers_left_;
  const RecordTotal found = records_.sum_next(sum, plan_.batch);
  SOTTO_REQUIRE_AT(found.records == plan_.batch, records_.source().name(),
                   "ended after {} records; this run {}", records_.source().position(),
                   needs(plan_));
  return found.sum / static_cast<double>(plan_.batch);
}

void PrivateStreamOracle::begin_answer() {
  SOTTO_REQUIRE(answers_left_ > 0, "all {} planned answers have been given", plan_.answers);
  find_bound();
}

Matrix PrivateStreamOracle::contract(const Matrix& block) {
  begin_answer();
  const int power = order() - 1;
  const PowerProducts sum(block, power, plan_.max_norm);
  return release(block, power, next_mean(sum)).value().value;
}

Vector PrivateStreamOracle::values(const Matrix& block) {
  begin_answer();
  const PowerValues sum(block, order(), plan_.max_norm);
  return release(block, order(), next_mean(sum)).value().value.transpose();
}

GaussianMechanism PrivateStreamOracle::mechanism_for(const Matrix& block, int power) const {
  SOTTO_REQUIRE(block.cols() == plan_.starts, "the noise was planned for blocks of {}, not {}",
                plan_.starts, block.cols());
  const double sensitivity =
      2 * record_bound(block, plan_, power) / static_cast<double>(plan_.batch) * kSafeSpectral;
  const double longest = block.colwise().norm().maxCoeff();
  const double error = mean_error(plan_, records_.source(), longest);
  const bool numbers = power == order();
  const auto count = static_cast<std::int64_t>(numbers ? block.cols() : block.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(static_cast<double>(count))};
  return GaussianMechanism(numbers ? kStreamValues : kStreamProducts, sensitivity,
                           deviation_for(hidden, mu_), count, error);
}

Released<Noisy<Matrix>> PrivateStreamOracle::release(const Matrix& block, int power, Matrix mean) {
  const GaussianMechanism mechanism = mechanism_for(block, power);
  return run_.publish(mechanism, std::move(mean), group_);
}

}  // namespace sotto
