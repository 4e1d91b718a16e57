// Goodness of fit for tests: how surprising is a sample under a claimed law?
//
// Each function returns a p-value. A test of a sampler asserts p > alpha, and its twin asserts
// p < alpha for the same sample with a planted error, so that the first assertion means something.
#pragma once

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::testing {

inline constexpr double kAlpha = 1e-6;

inline double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
inline double laplace_cdf(double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; }
inline double exponential_cdf(double x) { return -std::expm1(-x); }
inline double gamma_cdf(double shape, double x) { return boost::math::gamma_p(shape, x); }
inline double gamma_quantile(double shape, double p) { return boost::math::gamma_p_inv(shape, p); }
inline double uniform_cdf(double x) { return x; }

// Pearson's chi-square of counts against probabilities; neighbouring cells are joined until each
// expects at least 20.
inline double chi_square_p(std::span<const double> observed, std::span<const double> probability) {
  double total = 0;
  for (double o : observed) total += o;
  double statistic = 0, o = 0, e = 0;
  int cells = 0;
  double left_over = total;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    o += observed[i];
    e += probability[i] * total;
    const bool last = i + 1 == observed.size();
    if ((e < 20 || left_over - e < 20) && !last) continue;
    statistic += (o - e) * (o - e) / e;
    left_over -= e;
    o = e = 0;
    ++cells;
  }
  return boost::math::gamma_q((cells - 1) / 2.0, statistic / 2);
}

// The same for a continuous law: cdf(x) must be uniform over equal bins.
template <class Sample, class Cdf>
double fit_p(const Sample& sample, Cdf cdf, int bins = 500) {
  std::vector<double> observed(bins), probability(bins, 1.0 / bins);
  for (const auto& x : sample) ++observed[std::clamp(int(cdf(x) * bins), 0, bins - 1)];
  return chi_square_p(observed, probability);
}

// The same from the quantile function, for laws whose cdf is slow.
template <class Sample, class Quantile>
double quantile_fit_p(const Sample& sample, Quantile quantile, int bins = 500) {
  std::vector<double> edges, observed(bins), probability(bins, 1.0 / bins);
  for (int i = 1; i < bins; ++i) edges.push_back(quantile(double(i) / bins));
  for (double x : sample) {
    ++observed[std::upper_bound(edges.begin(), edges.end(), x) - edges.begin()];
  }
  return chi_square_p(observed, probability);
}

// Kolmogorov-Smirnov: P(sup |F_n - F| sqrt(n) > t) by its limit, with Stephens' correction.
template <class Cdf>
double kolmogorov_p(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = double(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(sample[i]);
    distance = std::max({distance, f - double(i) / n, double(i + 1) / n - f});
  }
  const double t = distance * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 ? 2 : -2) * std::exp(-2.0 * k * k * t * t);
  return t < 0.2 ? 1 : std::clamp(p, 0.0, 1.0);
}

// Two-sided p-value of a standard normal statistic.
inline double normal_p(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

// The p-value of the sample mean of g(x), whose mean and variance are known.
template <class Sample, class Function>
double mean_p(const Sample& sample, Function g, double mean, double variance) {
  double sum = 0;
  for (const auto& x : sample) sum += g(x) - mean;
  return normal_p(sum / std::sqrt(variance * double(sample.size())));
}

// Two-sided p-value of a count that should be Poisson.
inline double poisson_p(double count, double mean) {
  const double at_most = boost::math::gamma_q(count + 1, mean);
  const double at_least = count > 0 ? boost::math::gamma_p(count, mean) : 1;
  return std::min(1.0, 2 * std::min(at_most, at_least));
}

// Independence of x and y, both uniform on [0, 1): chi-square on a table of cells, which sees any
// dependence, not only correlation.
template <class X, class Y>
double independence_p(std::size_t n, X x, Y y, int cells = 16) {
  std::vector<double> observed(cells * cells), probability(cells * cells, 1.0 / (cells * cells));
  for (std::size_t i = 0; i < n; ++i) {
    const int a = std::clamp(int(x(i) * cells), 0, cells - 1);
    const int b = std::clamp(int(y(i) * cells), 0, cells - 1);
    ++observed[a * cells + b];
  }
  return chi_square_p(observed, probability);
}

// Clopper & Pearson's exact confidence limits for a probability, each wrong with probability alpha.
inline double lower_limit(double hits, double n, double alpha = kAlpha) {
  return hits == 0 ? 0 : boost::math::ibeta_inv(hits, n - hits + 1, alpha);
}
inline double upper_limit(double hits, double n, double alpha = kAlpha) {
  return hits == n ? 1 : boost::math::ibetac_inv(hits + 1, n - hits, alpha);
}

}  // namespace sotto::testing
