#include "sotto/ledger/run_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/rounded_up.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestName = 200;

Json claim_json(const PrivacyClaim& claim) {
  return {{"epsilon", claim.epsilon}, {"delta", claim.delta}};
}

PrivacyClaim claim_from(const Json& json) { return {json.at("epsilon"), json.at("delta")}; }

Json run_cost_json(const RunCost& cost) {
  return {{"mu_squared", cost.mu_squared},
          {"pure", cost.pure},
          {"rounding", cost.rounding},
          {"delta", cost.delta}};
}

RunCost run_cost_from(const Json& json) {
  return {json.at("pure"), json.at("mu_squared"), json.at("rounding"), json.at("delta")};
}

std::vector<std::string> names_of(const std::vector<LedgerAccount>& accounts) {
  std::vector<std::string> names;
  names.reserve(accounts.size());
  for (const LedgerAccount& account : accounts) names.push_back(account.data.name);
  return names;
}

LedgerAccount* named(std::vector<LedgerAccount>& accounts, const std::string& name) {
  const auto found = std::find_if(accounts.begin(), accounts.end(),
                                  [&](const auto& one) { return one.data.name == name; });
  return found == accounts.end() ? nullptr : &*found;
}

LedgerRun* numbered(LedgerAccount& account, std::int64_t number) {
  for (LedgerRun& run : account.runs) {
    if (run.number == number) return &run;
  }
  return nullptr;
}

void reserve_row(LedgerAccount& account, const LedgerRow& row) {
  LedgerRun run;
  run.number = row.number;
  run.time = row.time;
  run.command = row.body.at("command");
  run.unit = row.body.at("unit");
  run.asked = claim_from(row.body);
  run.counted = {claim_from(row.body.at("claim")), row.body.at("held"), {}};
  account.run_unit = run.unit;
  account.runs.push_back(std::move(run));
}

void commit_row(LedgerRun& run, const Json& body) {
  run.committed = true;
  run.proved = body.at("proved");
  run.releases = body.at("releases");
  const Json& cost = body.at("cost");
  if (!cost.is_null()) {
    run.counted.cost = run_cost_from(cost);
  } else {
    run.counted.held = 0;  // it counts with its claim
  }
}

// The first run that has a fingerprint says which data it is.
void fingerprint_row(LedgerAccount& account, LedgerRun& run, const Json& body) {
  run.fingerprint = body.at("fingerprint");
  for (const LedgerRun& earlier : account.runs) {
    if (earlier.fingerprint.empty()) continue;
    run.other_version = earlier.fingerprint != run.fingerprint;
    return;
  }
}

void take_row(std::vector<LedgerAccount>& accounts, const LedgerRow& row) {
  if (row.kind == "data") {
    LedgerAccount account;
    account.data = {row.data, claim_from(row.body), row.body.at("unit"),
                    row.body.at("disjoint_from").get<std::vector<std::string>>()};
    account.limits = {account.data.limit};
    accounts.push_back(std::move(account));
    return;
  }
  LedgerAccount* account = named(accounts, row.data);
  if (account == nullptr) return;
  if (row.kind == "limit") account->limits.push_back(claim_from(row.body));
  if (row.kind == "reserve") reserve_row(*account, row);
  if (row.kind != "commit" && row.kind != "input") return;
  LedgerRun* run = numbered(*account, row.body.at("run"));
  if (run == nullptr) return;
  if (row.kind == "commit") commit_row(*run, row.body);
  if (row.kind == "input") fingerprint_row(*account, *run, row.body);
}

void require_data(const LedgerData& data, const std::vector<LedgerAccount>& accounts) {
  SOTTO_REQUIRE_AT(!data.name.empty() && data.name.size() <= kLongestName, "`data`",
                   "needs a name of at most {} bytes", kLongestName);
  SOTTO_REQUIRE_AT(!data.unit.empty() && data.unit.size() <= kLongestName, "`unit`",
                   "says in words what one record is, for example \"one patient\"");
  const std::vector<std::string> names = names_of(accounts);
  const auto is_there = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  SOTTO_REQUIRE_AT(!is_there(data.name), "`data`", "{} is in the ledger already", data.name);
  for (const std::string& other : data.disjoint_from) {
    SOTTO_REQUIRE_AT(is_there(other), "`disjoint-from`", "{} is not in the ledger", other);
  }
  RunCount{data.limit};
}

bool are_disjoint(const LedgerAccount& a, const LedgerAccount& b) {
  const auto names = [](const LedgerAccount& one, const LedgerAccount& other) {
    const auto& list = one.data.disjoint_from;
    return std::find(list.begin(), list.end(), other.data.name) != list.end();
  };
  return names(a, b) || names(b, a);
}

// Chooses among the data sets from `next` on those that overlap with all that are in `chosen`.
double overlap_from(std::size_t next, std::vector<std::size_t>& chosen,
                    const std::vector<LedgerAccount>& accounts, const std::vector<double>& values) {
  double most = 0;
  for (std::size_t i = next; i < accounts.size(); ++i) {
    const bool overlaps = std::none_of(chosen.begin(), chosen.end(), [&](std::size_t j) {
      return are_disjoint(accounts[i], accounts[j]);
    });
    if (!overlaps) continue;
    chosen.push_back(i);
    most = std::max(most, values[i] + overlap_from(i + 1, chosen, accounts, values));
    chosen.pop_back();
    // Where nothing is disjoint from this one, leaving it out gains nothing.
    const bool meets_all = std::none_of(accounts.begin(), accounts.end(), [&](const auto& other) {
      return are_disjoint(accounts[i], other);
    });
    if (meets_all) break;
  }
  return most;
}

}  // namespace

RunCount LedgerAccount::count(const PrivacyClaim& limit) const {
  RunCount result(limit);
  for (const LedgerRun& run : runs) result.add(run.counted);
  return result;
}

bool LedgerAccount::admits(const PrivacyClaim& claim) const {
  return std::all_of(limits.begin(), limits.end(),
                     [&](const PrivacyClaim& limit) { return count(limit).admits(claim); });
}

bool LedgerAccount::has_gaussian_room(double mu_squared) const {
  return std::all_of(limits.begin(), limits.end(), [&](const PrivacyClaim& limit) {
    return count(limit).has_gaussian_room(mu_squared);
  });
}

bool LedgerAccount::settles(const CountedRun& run, const RunCost& cost) const {
  return std::all_of(limits.begin(), limits.end(),
                     [&](const PrivacyClaim& limit) { return RunCount(limit).settles(run, cost); });
}

std::int64_t LedgerAccount::open_runs() const {
  return std::count_if(runs.begin(), runs.end(),
                       [](const LedgerRun& run) { return !run.committed; });
}

std::int64_t runs_that_fit(const LedgerAccount& account, const PrivacyClaim& claim, bool gaussian,
                           std::int64_t most) {
  std::vector<RunCount> counts;
  for (const PrivacyClaim& limit : account.limits) counts.push_back(account.count(limit));
  const double mu_squared = most_mu_squared(claim);
  const auto all = [&](auto holds) { return std::all_of(counts.begin(), counts.end(), holds); };
  std::int64_t runs = 0;
  for (; runs < most; ++runs) {
    if (!all([&](const RunCount& one) { return one.admits(claim); })) break;
    CountedRun run{claim, 0, {}};
    if (gaussian && all([&](const RunCount& one) { return one.has_gaussian_room(mu_squared); })) {
      run = {claim, mu_squared, RunCost{0, mu_squared, 0, 0}};
    }
    for (RunCount& one : counts) one.add(run);
  }
  return runs;
}

double largest_overlap(const std::vector<LedgerAccount>& accounts,
                       const std::vector<double>& values) {
  std::vector<std::size_t> chosen;
  return overlap_from(0, chosen, accounts, values);
}

void RunLedger::init(const std::string& path, const LedgerData& data) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool is_new = !fs::exists(path, ignored);
  if (is_new) require_data(data, {});  // before a file is made
  RunLedger(path, Database::Missing::make).add(data);
  // Its key and fingerprints can tell whether a guess at the data is right.
  if (is_new) fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

std::vector<LedgerAccount> RunLedger::accounts() {
  std::vector<LedgerAccount> all;
  std::int64_t number = 0;
  try {
    for (const LedgerRow& row : entries_.read()) {
      number = row.number;
      take_row(all, row);
    }
  } catch (const Json::exception&) {
    throw Error(fmt::format("was changed by hand or is damaged, at row {}", number), path());
  }
  return all;
}

LedgerAccount RunLedger::find(const std::vector<LedgerAccount>& all,
                              const std::string& name) const {
  SOTTO_REQUIRE_AT(!all.empty(), path(), "has no data yet; add some with sotto ledger add");
  const std::string known = join_text(names_of(all), ", ");
  SOTTO_REQUIRE_AT(!name.empty() || all.size() == 1, path(),
                   "has several data sets; name one of them: {}", known);
  for (const LedgerAccount& one : all) {
    if (name.empty() || one.data.name == name) return one;
  }
  throw Error(fmt::format("has no data set {}; it has {}", name, known), path());
}

LedgerAccount RunLedger::account(const std::string& name) { return find(accounts(), name); }

void RunLedger::add(const LedgerData& data) {
  entries_.transaction([&] {
    require_data(data, accounts());
    Json body = claim_json(data.limit);
    body["unit"] = data.unit;
    body["disjoint_from"] = data.disjoint_from;
    entries_.append("data", data.name, body);
  });
}

LedgerAccount RunLedger::lower(const std::string& name, const PrivacyClaim& limit) {
  LedgerAccount found;
  entries_.transaction([&] {
    found = account(name);
    const PrivacyClaim& now = found.limits.back();
    SOTTO_REQUIRE_AT(limit.epsilon <= now.epsilon && limit.delta <= now.delta, "`epsilon`",
                     "a limit is a promise and is never raised: {} has epsilon {:g} at delta {:g}",
                     found.data.name, now.epsilon, now.delta);
    const double spent = found.count(limit).composed_epsilon();
    SOTTO_REQUIRE_AT(
        spent <= limit.epsilon, "`epsilon`", "{:g} at delta {:g} is below what was spent, {}",
        limit.epsilon, limit.delta,
        std::isfinite(spent) ? "epsilon " + rounded_up(spent) : "whose deltas exceed it");
    entries_.append("limit", found.data.name, claim_json(limit));
    found.limits.push_back(limit);
  });
  return found;
}

void require_admitted(const std::string& path, const LedgerAccount& account,
                      const RunLedger::Request& request) {
  SOTTO_REQUIRE_AT(account.run_unit.empty() || account.run_unit == request.unit, "`ledger`",
                   "the runs on {} in {} protect one {}; this one would protect one {}, and costs "
                   "of different units do not add up",
                   account.data.name, path, account.run_unit, request.unit);
  const PrivacyClaim claim = whole_claim(request.asked, request.unit);
  const RunCount count = account.count();
  SOTTO_REQUIRE_AT(
      account.admits(claim), "`ledger`",
      "the limit of {} in {}, epsilon {:g} at delta {:g}, does not cover this run: it asks for "
      "epsilon {:g} and delta {:g}{}; at most epsilon {:.4g} and delta {:.3g} are left for a run",
      account.data.name, path, count.limit().epsilon, count.limit().delta, request.asked.epsilon,
      request.asked.delta,
      request.unit == "rating"
          ? fmt::format(", which on ratings count as {:g} and {:.3g}", claim.epsilon, claim.delta)
          : "",
      count.left().epsilon, count.left().delta);
}

std::int64_t RunLedger::reserve(const std::string& name, const Request& request) {
  std::int64_t number = 0;
  entries_.transaction([&] {
    const LedgerAccount found = account(name);
    require_admitted(path(), found, request);
    const PrivacyClaim claim = whole_claim(request.asked, request.unit);
    Json body{{"command", request.command}, {"unit", request.unit}};
    body.update(claim_json(request.asked));
    body["claim"] = claim_json(claim);
    const double mu_squared = most_mu_squared(claim);
    body["held"] = found.has_gaussian_room(mu_squared) ? mu_squared : 0;
    number = entries_.append("reserve", found.data.name, body);
  });
  return number;
}

void RunLedger::set_fingerprint(std::int64_t run, const std::string& name,
                                const std::string& fingerprint) {
  entries_.transaction([&] {
    entries_.read();
    entries_.append("input", name, {{"run", run}, {"fingerprint", fingerprint}});
  });
}

void RunLedger::commit(std::int64_t number, const std::string& name,
                       const Certificate& certificate) {
  entries_.transaction([&] {
    LedgerAccount found = account(name);
    const LedgerRun* run = numbered(found, number);
    SOTTO_REQUIRE_AT(run != nullptr && !run->committed, path(), "has no open run {}", number);
    Json cost = nullptr;
    const std::optional<RunCost> releases = cost_of_releases(certificate, run->unit);
    if (releases && found.settles(run->counted, *releases)) cost = run_cost_json(*releases);
    entries_.append("commit", found.data.name,
                    {{"run", number},
                     {"proved", certificate.proved},
                     {"cost", cost},
                     {"releases", certificate.to_json().at("releases")}});
  });
}

}  // namespace sotto
