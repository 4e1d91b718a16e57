#include "sotto/audit/claims.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/spends.h"

namespace sotto::audit {
namespace {

// Between them, a test finds its best place to within a few percent.
constexpr double kDeltas[] = {1e-4, 1e-3, 0.003, 0.01, 0.02, 0.03, 0.05, 0.075,
                              0.1,  0.15, 0.2,   0.25, 0.3,  0.35, 0.4,  0.5,
                              0.6,  0.65, 0.7,   0.75, 0.8,  0.85, 0.9,  0.95};

// The certificate of its first releases alone.
Certificate beginning_of(const Certificate& whole, std::size_t count) {
  Certificate begun = whole;
  begun.releases.clear();
  auto left = static_cast<std::int64_t>(count);
  for (CertifiedRelease release : whole.releases) {
    if (left == 0) break;
    release.record.count = std::min(left, release.record.count);
    left -= release.record.count;
    begun.releases.push_back(std::move(release));
  }
  return begun;
}

double epsilon_of(const RecordBill& bill, double delta) {
  const double ideal = (delta - bill.precision.delta) * std::exp(-bill.precision.epsilon);
  const bool payable = ideal > 0 || (delta == 0 && !std::isnan(basic_pure_epsilon(bill.spends)));
  if (!payable) return kInfinity;
  if (bill.spends.empty()) return 0;
  return sotto::account(bill.spends, std::max(0.0, ideal)) + bill.precision.epsilon;
}

Cost with_share_of_noise(double share, const Cost& cost) {
  struct Scale {
    double share;
    Cost operator()(const GaussianCost& c) const { return GaussianCost{c.mu / share}; }
    Cost operator()(const LaplaceCost& c) const { return LaplaceCost{c.epsilon / share}; }
    Cost operator()(const PureCost& c) const { return PureCost{c.epsilon / share}; }
    Cost operator()(const SubsampledGaussianCost& c) const {
      return SubsampledGaussianCost{c.noise_multiplier * share, c.sampling_rate};
    }
  };
  return std::visit(Scale{share}, cost);
}

double pure_part(const RecordBill& bill) {
  double sum = 0;
  for (const Spend& spend : bill.spends) {
    sum += pure_epsilon(spend.cost) * static_cast<double>(spend.count);
  }
  return sum;
}

}  // namespace

Claims::Claims(const Certificate& certificate) : certificate_(certificate) {
  SOTTO_REQUIRE(certificate.proved, "the run claims no privacy, so there is nothing to audit: {}",
                certificate.why);
  for (const CertifiedRelease& release : certificate.releases) {
    releases_ += static_cast<std::size_t>(release.record.count);
  }
  deltas_.push_back(certificate.statement.delta);
  for (const double delta : kDeltas) {
    if (delta > deltas_.front()) deltas_.push_back(delta);
  }
}

std::vector<double> Claims::account(std::size_t count, double share_of_noise) const {
  Certificate begun = beginning_of(certificate_, count);
  for (CertifiedRelease& release : begun.releases) {
    release.record.cost = with_share_of_noise(share_of_noise, release.record.cost);
  }
  const std::vector<RecordBill> bills = begun.bills();
  std::vector<double> epsilons;
  for (const double delta : deltas_) {
    double largest = 0;
    for (const RecordBill& bill : bills) largest = std::max(largest, epsilon_of(bill, delta));
    epsilons.push_back(largest);
  }
  return epsilons;
}

// A budget promises pure releases by their sum and Gaussian ones by one mu (privacy/budget.md).
std::vector<double> Claims::account_budget() const {
  const PrivacyClaim promise = *certificate_.statement.budget;
  double pure = 0;
  for (const RecordBill& bill : certificate_.bills()) pure = std::max(pure, pure_part(bill));
  const double left = promise.epsilon - pure;
  const double mu = left > 0 ? gdp_mu(left, promise.delta) : 0;
  std::vector<double> epsilons;
  for (const double delta : deltas_) {
    epsilons.push_back(delta == deltas_.front() ? promise.epsilon : pure + gdp_epsilon(mu, delta));
  }
  return epsilons;
}

const std::vector<double>& Claims::epsilons(std::size_t count) const {
  const auto found = known_.find(count);
  if (found != known_.end()) return found->second;
  const bool promised = count >= releases_ && certificate_.statement.budget;
  return known_.emplace(count, promised ? account_budget() : account(count, 1)).first->second;
}

std::vector<double> Claims::epsilons_with(double share_of_noise, std::size_t count) const {
  return account(count, share_of_noise);
}

NoiseKind Claims::noise(std::size_t count) const {
  bool all_laplace = true;
  for (const RecordBill& bill : beginning_of(certificate_, count).bills()) {
    if (any_sampled(bill.spends)) return NoiseKind::sampled;
    if (std::isnan(basic_pure_epsilon(bill.spends))) return NoiseKind::gaussian;
    for (const Spend& spend : bill.spends) {
      all_laplace = all_laplace && std::holds_alternative<LaplaceCost>(spend.cost);
    }
  }
  return all_laplace ? NoiseKind::laplace : NoiseKind::pure;
}

}  // namespace sotto::audit
