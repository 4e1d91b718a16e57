#include "sotto/complete/private/sgd.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Tuned on MovieLens latest-small (docs/completion.md).
constexpr double kSamplingRate = 0.3, kStepLength = 0.1, kClipDeviations = 1.5;
constexpr double kStartFactorShare = 0.3;  // of the deviation of a factor
constexpr double kWidths = 4.3;            // deviations of a rating in the range
// Prior variances, in variances of a rating.
constexpr double kSgdMeanVariance = 0.05, kSgdUserVariance = 0.12, kSgdItemVariance = 0.05,
                 kSgdContextVariance = 0.01, kSgdLowRankVariance = 0.1, kSgdErrorVariance = 0.75;

double rating_variance(const ValueBounds& bounds) {
  return bounds.width() * bounds.width() / (kWidths * kWidths);
}

// Where the parameters are: the mean, the biases of every mode, the factors of users and items.
class ParameterLayout {
 public:
  ParameterLayout(const std::vector<Index>& dims, Index rank) : rank_(rank) {
    Index next = 1;
    for (const Index dim : dims) {
      bias_.push_back(next);
      next += dim;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      factor_[side] = next;
      next += dims[side] * rank;
    }
    size_ = next;
  }
  Index size() const { return size_; }
  Index rank() const { return rank_; }
  Index bias(std::size_t mode, Index row) const { return bias_[mode] + row; }
  Index factor(std::size_t side, Index row) const { return factor_[side] + row * rank_; }

 private:
  std::vector<Index> bias_;
  Index factor_[2] = {};
  Index rank_, size_ = 0;
};

class Descent {
 public:
  Descent(const ObservedEntries& positions, const GradientPlan& plan, Index rank,
          std::uint64_t seed, double deviation)
      : positions_(positions), plan_(plan), layout_(positions.dims, rank) {
    start_ = start_model(LowRank::cp, rank, positions.dims,
                         {std::vector<double>(positions.dims.size(), 0), 1, 0, seed, 0});
    set_scales(deviation);
  }

  void linearise(Index e, Linearised& at) const {
    at.predicted = plan_.bounds.middle() + parameters_[0];
    at.direction.push_back({0, 1});
    for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
      if (m > 1 && positions_.dims[m] == 1) continue;
      const Index n = layout_.bias(m, positions_.row(static_cast<Index>(m), e));
      at.predicted += parameters_[n];
      at.direction.push_back({n, 1});
    }
    const Index a = layout_.factor(0, positions_.row(0, e));
    const Index b = layout_.factor(1, positions_.row(1, e));
    for (Index r = 0; r < layout_.rank(); ++r) {
      at.predicted += parameters_[a + r] * parameters_[b + r];
      at.direction.push_back({a + r, parameters_[b + r]});
      at.direction.push_back({b + r, parameters_[a + r]});
    }
  }

  void move(const Vector& gradient) {
    parameters_.array() +=
        kStepLength * (gradient.array() / plan_.rate - penalty_.array() * parameters_.array()) /
        (curvature_ + penalty_).array();
  }

  const Vector& parameters() const { return parameters_; }

  CompletionModel model(const Vector& at) const {
    CompletionModel model = start_;
    model.biases.mean = plan_.bounds.middle() + at[0];
    for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
      model.biases.rows[m] = at.segment(layout_.bias(m, 0), positions_.dims[m]);
      if (m < 2) {
        for (Index i = 0; i < positions_.dims[m]; ++i) {
          model.factors[m].row(i).head(layout_.rank()) =
              at.segment(layout_.factor(m, i), layout_.rank());
        }
      } else {
        model.factors[m].leftCols(layout_.rank()).setOnes();
      }
    }
    model.range = std::pair(plan_.bounds.low, plan_.bounds.high);
    return model;
  }

 private:
  // Curvature and penalty of every parameter, and the start: factors a little off zero.
  void set_scales(double deviation) {
    const double one = rating_variance(plan_.bounds);
    const double size =
        std::sqrt(kSgdLowRankVariance * one / std::sqrt(static_cast<double>(layout_.rank())));
    parameters_ = Vector::Zero(layout_.size());
    curvature_ = penalty_ = Vector::Ones(layout_.size());
    const auto set = [&](Index n, double curvature, double prior) {
      const double noise = deviation * deviation * kStepLength / (2 * plan_.rate * plan_.rate);
      curvature_[n] = curvature;
      penalty_[n] = (kSgdErrorVariance * one + noise / std::max(curvature, 1.0)) / prior;
    };
    set(0, static_cast<double>(positions_.size()), kSgdMeanVariance * one);
    for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
      const RowEntries rows(positions_, static_cast<Index>(m));
      const double prior = (m == 0   ? kSgdUserVariance
                            : m == 1 ? kSgdItemVariance
                                     : kSgdContextVariance) *
                           one;
      for (Index i = 0; i < rows.rows(); ++i) {
        const auto count = static_cast<double>(rows.count(i));
        set(layout_.bias(m, i), count, prior);
        for (Index r = 0; m < 2 && r < layout_.rank(); ++r) {
          set(layout_.factor(m, i) + r, count * size * size, size * size);
          parameters_[layout_.factor(m, i) + r] =
              kStartFactorShare * size * start_.factors[m](i, r);
        }
      }
    }
  }

  const ObservedEntries& positions_;
  GradientPlan plan_;
  ParameterLayout layout_;
  CompletionModel start_;
  Vector parameters_, curvature_, penalty_;
};

}  // namespace

GradientPlan plan_private_sgd(const RatingShape& shape, const PrivacyTarget& target,
                              const ValueBounds& bounds, Index rank) {
  SOTTO_REQUIRE(shape.ratings > 0, "there are no entries to learn from");
  GradientPlan plan{target, bounds};
  plan.ratings = shape.ratings;
  plan.numbers = ParameterLayout(shape.dims, rank).size();
  plan.coefficients = 1 + std::ssize(shape.dims) + 2 * rank;
  plan.clip = kClipDeviations * std::sqrt(rating_variance(bounds));
  plan.rate = kSamplingRate;
  // Where the noise is small, more steps find more of the low-rank part.
  plan.steps = std::clamp<std::int64_t>(std::llround(10 * std::min(target.epsilon, 1e3)), 50, 200);
  plan.multiplier = noise_multiplier(plan);
  return plan;
}

CompletionModel fit_private_sgd(const ObservedEntries& positions, const GradientPlan& plan,
                                Index rank, std::uint64_t seed, RatingGradients& gradients) {
  Descent descent(positions, plan, rank, seed, gradients.deviation());
  Vector sum = Vector::Zero(descent.parameters().size());
  const std::int64_t first = plan.steps / 2;
  for (std::int64_t n = 0; n < plan.steps; ++n) {
    const auto linearise = [&](Index e, Linearised& at) { descent.linearise(e, at); };
    descent.move(gradients.step(linearise).value().value);
    if (n >= first) sum += descent.parameters();
  }
  return descent.model(sum / static_cast<double>(plan.steps - first));
}

}  // namespace sotto
