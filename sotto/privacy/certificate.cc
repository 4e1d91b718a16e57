#include "sotto/privacy/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

// A delta that was not asked for: pure releases from a sampler whose tails end somewhere.
constexpr double negligible_delta = 1e-100;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What a cost comes to on a scale on which costs of one kind can be compared.
struct Size {
  double operator()(const GaussianCost& c) const { return c.mu; }
  double operator()(const LaplaceCost& c) const { return c.epsilon; }
  double operator()(const PureCost& c) const { return c.epsilon; }
  double operator()(const SubsampledGaussianCost&) const { return kNaN; }
};

double size(const ReleaseRecord& record) { return std::visit(Size{}, record.cost); }

// What a record pays: the releases that read it.
struct Bill {
  std::vector<Spend> spends;
  PrecisionCharge precision;

  void add(const ReleaseRecord& record, const PrecisionCharge& charge) {
    spends.push_back({record.cost, record.count});
    precision.epsilon += charge.epsilon;
    precision.delta += charge.delta;
  }
};

PrecisionCharge total_precision(const ReleaseRecord& record) {
  const auto count = static_cast<double>(record.count);
  return {record.precision.epsilon * count, record.precision.delta * count};
}

// Releases in a group whose costs are of one kind and equally many can be compared: the smaller
// cost has the smaller epsilon at every delta. Of these the largest, with the worst precision.
struct Largest {
  const ReleaseRecord* record;
  PrecisionCharge precision;
};
using Kind = std::pair<std::size_t, std::int64_t>;  // alternative of Cost, count
using Group = std::map<Kind, Largest>;

void join(Group& group, const ReleaseRecord& record) {
  const PrecisionCharge precision = total_precision(record);
  const Kind kind{record.cost.index(), record.count};
  auto& [largest, worst] = group.try_emplace(kind, Largest{&record, precision}).first->second;
  if (size(record) > size(*largest)) largest = &record;
  worst.epsilon = std::fmax(worst.epsilon, precision.epsilon);
  worst.delta = std::fmax(worst.delta, precision.delta);
}

// The bills among which that of every record is, up to smaller ones: all releases that stand alone,
// and from each group one, in every combination of kinds.
std::vector<Bill> bills_of(const std::vector<CertifiedRelease>& releases) {
  Bill alone;
  std::map<int, Group> groups;
  for (const auto& [record, parallel] : releases) {
    if (parallel == 0) {
      alone.add(record, total_precision(record));
    } else {
      join(groups[parallel], record);
    }
  }
  std::vector<Bill> bills{alone};
  for (const auto& [number, group] : groups) {
    std::vector<Bill> longer;
    for (const Bill& bill : bills) {
      for (const auto& [kind, largest] : group) {
        longer.push_back(bill);
        longer.back().add(*largest.record, largest.precision);
      }
    }
    bills = std::move(longer);
  }
  return bills;
}

// The made releases are (e + epsilon, exp(epsilon) d + delta) where the ideal ones are (e, d): what
// is left of delta for the ideal ones.
double ideal_delta(const Bill& bill, double delta) {
  return (delta - bill.precision.delta) * std::exp(-bill.precision.epsilon);
}

bool is_payable(const Bill& bill, double delta) {
  const double left = ideal_delta(bill, delta);
  return left > 0 || (delta == 0 && left == 0 && !std::isnan(basic_pure_epsilon(bill.spends)));
}

bool has_finite_cost(const ReleaseRecord& record) {
  const Spend spend{record.cost, record.count};
  try {
    require_spends({&spend, 1});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The numbers a reader sees, sensitivity over noise, must not come to more than what was charged.
bool is_understated(const ReleaseRecord& record) {
  const double stated = record.sensitivity / record.noise;
  struct Charged {
    double operator()(const GaussianCost& c) const { return c.mu; }
    double operator()(const LaplaceCost& c) const { return c.epsilon; }
    double operator()(const PureCost&) const { return std::numeric_limits<double>::infinity(); }
    double operator()(const SubsampledGaussianCost& c) const { return 1 / c.noise_multiplier; }
  };
  return !(std::visit(Charged{}, record.cost) * (1 + 1e-12) >= stated);
}

std::string accountant_of(const Bill& bill, double delta) {
  if (!std::isnan(gaussian_mu(bill.spends))) return "GDP (exact)";
  if (ideal_delta(bill, delta) == 0) return "basic composition";
  return "PLD";
}

std::string accountants_of(const std::vector<Bill>& bills, double delta) {
  std::set<std::string> names;
  for (const Bill& bill : bills) names.insert(accountant_of(bill, delta));
  const std::string all = fmt::format("{}", fmt::join(names, " and "));
  return names.size() > 1 ? all + ", the larger" : all;
}

nlohmann::json cost_json(const Cost& cost) {
  struct ToJson {
    nlohmann::json operator()(const GaussianCost& c) const { return {{"mu", c.mu}}; }
    nlohmann::json operator()(const LaplaceCost& c) const { return {{"epsilon", c.epsilon}}; }
    nlohmann::json operator()(const PureCost& c) const { return {{"epsilon", c.epsilon}}; }
    nlohmann::json operator()(const SubsampledGaussianCost& c) const {
      return {{"noise_multiplier", c.noise_multiplier}, {"sampling_rate", c.sampling_rate}};
    }
  };
  return std::visit(ToJson{}, cost);
}

nlohmann::json release_json(const CertifiedRelease& release) {
  const ReleaseRecord& record = release.record;
  nlohmann::json json{{"what", record.what},
                      {"mechanism", record.mechanism},
                      {"sensitivity", record.sensitivity},
                      {"noise", record.noise},
                      {"count", record.count},
                      {"values", record.values},
                      {"cost", cost_json(record.cost)}};
  if (record.precision.epsilon > 0 || record.precision.delta > 0) {
    json["precision"] = {{"epsilon", record.precision.epsilon}, {"delta", record.precision.delta}};
  }
  if (release.parallel > 0) json["parallel"] = release.parallel;
  if (!record.note.empty()) json["note"] = record.note;
  return json;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

}  // namespace

Ledger::Ledger(PrivacyStatement statement) : statement_(std::move(statement)) {
  if (statement_.delta != 0) require_delta(statement_.delta);
}

void Ledger::add(ReleaseRecord record) { releases_.push_back({std::move(record), 0}); }

void Ledger::add_disjoint(const std::vector<ReleaseRecord>& records) {
  if (records.empty()) return;
  const std::vector<CertifiedRelease> before = releases_;
  const int group = open_disjoint_group();
  try {
    for (const ReleaseRecord& record : records) add_to_group(group, record);
  } catch (const Error&) {
    releases_ = before;
    throw;
  }
}

void Ledger::add_to_group(int group, ReleaseRecord record) {
  SOTTO_REQUIRE(1 <= group && group <= groups_, "there is no group {} of releases", group);
  SOTTO_REQUIRE(!std::isnan(size(record)),
                "releases over disjoint records must not be sampled; {} is", record.what);
  releases_.push_back({std::move(record), group});
}

void Ledger::deny(const std::string& reason) { denials_.push_back(reason); }

Certificate Ledger::certify() const {
  std::vector<std::string> faults = denials_;
  bool finite = true;
  for (const auto& [record, parallel] : releases_) {
    if (!has_finite_cost(record)) {
      finite = false;
      faults.push_back(fmt::format("the release of {} has no finite cost", record.what));
    } else if (is_understated(record)) {
      faults.push_back(fmt::format(
          "the release of {} was charged less than its sensitivity and noise say", record.what));
    }
  }
  const std::vector<Bill> bills = bills_of(releases_);
  const double delta = statement_.delta;
  const auto sampled = [](const Bill& bill) { return any_sampled(bill.spends); };
  if (!statement_.adds_or_removes && std::any_of(bills.begin(), bills.end(), sampled)) {
    faults.push_back("sampling is accounted for neighbours that add or remove a record, not these");
  }
  const bool payable = std::all_of(bills.begin(), bills.end(),
                                   [&](const Bill& bill) { return is_payable(bill, delta); });
  if (!payable) faults.push_back("delta is too small for these releases and their rounding");

  Certificate result{statement_, kNaN, false, "", accountants_of(bills, delta), releases_};
  if (finite && payable) {
    for (const Bill& bill : bills) {
      result.epsilon = std::fmax(
          result.epsilon, account(bill.spends, ideal_delta(bill, delta)) + bill.precision.epsilon);
    }
  }
  if (statement_.budget && result.epsilon <= statement_.budget->epsilon &&
      statement_.budget->delta <= statement_.delta) {
    result.epsilon = statement_.budget->epsilon;
    result.accountant = "budget fixed in advance, enforced by GDP or zCDP";
  } else if (statement_.budget) {
    faults.push_back("more was spent than the budget fixed in advance");
  }
  result.proved = faults.empty();
  result.why = result.proved ? "epsilon follows from the listed releases and the noise in them"
                             : joined(faults, "; ");
  return result;
}

nlohmann::json Certificate::to_json() const {
  nlohmann::json json{{"epsilon", epsilon},
                      {"delta", statement.delta},
                      {"unit", statement.unit},
                      {"neighbours", statement.neighbours},
                      {"public", statement.public_facts},
                      {"guarantee", proved ? "proved" : "none"},
                      {"why", why},
                      {"accountant", accountant},
                      {"releases", nlohmann::json::array()}};
  if (std::isnan(epsilon)) json["epsilon"] = nullptr;
  if (statement.claimed) {
    json["claimed"] = {{"epsilon", statement.claimed->epsilon},
                       {"delta", statement.claimed->delta}};
  }
  for (const CertifiedRelease& release : releases)
    json["releases"].push_back(release_json(release));
  return json;
}

std::string Certificate::to_text() const {
  std::string text;
  if (proved) {
    // Rounded up, so that the sentence promises no more than the number.
    const double shown = std::ceil(epsilon * 1e4) / 1e4;
    text = statement.delta > 0 && statement.delta <= negligible_delta
               ? fmt::format(
                     "This result is differentially private with epsilon {:g}, but for the "
                     "cut tails of the noise: their probability is charged as delta {:g}.",
                     shown, statement.delta)
               : fmt::format(
                     "This result is differentially private with epsilon {:g} and delta "
                     "{:g}.",
                     shown, statement.delta);
  } else {
    text = fmt::format("No privacy guarantee is given for this result: {}.", why);
  }
  text += fmt::format(" What is protected: {}; neighbouring data sets: {}.", statement.unit,
                      statement.neighbours);
  if (!statement.public_facts.empty()) {
    text += fmt::format(" Assumed to be public: {}.", joined(statement.public_facts, ", "));
  }
  std::int64_t count = 0;
  for (const CertifiedRelease& release : releases) count += release.record.count;
  text += fmt::format(" {} noisy {} left the data, accounted by {}.", count,
                      count == 1 ? "release" : "releases", accountant);
  if (statement.claimed) {
    text += fmt::format(" The published analysis claims epsilon {:g} and delta {:g}",
                        statement.claimed->epsilon, statement.claimed->delta);
    text += std::isnan(epsilon)
                ? std::string("; no account of ours covers it.")
                : fmt::format("; the noise in it amounts to epsilon {:.4g}.", epsilon);
  }
  return text;
}

}  // namespace sotto
