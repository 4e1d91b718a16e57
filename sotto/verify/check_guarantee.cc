#include <fmt/format.h>

#include <cmath>
#include <map>

#include "sotto/base/error.h"
#include "sotto/base/rounded_up.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/meaning.h"
#include "sotto/verify/checks.h"

namespace sotto::verify {
namespace {

// Rounding of a run is far below this.
constexpr double kClose = 1e-9;

bool close(double a, double b) { return std::fabs(a - b) <= kClose * std::fabs(b); }

// A release as the certificate lists it, without the words.
struct Listed {
  Cost cost;
  std::int64_t count = 1;
  PrecisionCharge precision;
  std::int64_t group = 0;
};

// What is wrong with a certificate.
struct BadCertificate {
  std::string what;
};

double need(const Json& release, const char* key) {
  const std::optional<double> value = number(find(release, key));
  if (!value || *value < 0) throw BadCertificate{fmt::format("a release has no usable {}", key)};
  return *value;
}

std::int64_t need_count(const Json& release, const char* key) {
  const Json& value = find(release, key);
  if (!value.is_number_integer() || value < 1 || value > 1'000'000'000'000) {
    throw BadCertificate{fmt::format("a release has no usable {}", key)};
  }
  return value.get<std::int64_t>();
}

// The cost of a release from its sensitivity and its noise, in the kind that the certificate says.
Cost cost_of(const Json& release) {
  const double ratio = need(release, "sensitivity") / need(release, "noise");
  const Json& said = find(release, "cost");
  const auto agrees = [&](double charged) {
    if (std::isfinite(ratio) && close(charged, ratio)) return charged;
    throw BadCertificate{
        fmt::format("the cost of '{}' does not follow from its sensitivity and noise",
                    words(find(release, "what")))};
  };
  if (const auto mu = number(find(said, "mu"))) return GaussianCost{agrees(*mu)};
  if (const auto epsilon = number(find(said, "epsilon"))) {
    const bool one_number =
        words(find(release, "mechanism")) == "laplace" && find(release, "values") == 1;
    if (one_number) return LaplaceCost{agrees(*epsilon)};
    return PureCost{agrees(*epsilon)};
  }
  const double noise = need(said, "noise_multiplier"), rate = need(said, "sampling_rate");
  agrees(1 / noise);
  return SubsampledGaussianCost{noise, rate};
}

Listed read_release(const Json& release) {
  Listed listed{cost_of(release), need_count(release, "count"), {}, 0};
  if (find(release, "precision").is_object()) {
    listed.precision = {need(release, "precision/epsilon"), need(release, "precision/delta")};
  }
  if (!find(release, "parallel").is_null()) listed.group = need_count(release, "parallel");
  return listed;
}

void pay(RecordBill& bill, const Listed& release) {
  const auto count = static_cast<double>(release.count);
  bill.spends.push_back({release.cost, release.count});
  bill.precision.epsilon += count * release.precision.epsilon;
  bill.precision.delta += count * release.precision.delta;
}

double size_of(const Cost& cost) {
  if (const auto* gaussian = std::get_if<GaussianCost>(&cost)) return gaussian->mu;
  if (const auto* laplace = std::get_if<LaplaceCost>(&cost)) return laplace->epsilon;
  if (const auto* pure = std::get_if<PureCost>(&cost)) return pure->epsilon;
  throw BadCertificate{"releases over disjoint records are sampled"};
}

// The largest of each kind in a group, with the worst precision: a record is in one release of it.
std::vector<Listed> worst_of(const std::vector<Listed>& group) {
  std::map<std::pair<std::size_t, std::int64_t>, Listed> worst;
  for (const Listed& one : group) {
    Listed& most = worst.try_emplace({one.cost.index(), one.count}, one).first->second;
    if (size_of(one.cost) > size_of(most.cost)) most.cost = one.cost;
    most.precision.epsilon = std::max(most.precision.epsilon, one.precision.epsilon);
    most.precision.delta = std::max(most.precision.delta, one.precision.delta);
  }
  std::vector<Listed> list;
  list.reserve(worst.size());
  for (const auto& [kind, one] : worst) list.push_back(one);
  return list;
}

// What a record may pay: everything outside of groups, and one release of each group.
std::vector<RecordBill> bills_of(const Json& releases) {
  RecordBill common;
  std::map<std::int64_t, std::vector<Listed>> groups;
  for (const Json& release : releases) {
    const Listed listed = read_release(release);
    if (listed.group == 0) {
      pay(common, listed);
    } else {
      groups[listed.group].push_back(listed);
    }
  }
  std::vector<RecordBill> bills{common};
  for (const auto& [number, group] : groups) {
    const std::vector<Listed> choices = worst_of(group);
    std::vector<RecordBill> longer;
    for (const RecordBill& bill : bills) {
      for (const Listed& choice : choices) {
        longer.push_back(bill);
        pay(longer.back(), choice);
      }
    }
    if (longer.size() > 4096) throw BadCertificate{"the releases have too many groups"};
    bills = std::move(longer);
  }
  return bills;
}

double left_of(const RecordBill& bill, double delta) {
  const double left = (delta - bill.precision.delta) * std::exp(-bill.precision.epsilon);
  if (left < 0) throw BadCertificate{"delta does not cover the rounding of the releases"};
  return left;
}

// A list that was fixed in advance.
double epsilon_of(const RecordBill& bill, double delta) {
  return account(bill.spends, left_of(bill, delta)) + bill.precision.epsilon;
}

// Releases chosen during the run: only sums of mu^2 and of epsilon hold for them.
double chosen_epsilon_of(const RecordBill& bill, double delta) {
  double mu_squared = 0, pure = bill.precision.epsilon;
  for (const auto& [cost, count] : bill.spends) {
    const auto n = static_cast<double>(count);
    if (const auto* gaussian = std::get_if<GaussianCost>(&cost)) {
      mu_squared += n * gaussian->mu * gaussian->mu;
    } else {
      pure += n * size_of(cost);
    }
  }
  return mu_squared > 0 ? pure + gdp_epsilon(std::sqrt(mu_squared), left_of(bill, delta)) : pure;
}

bool any_sampled_release(const std::vector<RecordBill>& bills) {
  for (const RecordBill& bill : bills) {
    for (const Spend& spend : bill.spends) {
      if (std::holds_alternative<SubsampledGaussianCost>(spend.cost)) return true;
    }
  }
  return false;
}

void check_epsilon(const Promise& promise, Findings& findings) {
  double found = 0;
  for (const RecordBill& bill : promise.bills) {
    found = std::max(found, promise.chosen ? chosen_epsilon_of(bill, promise.claim.delta)
                                           : epsilon_of(bill, promise.claim.delta));
  }
  const auto& [epsilon, delta] = promise.claim;
  const std::string said = rounded_up(epsilon), computed = rounded_up(found);
  if (promise.chosen) {
    findings.require(
        found <= epsilon * (1 + kClose),
        fmt::format("the releases keep to the budget of epsilon {} at delta {}", said,
                    rounded_up(delta)),
        fmt::format("the releases cost epsilon {}, more than the budget of {}", computed, said));
    return;
  }
  findings.require(
      close(found, epsilon),
      fmt::format("epsilon {} at delta {} follows from the releases", said, rounded_up(delta)),
      fmt::format("the releases cost epsilon {}, the certificate says {}", computed, said));
}

void check_meaning(const Promise& promise, const Json& said, Findings& findings) {
  if (promise.claim.epsilon > kMostTelling || promise.claim.epsilon <= 0) {
    findings.require(said.is_null(), "so large an epsilon cannot be expressed as odds",
                     "odds are stated for an epsilon that has none");
    return;
  }
  const Json computed = meaning_of(promise).to_json();
  bool same = said.is_object() && said.size() == computed.size();
  for (const auto& [key, value] : computed.items()) {
    const auto stated = number(find(said, key));
    same = same && stated && std::fabs(*stated - value.get<double>()) <= 1e-6 * value.get<double>();
  }
  findings.require(same, "odds, power and the numbers of a group follow from the releases",
                   "odds, power or the numbers of a group do not follow from the releases");
}

void check_releases(const Json& privacy, Findings& findings) {
  const std::optional<double> epsilon = number(find(privacy, "epsilon"));
  const std::optional<double> delta = number(find(privacy, "delta"));
  if (!epsilon || !delta || *epsilon < 0 || *delta < 0 || *delta >= 1) {
    throw BadCertificate{"epsilon or delta is missing or impossible"};
  }
  const Json& releases = find(privacy, "releases");
  if (!releases.is_array() || releases.empty()) throw BadCertificate{"there are no releases"};
  const bool chosen = words(find(privacy, "accountant")).starts_with("a budget fixed in advance");
  const Promise promise{{*epsilon, *delta}, bills_of(releases), chosen};
  const std::string neighbours = words(find(privacy, "neighbours"));
  if (any_sampled_release(promise.bills) && neighbours.find("added") == std::string::npos) {
    throw BadCertificate{"sampled releases need neighbours that add or remove"};
  }
  check_epsilon(promise, findings);
  check_meaning(promise, find(privacy, "meaning"), findings);
}

}  // namespace

void check_guarantee(const Json& result, Findings& findings) {
  const Json& privacy = find(result, "privacy");
  if (!privacy.is_object()) {
    return findings.fails("the result is not private: it promises nothing");
  }
  if (words(find(privacy, "guarantee")) != "proved") {
    return findings.fails("the result has no guarantee: " + words(find(privacy, "why")));
  }
  if (!find(result, "options/insecure-seed").is_null()) {
    findings.fails("the noise was drawn from a seed, so there is no guarantee");
  }
  try {
    check_releases(privacy, findings);
  } catch (const BadCertificate& fault) {
    findings.fails(fault.what);
  } catch (const Error& error) {
    findings.fails("the accountant refuses the releases: " + error.message());
  }
}

}  // namespace sotto::verify
