// What counts prove about probabilities: Clopper and Pearson's limits (audit.md, 2).
//
// Each limit is wrong with probability at most alpha, whatever the true probability is. Cost: a
// table of n + 1 limits, made once, microseconds each.
#pragma once

#include <cstdint>
#include <vector>

namespace sotto::audit {

// P[Binomial(n, p) >= k].
double binomial_tail(std::int64_t k, std::int64_t n, double p);

class BinomialLimits {
 public:
  BinomialLimits(std::int64_t n, double alpha);

  std::int64_t n() const { return n_; }
  double lower(std::int64_t hits) const { return lower_[static_cast<std::size_t>(hits)]; }
  double upper(std::int64_t hits) const { return 1 - lower_[static_cast<std::size_t>(n_ - hits)]; }

 private:
  std::int64_t n_;
  std::vector<double> lower_;
};

// Where an event has probability at least `p` on one data set and at most `q` on its neighbour, no
// smaller epsilon holds at this delta. Negative where nothing is proved.
double proved_epsilon(double p, double q, double delta);

}  // namespace sotto::audit
