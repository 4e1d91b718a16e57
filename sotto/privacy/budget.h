// A privacy budget: fixed before the data is seen, spent release by release, never exceeded.
//
// Releases may be chosen during the computation, their noise and number included. One rule limits
// them, fixed when the budget is made (a budget that took the better of two accounts afterwards
// would prove nothing):
// - gaussian: Gaussian releases by GDP, sum of mu^2 up to mu(epsilon - pure, delta)^2, and beside
//   them pure releases by their plain sum, up to `pure_epsilon`;
// - concentrated: both by zCDP, sum of mu^2/2 and epsilon^2/2 up to rho(epsilon, delta);
// - pure: pure releases only, delta = 0.
// A fixed list may be cheaper by PLD, but PLD proves nothing for adaptive lists and is never used
// here. The argument and the papers are in budget.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/privacy/release_record.h"

namespace sotto {

class Budget {
 public:
  static Budget gaussian(double epsilon, double delta, double pure_epsilon = 0);
  static Budget concentrated(double epsilon, double delta);
  static Budget pure(double epsilon);

  // One owner: a copy would allow spending twice, and nothing resets a budget.
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  Budget(Budget&& other) noexcept;
  Budget& operator=(Budget&& other) = delete;

  // Pays for the releases, or throws Error and stays as it was. Call it before the noise is drawn.
  void charge(const Spend& spend) { charge(std::span<const Spend>(&spend, 1)); }
  void charge(std::span<const Spend> spends);

  bool affords(std::span<const Spend> spends) const;

  // Moves the given shares of what is left into budgets of their own. Shares are positive and sum
  // to at most 1; the rest stays here.
  std::vector<Budget> split(std::span<const double> shares);

  // What is left: mu for Gaussian releases, epsilon for pure ones (in `concentrated` either, not
  // both).
  double gaussian_left() const;
  double pure_left() const;

  // The least noise multiplier at which `count` equal Gaussian releases can still be paid.
  double noise_multiplier(std::int64_t count) const;

  // The promise made for everything charged to this budget and its shares together.
  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }

 private:
  enum class Rule { gaussian, concentrated, pure };
  // A sum that keeps what each addition rounds off, so that a million small releases add up.
  struct Total {
    long double sum = 0;
    long double rest = 0;
    void add(long double amount);
    long double up() const;
  };
  // mu^2 (or 2 rho) and the plain sum of epsilon.
  struct Amount {
    long double square = 0;
    long double pure = 0;
  };
  Budget(Rule rule, double epsilon, double delta, Amount limit);
  Amount price(std::span<const Spend> spends) const;
  bool covers(const Amount& amount) const;
  void pay(const Amount& amount);

  Rule rule_;
  double epsilon_;
  double delta_;
  Amount limit_;
  Total spent_square_;
  Total spent_pure_;
};

}  // namespace sotto
