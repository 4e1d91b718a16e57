#include "sotto/privacy/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/json.h"
#include "sotto/base/rounded_up.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

// A delta up to this was not asked for: it pays for the truncated tails of pure releases.
constexpr double negligible_delta = 1e-100;

// The size of a cost, by which costs of one kind can be compared.
struct Size {
  double operator()(const GaussianCost& c) const { return c.mu; }
  double operator()(const LaplaceCost& c) const { return c.epsilon; }
  double operator()(const PureCost& c) const { return c.epsilon; }
  double operator()(const SubsampledGaussianCost&) const { return kNaN; }
};

double size(const ReleaseRecord& record) { return std::visit(Size{}, record.cost); }

void add_to(RecordBill& bill, const ReleaseRecord& record, const PrecisionCharge& charge) {
  bill.spends.push_back({record.cost, record.count});
  bill.precision.epsilon += charge.epsilon;
  bill.precision.delta += charge.delta;
}

PrecisionCharge total_precision(const ReleaseRecord& record) {
  const auto count = static_cast<double>(record.count);
  return {record.precision.epsilon * count, record.precision.delta * count};
}

// Releases of a group with costs of one kind and the same count can be compared: the smaller cost
// has the smaller epsilon at every delta. This is the largest of them, with the worst precision.
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

// No record pays more than the largest of these bills. Each has all releases outside of groups and
// one from each group, in every combination of kinds.
std::vector<RecordBill> bills_of(const std::vector<CertifiedRelease>& releases) {
  RecordBill alone;
  std::map<int, Group> groups;
  for (const auto& [record, parallel] : releases) {
    if (parallel == 0) {
      add_to(alone, record, total_precision(record));
    } else {
      join(groups[parallel], record);
    }
  }
  std::vector<RecordBill> bills{alone};
  for (const auto& [number, group] : groups) {
    std::vector<RecordBill> longer;
    for (const RecordBill& bill : bills) {
      for (const auto& [kind, largest] : group) {
        longer.push_back(bill);
        add_to(longer.back(), *largest.record, largest.precision);
      }
    }
    bills = std::move(longer);
  }
  return bills;
}

// The delta that is left for the ideal releases: if these are (e, d), the actual ones are (e +
// epsilon, exp(epsilon) d + delta).
double ideal_delta(const RecordBill& bill, double delta) {
  return (delta - bill.precision.delta) * std::exp(-bill.precision.epsilon);
}

bool is_payable(const RecordBill& bill, double delta) {
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

// Sensitivity over noise, as a reader sees them, must not exceed what was charged.
bool is_understated(const ReleaseRecord& record) {
  const double stated = record.sensitivity / record.noise;
  struct Charged {
    double operator()(const GaussianCost& c) const { return c.mu; }
    double operator()(const LaplaceCost& c) const { return c.epsilon; }
    double operator()(const PureCost& c) const { return c.epsilon; }
    double operator()(const SubsampledGaussianCost& c) const { return 1 / c.noise_multiplier; }
  };
  return !(std::visit(Charged{}, record.cost) * (1 + 1e-12) >= stated);
}

void require_sane(const ReleaseRecord& record) {
  const auto [epsilon, delta] = record.precision;
  SOTTO_REQUIRE(record.count >= 0 && record.values >= 0,
                "the release of {} has a negative count, {} times {} values", record.what,
                record.count, record.values);
  SOTTO_REQUIRE(epsilon >= 0 && std::isfinite(epsilon) && delta >= 0 && std::isfinite(delta),
                "the precision charge of the release of {} must be finite and not negative",
                record.what);
}

std::string name_of(const std::string& rule, const RecordBill& bill) {
  if (rule == "basic") return "basic composition";
  if (rule == "rdp") return "RDP";
  if (rule == "pld") return "PLD";
  return any_sampled(bill.spends) ? "GDP, as if nothing were sampled" : "GDP (exact)";
}

// The most that a record pays, and the rule that gave it.
BestBound largest_account(const std::vector<RecordBill>& bills, double delta) {
  BestBound largest{-1, ""};
  for (const RecordBill& bill : bills) {
    const auto [ideal, rule] = account_by_rule(bill.spends, ideal_delta(bill, delta));
    const double epsilon = ideal + bill.precision.epsilon;
    if (epsilon > largest.epsilon) largest = {epsilon, name_of(rule, bill)};
  }
  if (bills.size() > 1) largest.rule += fmt::format(", the largest of {} accounts", bills.size());
  return largest;
}

// A release without noise has no finite cost; JSON has null for it.
Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json cost_json(const Cost& cost) {
  struct ToJson {
    Json operator()(const GaussianCost& c) const { return {{"mu", c.mu}}; }
    Json operator()(const LaplaceCost& c) const { return {{"epsilon", c.epsilon}}; }
    Json operator()(const PureCost& c) const { return {{"epsilon", finite_or_null(c.epsilon)}}; }
    Json operator()(const SubsampledGaussianCost& c) const {
      return {{"noise_multiplier", c.noise_multiplier}, {"sampling_rate", c.sampling_rate}};
    }
  };
  return std::visit(ToJson{}, cost);
}

Json release_json(const CertifiedRelease& release) {
  const ReleaseRecord& record = release.record;
  Json json{{"what", record.what},
            {"mechanism", record.mechanism},
            {"sensitivity", finite_or_null(record.sensitivity)},
            {"noise", finite_or_null(record.noise)},
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

}  // namespace

std::string large_delta_warning(double delta, const ProtectedUnits& units) {
  if (units.count <= 0 || delta * static_cast<double>(units.count) < 1) return "";
  return fmt::format(
      "delta {} is not below 1/{}, and there are {} {}: with probability delta a run may publish "
      "one of them whole, so one of the {} may be expected to be exposed",
      rounded_up(delta), units.count, units.count, units.what, units.count);
}

Ledger::Ledger(PrivacyStatement statement) : statement_(std::move(statement)) {
  if (statement_.delta != 0) require_delta(statement_.delta);
}

void Ledger::add(ReleaseRecord record) {
  require_sane(record);
  releases_.push_back({std::move(record), 0});
}

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
  require_sane(record);
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
  const std::vector<RecordBill> bills = bills_of(releases_);
  const double delta = statement_.delta;
  const auto sampled = [](const RecordBill& bill) { return any_sampled(bill.spends); };
  if (!statement_.adds_or_removes && std::any_of(bills.begin(), bills.end(), sampled)) {
    faults.push_back("sampling is accounted for neighbours that add or remove a record, not these");
  }
  const bool payable = std::all_of(bills.begin(), bills.end(),
                                   [&](const RecordBill& bill) { return is_payable(bill, delta); });
  if (!payable) faults.push_back("delta is too small for these releases and their rounding");

  Certificate result{statement_, kNaN, false, "", "none", releases_};
  if (finite && payable) {
    const BestBound account = largest_account(bills, delta);
    result.epsilon = account.epsilon;
    result.accountant = account.rule;
  }
  if (statement_.budget && result.epsilon <= statement_.budget->epsilon &&
      statement_.budget->delta <= statement_.delta) {
    result.epsilon = statement_.budget->epsilon;
    result.accountant = "a budget fixed in advance, composed by GDP";
  } else if (statement_.budget) {
    faults.push_back("more was spent than the budget fixed in advance");
  }
  result.proved = faults.empty();
  result.why = result.proved ? "epsilon follows from the listed releases and the noise in them"
                             : join_text(faults, "; ");
  const std::string warning = large_delta_warning(delta, statement_.units);
  if (!warning.empty()) result.why += "; " + warning;
  return result;
}

std::vector<RecordBill> Certificate::bills() const { return bills_of(releases); }

Json Certificate::to_json() const {
  Json json{{"epsilon", epsilon},
            {"delta", statement.delta},
            {"unit", statement.unit},
            {"neighbours", statement.neighbours},
            {"public", statement.public_facts},
            {"guarantee", proved ? "proved" : "none"},
            {"why", why},
            {"accountant", accountant},
            {"releases", Json::array()}};
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
    const std::string shown = rounded_up(epsilon), delta = rounded_up(statement.delta);
    text = statement.delta > 0 && statement.delta <= negligible_delta
               ? fmt::format(
                     "This result is differentially private with epsilon {}, except for the "
                     "truncated tails of the noise, whose probability is charged as delta {}.",
                     shown, delta)
               : fmt::format(
                     "This result is differentially private with epsilon {} and delta "
                     "{}.",
                     shown, delta);
    const std::string warning = large_delta_warning(statement.delta, statement.units);
    if (!warning.empty()) text += fmt::format(" But {}.", warning);
  } else {
    text = fmt::format("No privacy guarantee is given for this result: {}.", why);
  }
  text += fmt::format(" What is protected: {}; neighbouring data sets: {}.", statement.unit,
                      statement.neighbours);
  if (!statement.public_facts.empty()) {
    text += fmt::format(" Assumed to be public: {}.", join_text(statement.public_facts, "; "));
  }
  std::int64_t count = 0;
  for (const CertifiedRelease& release : releases) count += release.record.count;
  text += fmt::format(" {} noisy {} left the data", count, count == 1 ? "release" : "releases");
  text += std::isnan(epsilon) ? "." : fmt::format(", accounted by {}.", accountant);
  if (statement.claimed) {
    text +=
        fmt::format(" The published analysis claims epsilon {} and delta {}",
                    rounded_up(statement.claimed->epsilon), rounded_up(statement.claimed->delta));
    text += std::isnan(epsilon)
                ? std::string("; no accountant covers it.")
                : fmt::format("; the noise in it amounts to epsilon {}.", rounded_up(epsilon));
  }
  return text;
}

}  // namespace sotto
