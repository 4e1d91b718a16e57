#include "sotto/privacy/pld.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/loss_models.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/renyi.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 16;

double largest_pure(std::span<const Spend> spends) {
  double largest = 0;
  for (const Spend& spend : spends) largest = std::fmax(largest, pure_epsilon(spend.cost));
  return largest;
}

// All parts on one step: the finest of them, or what the sum of their widths can afford.
TwoScaleLoss combine(const std::vector<TwoScaleLoss>& several) {
  if (several.size() == 1) return several.front();
  std::vector<LossDistribution> parts;
  parts.reserve(several.size());
  for (const TwoScaleLoss& part : several) parts.push_back(part.flat());
  double finest = kInfinity, width = 0;
  for (const auto& part : parts) {
    finest = std::fmin(finest, part.step());
    width += part.width();
  }
  double step = finest;
  while (width / step > static_cast<double>(kLongest)) step *= 2;
  LossDistribution sum = parts.front().regrid(step);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    sum = convolve(sum, parts[i].regrid(step), kLongest);
  }
  return {std::move(sum), {}};
}

// One direction of a list at a target delta. A share of delta, small enough not to matter, pays for
// the far end of unbounded losses. Without that cut, outputs that never occur would dominate their
// moments.
class Account {
 public:
  Account(std::span<const Spend> spends, double delta, Direction direction)
      : spends_(spends), delta_(delta), direction_(direction) {
    double releases = 0;
    for (const Spend& spend : spends) releases += static_cast<double>(spend.count);
    cut_ = kCutShare * delta / releases;
  }

  double epsilon() const {
    const auto moment = [this](double theta) { return log_moment(theta); };
    double theta = saddle_theta(moment, delta_);
    if (const double pure = largest_pure(spends_); pure > 0) theta = std::fmin(theta, 1e8 / pure);
    std::vector<TwoScaleLoss> parts;
    double inflation = 0;  // log of a factor that covers every relative error
    for (const Spend& spend : spends_) {
      const View view{theta, direction_, cut_, 36 + std::log(static_cast<double>(spend.count))};
      parts.push_back(self_convolve(loss_distribution(spend.cost, view), spend.count));
      inflation += static_cast<double>(spend.count) * loss_relative_error(spend.cost, view);
    }
    const TwoScaleLoss loss = combine(parts);
    inflation += 1e-13 * (1 + std::abs(loss.bulk.log_scale()));
    return loss.epsilon(std::log(delta_) + std::log1p(-2 * kCutShare), inflation);
  }

 private:
  static constexpr double kCutShare = 1e-10;

  double log_moment(double theta) const {
    double sum = 0;
    for (const Spend& spend : spends_) {
      sum +=
          static_cast<double>(spend.count) * loss_log_moment(spend.cost, {theta, direction_, cut_});
    }
    return sum;
  }

  std::span<const Spend> spends_;
  double delta_;
  Direction direction_;
  double cut_;
};

// Infinite where the losses span more orders than a grid can hold.
double epsilon_in(std::span<const Spend> spends, double delta, Direction direction) {
  try {
    const double epsilon = Account(spends, delta, direction).epsilon();
    return std::isnan(epsilon) ? kInfinity : epsilon;
  } catch (const Error&) {
    return kInfinity;
  }
}

double epsilon_of(std::span<const Spend> spends, double delta) {
  if (spends.empty()) return 0;
  if (!any_sampled(spends)) return epsilon_in(spends, delta, Direction::remove);
  // The two directions have nothing in common and take equally long.
  auto adding = std::async(std::launch::async, epsilon_in, spends, delta, Direction::add);
  const double removing = epsilon_in(spends, delta, Direction::remove);
  return std::fmax(removing, adding.get());
}

}  // namespace

double pld_epsilon_by_grid(std::span<const Spend> spends, double delta) {
  require_delta(delta);
  return epsilon_of(canonical(spends), delta);
}

BestBound best_bound(std::span<const Spend> spends, double delta) {
  require_delta(delta);
  const std::vector<Spend> list = canonical(spends);
  BestBound best{kInfinity, "pld"};
  const auto offer = [&best](double epsilon, const char* rule) {
    if (epsilon < best.epsilon) best = {epsilon, rule};
  };
  offer(basic_pure_epsilon(list), "basic");  // NaN where it does not hold, and then not taken
  const double mu = whole_mu(list);
  if (!std::isnan(mu)) offer(gdp_epsilon(mu, delta), "gdp");
  if (!std::isnan(gaussian_mu(list)) || best.epsilon == 0) return best;
  offer(rdp_epsilon(list, delta), "rdp");
  offer(epsilon_of(list, delta), "pld");
  return best;
}

double pld_epsilon(std::span<const Spend> spends, double delta) {
  return best_bound(spends, delta).epsilon;
}

}  // namespace sotto
