#include "sotto/complete/private/sums_posterior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sotto::private_sums {
namespace {

constexpr int kMostSteps = 300;
constexpr int kLaplaceRounds = 1;
constexpr double kTolerance = 1e-5;
constexpr double kLeastOfPrior = 0.02;  // to which evidence can lower what is expected
// Where nothing is expected: the probability that there is nothing, and otherwise the variances
// that are equally likely, in variances of a rating: kMost, half of it, and so on.
constexpr double kNothing = 0.95, kMost = 0.3;
constexpr int kVariances = 9, kBisections = 60;

// Evidence about the variance of the unknowns of a block. A sum y has
//   E y^2 = lead * variance + rest,
// where `rest` comes from everything else and from noise. Each counts by how much it tells if the
// prior is right.
class Evidence {
 public:
  // `kurtosis`: the excess of the fourth moment of the noise, in squares of its variance.
  Evidence(double prior, double kurtosis) : prior_(prior), kurtosis_(kurtosis) {}

  void add(double y, double lead, double rest, double noise) {
    const double total = rest + noise + prior_ * lead;
    if (!(total > 0)) return;
    const double weight = lead / (total * total), tail = kurtosis_ * noise * noise;
    above_ += weight * (y * y - rest - noise);
    expected_ += weight * lead;
    spread_ += weight * weight * (2 * total * total + tail);
  }

  // What the evidence cannot deny: the prior holds for itself with an error as large as itself.
  double lowered() const {
    if (!(expected_ > 0) || !(prior_ > 0)) return prior_;
    const double trust = prior_ * prior_ / (prior_ * prior_ + spread_ / (expected_ * expected_));
    return std::clamp(trust * above_ / expected_ + (1 - trust) * prior_, kLeastOfPrior * prior_,
                      prior_);
  }

 private:
  double prior_, kurtosis_;
  double above_ = 0, expected_ = 0, spread_ = 0;
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

double log_erfc(double x) {
  constexpr double kLarge = 10;
  if (x < kLarge) return std::log(std::erfc(x));
  const double y = 0.5 / (x * x);
  return -x * x - std::log(x * std::sqrt(M_PI)) + std::log1p(-y + 3 * y * y);
}

// The log density of a normal number of this variance with noise of that one.
double log_density(double y, double variance, double noise, RatingNoise kind) {
  constexpr double kHardlyNoise = 1e-8, kHardlyNormal = 1e-10;
  if (kind == RatingNoise::gaussian || noise < kHardlyNoise * variance) {
    const double total = variance + noise;
    return -0.5 * (y * y / total + std::log(2 * M_PI * total));
  }
  const double scale = std::sqrt(noise / 2), size = std::abs(y) / scale;
  const double ratio = std::max(variance / (scale * scale), kHardlyNormal);
  const double root = std::sqrt(2 * ratio);
  const double near = log_erfc((ratio - size) / root) - size;
  const double far = log_erfc((ratio + size) / root) + size;
  const double larger = std::max(near, far);
  return ratio / 2 - std::log(4 * scale) + larger +
         std::log(std::exp(near - larger) + std::exp(far - larger));
}

// The effects of rows of which nothing is expected. How large they are is not known: nothing, or
// any size. The sums say how likely each is, and the posterior mean is the mean over all of them.
class UnexpectedEffects {
 public:
  UnexpectedEffects(double noise, RatingNoise kind) : noise_(noise), kind_(kind) {}

  void add(double y, double lead, double rest) {
    if (lead > 0) sums_.push_back({y, lead, rest});
  }

  // The variance that shrinks the effects as the mean over all variances does.
  double variance(double rating) const {
    if (sums_.empty()) return 0;
    std::array<double, kVariances> logs{};  // of the likelihoods over that of nothing
    for (int j = 0; j < kVariances; ++j) {
      logs[j] = log_likelihood(std::ldexp(kMost * rating, -j)) - log_likelihood(0);
    }
    const double largest = std::max(0.0, *std::max_element(logs.begin(), logs.end()));
    double weights = kNothing * std::exp(-largest), kept = 0;
    for (int j = 0; j < kVariances; ++j) {
      const double weight = (1 - kNothing) / kVariances * std::exp(logs[j] - largest);
      weights += weight;
      kept += weight * part_kept(std::ldexp(kMost * rating, -j));
    }
    const double wanted = kept / weights;
    double low = 0, high = kMost * rating;
    for (int step = 0; step < kBisections; ++step) {
      const double middle = (low + high) / 2;
      (part_kept(middle) < wanted ? low : high) = middle;
    }
    return (low + high) / 2;
  }

 private:
  struct Sum {
    double y, lead, rest;
  };

  double log_likelihood(double variance) const {
    double sum = 0;
    for (const Sum& s : sums_) sum += log_density(s.y, s.lead * variance + s.rest, noise_, kind_);
    return sum;
  }
  // The mean over rows of how much of its sum an effect keeps.
  double part_kept(double variance) const {
    // Laplace noise is worth half its variance to a weak signal.
    const double noise = kind_ == RatingNoise::laplace ? noise_ / 2 : noise_;
    double sum = 0;
    for (const Sum& s : sums_) {
      sum += s.lead * variance / (s.lead * variance + s.rest + noise);
    }
    return sum / static_cast<double>(sums_.size());
  }

  double noise_;
  RatingNoise kind_;
  std::vector<Sum> sums_;
};

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
  if (!design.plan().positions_tell) {
    for (std::size_t m = 0; m < priors.modes.size(); ++m) {
      UnexpectedEffects effects(noise, found.noise);
      for (Index r = 0; r < lead.modes[m].size(); ++r) {
        effects.add(found.sums.modes[m][r], lead.modes[m][r] * lead.modes[m][r],
                    rating * squares.modes[m][r]);
      }
      priors.modes[m] = effects.variance(rating);
    }
    priors.tastes = priors.user_slope = priors.item_slope = 0;
    return priors;
  }
  const double kurtosis = found.noise == RatingNoise::laplace ? 3 : 0;
  for (std::size_t m = 0; m < priors.modes.size(); ++m) {
    Evidence evidence(priors.modes[m], kurtosis);
    for (Index r = 0; r < lead.modes[m].size(); ++r) {
      evidence.add(found.sums.modes[m][r], lead.modes[m][r] * lead.modes[m][r],
                   rating * squares.modes[m][r], noise);
    }
    priors.modes[m] = evidence.lowered();
  }
  Evidence tastes(priors.tastes, kurtosis);
  const FactorRows& own = design.own_tastes();
  for (Index u = 0; u < own.rows(); ++u) {
    for (Index c = 0; c < own.cols(); ++c) {
      tastes.add(found.sums.tastes(u, c), own(u, c) * own(u, c), rating * squares.tastes(u, c),
                 noise);
    }
  }
  priors.tastes = tastes.lowered();
  const auto slope = [&](std::size_t m, double prior, const Matrix& features) {
    const Vector total = (squares.modes[m] * rating).array() + noise +
                         priors.modes[m] * lead.modes[m].array().square();
    return lowered_slopes(Evidence(prior, kurtosis), features, found.sums.modes[m], lead.modes[m],
                          total);
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
