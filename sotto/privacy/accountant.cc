#include "sotto/privacy/accountant.h"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/composition.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/pld.h"
#include "sotto/privacy/renyi.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

// The least noise in [low, high] at which epsilon_of(noise) <= epsilon; high must satisfy it.
double least_noise(double low, double high, double epsilon,
                   const std::function<double(double)>& epsilon_of) {
  while (epsilon_of(low) <= epsilon) high = low, low /= 2;
  const auto excess = [&](double log_noise) { return epsilon_of(std::exp(log_noise)) - epsilon; };
  const auto close = [](double a, double b) { return b - a < 1e-11; };
  std::uintmax_t steps = 30;
  auto [a, b] =
      boost::math::tools::toms748_solve(excess, std::log(low), std::log(high), close, steps);
  // The account is computed numerically: the noise returned is checked, and raised until it holds.
  double noise = std::exp(b);
  for (double step = 1e-12; epsilon_of(noise) > epsilon; step *= 4) noise *= 1 + step;
  return noise;
}

double zcdp_of(std::span<const Spend> spends) {
  double rho = 0;
  for (const Spend& spend : spends) {
    rho += static_cast<double>(spend.count) * zcdp_rho_of(spend.cost);
  }
  return rho;
}

}  // namespace

double account_gaussian(double noise_multiplier, std::int64_t count, double delta) {
  require_noise(noise_multiplier);
  require_count(count);
  return gdp_epsilon(std::sqrt(static_cast<double>(count)) / noise_multiplier, delta);
}

double account_laplace(double scale, std::int64_t count, double delta) {
  SOTTO_REQUIRE(scale > 0 && std::isfinite(scale), "scale must be finite and > 0, got {}", scale);
  const Spend spend{LaplaceCost{1 / scale}, count};
  return account({&spend, 1}, delta);
}

double account_subsampled(double noise_multiplier, double sampling_rate, std::int64_t count,
                          double delta) {
  const Spend spend{SubsampledGaussianCost{noise_multiplier, sampling_rate}, count};
  return account({&spend, 1}, delta);
}

BestBound account_by_rule(std::span<const Spend> spends, double delta) {
  require_spends(spends);
  if (const double sum = basic_pure_epsilon(spends); delta == 0 && !std::isnan(sum)) {
    return {sum, "basic"};
  }
  return best_bound(spends, delta);
}

double account(std::span<const Spend> spends, double delta) {
  return account_by_rule(spends, delta).epsilon;
}

double calibrate_gaussian(double epsilon, double delta, std::int64_t count) {
  return gdp_noise_multiplier(epsilon, delta, count);
}

double calibrate_laplace(double epsilon, double delta, std::int64_t count) {
  require_epsilon(epsilon);
  require_count(count);
  const double plain = static_cast<double>(count) / epsilon;
  const double enough = plain * (1 + 8 * std::numeric_limits<double>::epsilon());
  if (delta == 0) return enough;
  require_delta(delta);
  return least_noise(plain / 2, enough, epsilon,
                     [&](double scale) { return account_laplace(scale, count, delta); });
}

double calibrate_subsampled(double epsilon, double delta, double sampling_rate,
                            std::int64_t count) {
  require_rate(sampling_rate);
  const double whole = gdp_noise_multiplier(epsilon, delta, count);
  if (sampling_rate == 1) return whole;
  return least_noise(whole / 2, whole, epsilon, [&](double sigma) {
    return account_subsampled(sigma, sampling_rate, count, delta);
  });
}

std::vector<AccountLine> compare(std::span<const Spend> spends, double delta) {
  require_spends(spends);
  const bool pure_only = delta == 0 && !std::isnan(basic_pure_epsilon(spends));
  if (!pure_only) require_delta(delta);
  const std::string pure_note = "says nothing at delta = 0";
  const std::string sampled_note = "does not cover sampled releases";
  const bool sampled = any_sampled(spends);
  const double mu = gaussian_mu(spends);

  std::vector<AccountLine> lines{{"basic", basic_epsilon(spends, delta), ""}};
  const auto line = [&](const char* name, const std::string& why_not, auto epsilon) {
    const std::string note = pure_only ? pure_note : why_not;
    lines.push_back({name, note.empty() ? epsilon() : kNaN, note});
  };
  line("advanced", "", [&] { return advanced_epsilon(spends, delta); });
  line("zcdp", sampled ? sampled_note : "", [&] { return zcdp_epsilon(zcdp_of(spends), delta); });
  line("rdp", "", [&] { return rdp_epsilon(canonical(spends), delta); });
  line("gdp", std::isnan(mu) ? "covers Gaussian releases only" : "",
       [&] { return gdp_epsilon(mu, delta); });
  const BestBound best = account_by_rule(spends, delta);
  lines.push_back({"pld", best.epsilon,
                   best.rule == "pld" ? "" : "the bound of " + best.rule + ", which is smaller"});
  return lines;
}

}  // namespace sotto
