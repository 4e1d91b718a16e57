#include "sotto/complete/private/sums_posterior.h"

#include <algorithm>
#include <cmath>

namespace sotto::private_sums {
namespace {

constexpr int kMostSteps = 300;
constexpr int kLaplaceRounds = 1;
constexpr double kTolerance = 1e-5;
constexpr double kLeastOfPrior = 0.02;  // to which evidence can lower what is expected
constexpr double kStandsOut = 2;        // deviations of what noise alone would show

// Evidence about the variance of the unknowns of a block. A sum y has
//   E y^2 = lead * variance + rest,
// where `rest` comes from everything else and from noise. Each counts by how much it tells if the
// prior is right.
class Evidence {
 public:
  // `kurtosis`: the excess of the fourth moment of the noise, in squares of its variance.
  Evidence(double prior, double kurtosis, bool expected)
      : prior_(prior), kurtosis_(kurtosis), is_expected_(expected) {}

  void add(double y, double lead, double rest, double noise) {
    const double total = rest + prior_ * lead;
    if (!(total > 0)) return;
    const double weight = lead / (total * total), tail = kurtosis_ * noise * noise;
    above_ += weight * (y * y - rest);
    expected_ += weight * lead;
    spread_ += weight * weight * (2 * total * total + tail);
    spread_of_nothing_ += weight * weight * (2 * rest * rest + tail);
  }

  // Unknowns that are expected keep what the evidence cannot deny: the prior holds for itself with
  // an error as large as itself. Others are nothing unless they stand out of what the sums would
  // show of nothing.
  double lowered() const {
    if (!(expected_ > 0) || !(prior_ > 0)) return prior_;
    const double seen = above_ / expected_;
    if (!is_expected_) {
      return above_ < kStandsOut * std::sqrt(spread_of_nothing_) ? 0 : std::min(seen, prior_);
    }
    const double trust = prior_ * prior_ / (prior_ * prior_ + spread_ / (expected_ * expected_));
    return std::clamp(trust * seen + (1 - trust) * prior_, kLeastOfPrior * prior_, prior_);
  }

 private:
  double prior_, kurtosis_;
  bool is_expected_;
  double above_ = 0, expected_ = 0, spread_ = 0, spread_of_nothing_ = 0;
};

// Slopes move all rows of a mode at once: each has one sum over rows, weighted by what they tell.
// `total`: the variance of a sum without them.
double lowered_slopes(Evidence evidence, const Matrix& features, const Vector& sums,
                      const Vector& lead, const Vector& total) {
  const Vector weight = (total.array() > 0).select(lead.array() / total.array(), 0.0);
  for (Index c = 0; c < features.cols(); ++c) {
    const Vector coefficient = features.col(c).cwiseProduct(weight);
    const double reach = coefficient.dot(features.col(c).cwiseProduct(lead));
    evidence.add(coefficient.dot(sums), reach * reach, coefficient.cwiseAbs2().dot(total), 0);
  }
  return evidence.lowered();
}

class Posterior {
 public:
  Posterior(const Design& design, const Priors& priors, double rating)
      : design_(design), priors_(priors), signal_(signal(rating)) {}

  // `noise`: the variance V of the noise in each sum.
  Unknowns mean(const Answers& released, const Answers& noise) const {
    Answers scaling = signal_;
    scaling.combine(1, 1, noise);
    Answers left = released, found = released;
    found.combine(0, 0, released);
    Answers direction = left.divided_by(scaling);
    double length = left.dot(direction);
    const double enough = kTolerance * kTolerance * length;
    for (int step = 0; step < kMostSteps && length > enough; ++step) {
      const Answers image = apply(direction, noise);
      const double along = length / direction.dot(image);
      found.combine(1, along, direction);
      left.combine(1, -along, image);
      const Answers scaled = left.divided_by(scaling);
      const double before = length;
      length = left.dot(scaled);
      direction.combine(length / before, 1, scaled);
    }
    return design_.prior_times_transposed(design_.entries_of(found), priors_);
  }

  // Laplace noise counts as normal noise of another variance, which depends on the distance d of a
  // sum from what the model predicts. For a signal of variance m far below the noise, E[signal | d]
  // = m sign(d) / scale, smoothed over sqrt(m). So the noise counts as scale * |d|, on average half
  // its variance, and never for more than its variance.
  Answers worth(const Answers& released, const Unknowns& theta, const Answers& noise) const {
    Answers distance = released;
    distance.combine(1, -1, design_.answers_of(design_.entries_of(theta)));
    const Answers reach =
        distance.times(distance).with(signal_, [](double d2, double m) { return d2 + m * M_PI_2; });
    return noise.with(reach, [](double v, double r) { return std::min(v, std::sqrt(v / 2 * r)); });
  }

 private:
  // Q^T (Z D Z^T + s I) Q q + V q.
  Answers apply(const Answers& q, const Answers& noise) const {
    const Vector v = design_.entries_of(q);
    const Vector x = design_.entries_of(design_.prior_times_transposed(v, priors_));
    Answers result = design_.answers_of(x + priors_.error * v);
    result.combine(1, 1, q.times(noise));
    return result;
  }

  // About the diagonal of that matrix without V: a row's own unknown, and everything else as if
  // independent from entry to entry.
  Answers signal(double rating) const {
    Answers result = design_.answers_of(Vector::Ones(design_.size()));
    const Answers& squares = design_.squares();
    result.all = result.all * result.all * priors_.mean + squares.all * rating;
    for (std::size_t m = 0; m < result.modes.size(); ++m) {
      result.modes[m] = result.modes[m].cwiseAbs2() * priors_.modes[m] + squares.modes[m] * rating;
    }
    result.tastes = priors_.tastes * design_.own_tastes().cwiseAbs2() + rating * squares.tastes;
    return result;
  }

  const Design& design_;
  Priors priors_;
  Answers signal_;
};

}  // namespace

Priors lowered_by_evidence(Priors priors, const Design& design, const NoisySums& found,
                           double rating) {
  const Answers lead = design.answers_of(Vector::Ones(design.size()));
  const Answers& squares = design.squares();
  const double noise = found.variance;
  const double kurtosis = found.noise == RatingNoise::laplace ? 3 : 0;
  const bool expected = design.plan().positions_tell;
  for (std::size_t m = 0; m < priors.modes.size(); ++m) {
    Evidence evidence(priors.modes[m], kurtosis, expected);
    for (Index r = 0; r < lead.modes[m].size(); ++r) {
      evidence.add(found.sums.modes[m][r], lead.modes[m][r] * lead.modes[m][r],
                   noise + rating * squares.modes[m][r], noise);
    }
    priors.modes[m] = evidence.lowered();
  }
  Evidence tastes(priors.tastes, kurtosis, expected);
  const FactorRows& own = design.own_tastes();
  for (Index u = 0; u < own.rows(); ++u) {
    for (Index c = 0; c < own.cols(); ++c) {
      tastes.add(found.sums.tastes(u, c), own(u, c) * own(u, c),
                 noise + rating * squares.tastes(u, c), noise);
    }
  }
  priors.tastes = tastes.lowered();
  const auto rest = [&](std::size_t m) -> Vector {
    return (squares.modes[m] * rating).array() + noise;
  };
  const auto slope = [&](std::size_t m, double prior, const Matrix& features) {
    const Vector total = rest(m) + priors.modes[m] * lead.modes[m].cwiseAbs2();
    return lowered_slopes(Evidence(prior, kurtosis, expected), features, found.sums.modes[m],
                          lead.modes[m], total);
  };
  priors.user_slope = slope(0, priors.user_slope, design.features().users);
  if (lead.modes[1].size() > 0) {
    priors.item_slope = slope(1, priors.item_slope, design.features().items);
  }
  return priors;
}

Unknowns posterior_mean(const Design& design, const Priors& priors, const NoisySums& found,
                        double rating) {
  const Posterior posterior(design, priors, rating);
  const Answers noise = found.sums.with(found.sums, [&](double, double) { return found.variance; });
  Unknowns theta = posterior.mean(found.sums, noise);
  if (found.noise == RatingNoise::gaussian) return theta;
  for (int round = 0; round < kLaplaceRounds; ++round) {
    theta = posterior.mean(found.sums, posterior.worth(found.sums, theta, noise));
  }
  return theta;
}

}  // namespace sotto::private_sums
