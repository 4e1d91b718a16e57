#include "sotto/privacy/loss_models.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "sotto/privacy/numbers.h"
#include "sotto/privacy/sampled_gaussian.h"

namespace sotto {
namespace {

constexpr double kCells = 1 << 14;
// y = m z - m^2/2 from which on a loss log(1 + q (e^y - 1)) counts as tail: e^6 times a typical
// one, and five deviations out.
double tail_from(double noise_multiplier) {
  const double m = 1 / noise_multiplier;
  return std::fmax(6.0, 5 * m - m * m / 2);
}

// The exponent s of sampled_gaussian.h and the model up to the cut; adding has bounded losses.
double exponent(const View& view) {
  return view.direction == Direction::remove ? 1 + view.theta : -view.theta;
}

SampledGaussian sampled(const SubsampledGaussianCost& c, const View& view) {
  if (view.direction == Direction::add) return {c.noise_multiplier, c.sampling_rate};
  return {c.noise_multiplier, c.sampling_rate,
          SampledGaussian::cap_for(c.noise_multiplier, c.sampling_rate, view.cut)};
}

struct Discretise {
  const View& view;
  double theta = view.theta;

  // N(mu^2/2, mu^2) tilted by theta is N(mu^2 (1/2 + theta), mu^2).
  TwoScaleLoss operator()(const GaussianCost& c) const {
    const double reach = std::sqrt(2 * view.depth), step = 2 * reach * c.mu / kCells;
    const double centre = c.mu * c.mu * (0.5 + theta);
    LossDistribution result(theta, step, centre - reach * c.mu, centre + reach * c.mu);
    using Rule = boost::math::quadrature::gauss<double, 5>;
    const double width = step / c.mu;
    const double first = std::ceil((centre - reach * c.mu) / step);
    for (int cell = 0; cell < kCells - 1; ++cell) {
      const double k = first + cell;
      const double y = k * width - centre / c.mu;
      for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
        for (const double sign : {-1.0, 1.0}) {
          const double x = (1 + sign * Rule::abscissa()[i]) / 2;
          const double at = y + width * x, weight = width / 2 * Rule::weights()[i];
          result.add((k + x) * step, weight * std::exp(-at * at / 2) / std::sqrt(2 * M_PI));
          if (x == 0.5) break;
        }
      }
    }
    result.normalise(theta * (1 + theta) * c.mu * c.mu / 2);
    result.lose(10 * std::exp(-view.depth));
    return {std::move(result), {}};
  }

  // Atoms at e (1/2) and -e (e^{-e}/2), between them the density e^{(l - e)/2} / 4. Each cell of
  // the grid holds the same shape, so one cell is integrated and the others are multiples of it.
  TwoScaleLoss operator()(const LaplaceCost& c) const {
    const double e = c.epsilon, rate = 0.5 + theta;
    const double window = std::fmin(2 * e, view.depth / rate);
    const double step = e / std::exp2(std::ceil(std::log2(kCells / 2 * e / window)));
    const double low = std::fmax(-e, e - window);
    LossDistribution result(theta, step, low, e);
    result.add(e, 0.5);
    if (low == -e) result.add(-e, 0.5 * std::exp(-(1 + 2 * theta) * e));
    const auto cells = static_cast<std::int64_t>(std::floor((e - low) / step));
    const auto top = static_cast<double>(std::llround(e / step));
    using Rule = boost::math::quadrature::gauss<double, 7>;
    for (std::int64_t k = 1; k <= cells; ++k) {
      const double lower = (top - static_cast<double>(k)) * step;
      for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
        for (const double sign : {-1.0, 1.0}) {
          const double l = lower + step * (1 + sign * Rule::abscissa()[i]) / 2;
          result.add(l, step / 8 * Rule::weights()[i] * std::exp(rate * (l - e)));
          if (i == 0) break;
        }
      }
    }
    result.normalise(theta * e);
    result.lose(10 * std::exp(-view.depth));
    return {std::move(result), {}};
  }

  // Randomised response: e with probability e^e/(1 + e^e), else -e.
  TwoScaleLoss operator()(const PureCost& c) const {
    const double e = c.epsilon;
    LossDistribution result(theta, e, -e, e);
    result.add(e, 1 / (1 + std::exp(-e)));
    result.add(-e, std::exp(-(1 + 2 * theta) * e) / (1 + std::exp(-e)));
    result.normalise(theta * e);
    result.lose(10 * std::exp(-view.depth));
    return {std::move(result), {}};
  }

  TwoScaleLoss operator()(const SubsampledGaussianCost& c) const {
    const SampledGaussian model = sampled(c, view);
    const double sign = view.direction == Direction::remove ? 1 : -1;
    const double s = exponent(view);
    const auto over = model.support(s, view.depth);
    const double low = model.log_ratio(over.intervals.front().low);
    const double high = model.log_ratio(over.intervals.back().high);
    const double split = std::log1p(c.sampling_rate * std::expm1(tail_from(c.noise_multiplier)));
    const bool far = split > low && 4 * (split - low) < high - low;
    const double edge = far ? split : high;
    const auto grid = [&](double from, double to) {
      const double width = std::fmax(to - from, 1e-9 * std::fmax(std::abs(from), std::abs(to)));
      return LossDistribution(theta, width / kCells, sign > 0 ? from : -to, sign > 0 ? to : -from);
    };
    LossDistribution bulk = grid(low, edge);
    std::optional<LossDistribution> tail;
    if (far) tail = grid(edge, high);
    const SampledGaussian::Cells cells{bulk.step(), edge, tail ? tail->step() : 0};
    model.integrate(s, over, cells, [&](double l, double w) {
      (tail && l > edge ? *tail : bulk).add(sign * l, w);
    });
    if (tail && tail->normalise(over.peak) == 0) tail.reset();
    const double sum = bulk.normalise(over.peak);
    bulk.lose(SampledGaussian::kOutside * std::exp(-view.depth) / sum);
    return {std::move(bulk), std::move(tail)};
  }
};

}  // namespace

TwoScaleLoss loss_distribution(const Cost& cost, const View& view) {
  return std::visit(Discretise{view}, cost);
}

double loss_log_moment(const Cost& cost, const View& view) {
  const auto* c = std::get_if<SubsampledGaussianCost>(&cost);
  if (!c) return renyi_log_moment(cost, view.theta, view.direction);
  const double s = exponent(view);
  if (std::abs(s) > 1e4 * c->noise_multiplier && view.direction == Direction::add) {
    return renyi_log_moment(cost, view.theta, view.direction);
  }
  return sampled(*c, view).log_moment(s);
}

double loss_relative_error(const Cost& cost, const View& view) {
  const auto* c = std::get_if<SubsampledGaussianCost>(&cost);
  return c ? sampled(*c, view).relative_error(exponent(view)) : 64 * kUnit;
}

}  // namespace sotto
