#include "sotto/privacy/spends.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/sampled_gaussian.h"

namespace sotto {
namespace {

struct Check {
  void operator()(const GaussianCost& c) const {
    SOTTO_REQUIRE(c.mu >= 0 && c.mu <= 1e100, "mu must be finite and >= 0, got {}", c.mu);
  }
  void operator()(const LaplaceCost& c) const { pure(c.epsilon); }
  void operator()(const PureCost& c) const { pure(c.epsilon); }
  void operator()(const SubsampledGaussianCost& c) const {
    require_noise(c.noise_multiplier);
    SOTTO_REQUIRE(c.noise_multiplier >= 1e-100, "noise-multiplier {} is too small to account for",
                  c.noise_multiplier);
    require_rate(c.sampling_rate);
  }
  static void pure(double epsilon) {
    SOTTO_REQUIRE(epsilon >= 0 && epsilon <= 1e100,
                  "the epsilon of a release must be finite and >= 0, got {}", epsilon);
  }
};

// mu of the release without sampling, NaN where it is not Gaussian.
struct WholeMu {
  double operator()(const GaussianCost& c) const { return c.mu; }
  double operator()(const SubsampledGaussianCost& c) const { return 1 / c.noise_multiplier; }
  double operator()(const LaplaceCost&) const { return kNaN; }
  double operator()(const PureCost&) const { return kNaN; }
};

bool counts_as_gaussian(const Cost& cost) {
  const auto* sampled = std::get_if<SubsampledGaussianCost>(&cost);
  return std::holds_alternative<GaussianCost>(cost) ||
         (sampled && (sampled->sampling_rate == 1 ||
                      sampled->noise_multiplier < SampledGaussian::kLeastNoise));
}

std::tuple<std::size_t, double, double> key(const Cost& cost) {
  if (const auto* c = std::get_if<SubsampledGaussianCost>(&cost)) {
    return {cost.index(), c->noise_multiplier, c->sampling_rate};
  }
  if (const auto* c = std::get_if<GaussianCost>(&cost)) return {cost.index(), c->mu, 0};
  return {cost.index(), pure_epsilon(cost), 0};
}

}  // namespace

void require_spends(std::span<const Spend> spends) {
  for (const Spend& spend : spends) {
    require_count(spend.count);
    std::visit(Check{}, spend.cost);
  }
}

double pure_epsilon(const Cost& cost) {
  if (const auto* laplace = std::get_if<LaplaceCost>(&cost)) return laplace->epsilon;
  if (const auto* pure = std::get_if<PureCost>(&cost)) return pure->epsilon;
  return 0;
}

std::vector<Spend> canonical(std::span<const Spend> spends) {
  require_spends(spends);
  std::vector<Spend> sorted;
  std::vector<Spend> gaussian;
  for (const Spend& spend : spends) {
    (counts_as_gaussian(spend.cost) ? gaussian : sorted).push_back(spend);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Spend& a, const Spend& b) { return key(a.cost) < key(b.cost); });
  std::vector<Spend> result;
  if (const double mu = whole_mu(gaussian); mu > 0) result.push_back({GaussianCost{mu}, 1});
  for (const Spend& spend : sorted) {
    const bool sampled = std::holds_alternative<SubsampledGaussianCost>(spend.cost);
    if (!sampled && pure_epsilon(spend.cost) == 0) continue;
    if (!result.empty() && key(result.back().cost) == key(spend.cost)) {
      result.back().count += spend.count;
    } else {
      result.push_back(spend);
    }
  }
  return result;
}

bool any_sampled(std::span<const Spend> spends) {
  return std::any_of(spends.begin(), spends.end(), [](const Spend& spend) {
    return std::holds_alternative<SubsampledGaussianCost>(spend.cost);
  });
}

double basic_pure_epsilon(std::span<const Spend> spends) {
  long double sum = 0;
  for (const Spend& spend : spends) {
    if (!std::isnan(std::visit(WholeMu{}, spend.cost))) return kNaN;
    sum += static_cast<long double>(spend.count) * pure_epsilon(spend.cost);
  }
  const auto rounded = static_cast<double>(sum);
  return rounded < sum ? std::nextafter(rounded, 1e300) : rounded;
}

double whole_mu(std::span<const Spend> spends) {
  // Squares are sorted before they are added, so that the order of the list does not matter.
  std::vector<long double> squares;
  for (const Spend& spend : spends) {
    const long double mu = std::visit(WholeMu{}, spend.cost);
    squares.push_back(mu * mu * static_cast<long double>(spend.count));
  }
  std::sort(squares.begin(), squares.end());
  long double sum = 0;
  for (const long double square : squares) sum += square;
  return static_cast<double>(std::sqrt(sum));
}

double gaussian_mu(std::span<const Spend> spends) {
  const bool all = std::all_of(spends.begin(), spends.end(), [](const Spend& spend) {
    return std::holds_alternative<GaussianCost>(spend.cost);
  });
  return all ? whole_mu(spends) : kNaN;
}

}  // namespace sotto
