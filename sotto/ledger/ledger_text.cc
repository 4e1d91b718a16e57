#include "sotto/ledger/ledger_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sotto/base/join_text.h"
#include "sotto/base/rounded_up.h"

namespace sotto {

std::string state_of(const LedgerRun& run) {
  if (!run.committed) return "open or broken off";
  return run.counted.cost ? "settled" : "counted in full";
}

namespace {

Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string epsilon_text(double epsilon) {
  return std::isfinite(epsilon) ? rounded_up(epsilon, 4) : "unbounded";
}

std::string runs_text(const LedgerAccount& account) {
  if (account.runs.empty()) return "no runs yet";
  const std::size_t count = account.runs.size();
  std::string text =
      fmt::format("{} run{}, protecting one {}", count, count == 1 ? "" : "s", account.run_unit);
  if (const std::int64_t open = account.open_runs(); open > 0) {
    text += fmt::format("; {} open or broken off, counted in full", open);
  }
  return text;
}

std::string account_text(const LedgerAccount& account) {
  const RunCount count = account.count();
  const PrivacyClaim& limit = count.limit();
  std::string text = fmt::format("{}: epsilon {:g} at delta {:g} for {}\n", account.data.name,
                                 limit.epsilon, limit.delta, account.data.unit);
  if (!account.data.disjoint_from.empty()) {
    text += fmt::format("  shares nobody with {}\n", join_text(account.data.disjoint_from, ", "));
  }
  text += fmt::format("  {}\n", runs_text(account));
  text +=
      fmt::format("  spent, composed: epsilon {}; plain sum of the runs: epsilon {}\n",
                  epsilon_text(count.composed_epsilon()), epsilon_text(count.plain_sum().epsilon));
  return text +
         fmt::format("  a further run may ask for epsilon up to {:.4g}, delta up to {:.3g}{}\n",
                     count.left().epsilon, count.left().delta,
                     account.run_unit == "rating" ? "; on ratings both count twice" : "");
}

bool one_unit(const std::vector<LedgerAccount>& accounts) {
  return std::all_of(accounts.begin(), accounts.end(), [&](const LedgerAccount& account) {
    return account.data.unit == accounts.front().data.unit;
  });
}

// Over all data sets: for whoever may be in several of them.
struct Overall {
  double composed = 0, plain = 0, delta = 0;
};

Overall overall(const std::vector<LedgerAccount>& accounts) {
  std::vector<double> composed, plain, deltas;
  for (const LedgerAccount& account : accounts) {
    const RunCount count = account.count();
    composed.push_back(count.composed_epsilon());
    plain.push_back(count.plain_sum().epsilon);
    deltas.push_back(count.limit().delta);
  }
  return {largest_overlap(accounts, composed), largest_overlap(accounts, plain),
          largest_overlap(accounts, deltas)};
}

Json run_json(const LedgerRun& run) {
  Json json{{"number", run.number},
            {"time", run.time},
            {"command", run.command},
            {"unit", run.unit},
            {"epsilon", run.asked.epsilon},
            {"delta", run.asked.delta},
            {"claim", {{"epsilon", run.counted.claim.epsilon}, {"delta", run.counted.claim.delta}}},
            {"state", state_of(run)},
            {"proved", run.committed ? Json(run.proved) : Json(nullptr)},
            {"another_version_of_the_data", run.other_version},
            {"cost", nullptr}};
  if (const auto& cost = run.counted.cost) {
    json["cost"] = {{"mu_squared", cost->mu_squared},
                    {"pure", cost->pure},
                    {"rounding", cost->rounding},
                    {"delta", cost->delta}};
  }
  json["releases"] = run.releases;
  return json;
}

std::string run_text(const LedgerAccount& account, const LedgerRun& run) {
  return fmt::format("{:>5}  {}  {}  {:<9}  one {:<8}  epsilon {:g}, delta {:g}  {}{}{}\n",
                     run.number, run.time, account.data.name, run.command, run.unit,
                     run.asked.epsilon, run.asked.delta, state_of(run),
                     run.proved ? "" : "; proves nothing",
                     run.other_version ? "; another version of the data" : "");
}

// A field of CSV: quoted where it must be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string totals_text(const std::vector<LedgerAccount>& accounts) {
  std::string text;
  for (const LedgerAccount& account : accounts) text += account_text(account);
  if (accounts.size() < 2) return text;
  if (!one_unit(accounts)) {
    return text + "all data: no total, since the data sets have different units\n";
  }
  const Overall total = overall(accounts);
  return text + fmt::format(
                    "all data: epsilon {} composed, {} as a plain sum, at delta {} for {} who may "
                    "be in several data sets\n",
                    epsilon_text(total.composed), epsilon_text(total.plain),
                    rounded_up(total.delta), accounts.front().data.unit);
}

std::string history_text(const std::vector<LedgerAccount>& accounts) {
  std::map<std::int64_t, std::string> lines;  // by the number of the run, which is that of its row
  for (const LedgerAccount& account : accounts) {
    for (const LedgerRun& run : account.runs) lines[run.number] = run_text(account, run);
  }
  std::string text;
  for (const auto& [number, line] : lines) text += line;
  return text.empty() ? "no runs yet\n" : text;
}

Json ledger_json(const std::vector<LedgerAccount>& accounts) {
  Json json{{"data", Json::array()}};
  for (const LedgerAccount& account : accounts) {
    const RunCount count = account.count();
    Json one{{"name", account.data.name},
             {"unit", account.data.unit},
             {"run_unit", account.run_unit},
             {"disjoint_from", account.data.disjoint_from},
             {"epsilon", count.limit().epsilon},
             {"delta", count.limit().delta},
             {"composed", json_number(count.composed_epsilon())},
             {"plain_sum", count.plain_sum().epsilon},
             {"left", {{"epsilon", count.left().epsilon}, {"delta", count.left().delta}}},
             {"runs", Json::array()}};
    for (const LedgerRun& run : account.runs) one["runs"].push_back(run_json(run));
    json["data"].push_back(std::move(one));
  }
  if (accounts.size() > 1 && one_unit(accounts)) {
    const Overall total = overall(accounts);
    json["total"] = {{"composed", json_number(total.composed)},
                     {"plain_sum", total.plain},
                     {"delta", total.delta}};
  }
  return json;
}

std::string ledger_csv(const std::vector<LedgerAccount>& accounts) {
  std::string text =
      "number,time,data,command,unit,epsilon,delta,state,proved,another_version,mu_squared,pure,"
      "rounding,cost_delta\n";
  for (const LedgerAccount& account : accounts) {
    for (const LedgerRun& run : account.runs) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}", run.number, run.time,
                          csv_field(account.data.name), run.command, run.unit, run.asked.epsilon,
                          run.asked.delta, state_of(run), run.committed && run.proved,
                          run.other_version);
      const auto& cost = run.counted.cost;
      text += cost ? fmt::format(",{},{},{},{}\n", cost->mu_squared, cost->pure, cost->rounding,
                                 cost->delta)
                   : ",,,,\n";
    }
  }
  return text;
}

}  // namespace sotto
