#include "sotto/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "sotto/audit/claims.h"
#include "sotto/audit/limits.h"
#include "sotto/audit/power.h"
#include "sotto/audit/scores.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"

namespace sotto::audit {
namespace {

// Two findings, two limits each: together they are wrong with probability 1 - kConfidence at most.
constexpr double kLevel = (1 - kConfidence) / 4;

constexpr std::size_t kMostThresholds = 200;

// "The score is above the threshold" (or not above), likely on one side.
struct Event {
  std::size_t score = 0;
  double threshold = 0;
  bool above = true;
  bool likely_there = true;
};

struct Counts {
  std::int64_t hits = 0, misses = 0;
};

// The scores of runs, sorted: how many lie above a threshold is a search.
struct SortedScores {
  std::vector<double> here, there;
  static std::int64_t above(const std::vector<double>& sorted, double threshold) {
    return sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), threshold);
  }
  Counts count(const Event& event) const {
    auto in_here = above(here, event.threshold), in_there = above(there, event.threshold);
    if (!event.above) {
      in_here = std::ssize(here) - in_here;
      in_there = std::ssize(there) - in_there;
    }
    return event.likely_there ? Counts{in_there, in_here} : Counts{in_here, in_there};
  }
};

std::vector<double> sorted_scores(const Score& score, std::span<const SeenRun> runs) {
  std::vector<double> values;
  for (const SeenRun& run : runs) {
    const double value = score.of(run);
    values.push_back(std::isnan(value) ? -std::numeric_limits<double>::infinity() : value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<double> thresholds_of(const SortedScores& scores) {
  std::vector<double> all = scores.here;
  all.insert(all.end(), scores.there.begin(), scores.there.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::size_t step = all.size() / kMostThresholds + 1;
  std::vector<double> kept;
  // Halfway between two scores: where two values lie far apart, new ones fall on their own side.
  for (std::size_t i = 0; i + 1 < all.size(); i += step) {
    const double middle = all[i] / 2 + all[i + 1] / 2;
    kept.push_back(std::isfinite(middle) ? middle : all[i]);
  }
  return kept;
}

// The claim on a beginning holds if its releases cost the same in every run. If not, only the whole
// run is claimed.
bool costs_are_fixed(const NeighbourRuns& runs) {
  struct Size {
    double operator()(const GaussianCost& c) const { return c.mu; }
    double operator()(const LaplaceCost& c) const { return c.epsilon; }
    double operator()(const PureCost& c) const { return c.epsilon; }
    double operator()(const SubsampledGaussianCost& c) const { return c.noise_multiplier; }
  };
  const SeenRun& first = runs.here.front();
  const auto like_first = [&](const SeenRun& run) {
    if (run.releases.size() != first.releases.size()) return false;
    for (std::size_t r = 0; r < run.releases.size(); ++r) {
      const double one = std::visit(Size{}, first.releases[r].record.cost);
      const double two = std::visit(Size{}, run.releases[r].record.cost);
      if (!(std::abs(one - two) <= 1e-6 * std::abs(one))) return false;
    }
    return true;
  };
  return std::all_of(runs.here.begin(), runs.here.end(), like_first) &&
         std::all_of(runs.there.begin(), runs.there.end(), like_first);
}

class Audit {
 public:
  explicit Audit(const NeighbourRuns& runs)
      : runs_(runs),
        claims_(runs.certificate),
        fixed_(costs_are_fixed(runs)),
        half_(runs.here.size() / 2),
        scores_(make_scores(runs, half_ / 2)) {}

  AuditResult run() {
    choose();
    const BinomialLimits limits(std::ssize(runs_.here) - static_cast<std::int64_t>(half_), kLevel);
    AuditResult result{std::ssize(runs_.here), limits.n(), claims_.whole(), {}, {}, {}, {}};
    result.at_delta = judge(at_delta_);
    result.at_delta.delta = result.claim.delta;
    result.at_delta.claimed = claims_.epsilons(claims_.releases()).front();
    const auto [p, q] = proportions(result.at_delta, limits);
    result.at_delta.proved = std::max(0.0, proved_epsilon(p, q, result.claim.delta));
    result.worst = judge(worst_);
    const auto [p_worst, q_worst] = proportions(result.worst, limits);
    const Excess excess = largest_excess(claims_, reads(worst_), p_worst, q_worst);
    result.worst.delta = excess.delta;
    result.worst.claimed = excess.claimed;
    result.worst.proved = std::max(0.0, excess.epsilon);
    result.power = power_of(claims_, reads(worst_), limits);
    result.reach = reach_of(runs_);
    return result;
  }

 private:
  std::size_t reads(const Event& event) const {
    const std::size_t count = scores_[event.score].reads;
    return fixed_ ? std::min(count, claims_.releases()) : claims_.releases();
  }

  // The fitted scores meet runs that they were not fitted to.
  SortedScores between(const Score& score, std::size_t from, std::size_t to) const {
    return {sorted_scores(score, std::span(runs_.here).subspan(from, to - from)),
            sorted_scores(score, std::span(runs_.there).subspan(from, to - from))};
  }

  void choose() {
    const std::size_t fitted = half_ / 2;
    const BinomialLimits limits(static_cast<std::int64_t>(half_ - fitted), kLevel);
    double best_epsilon = -std::numeric_limits<double>::infinity(), best_beyond = best_epsilon;
    for (std::size_t s = 0; s < scores_.size(); ++s) {
      const SortedScores scores = between(scores_[s], fitted, half_);
      for (const double threshold : thresholds_of(scores)) {
        for (const bool above : {true, false}) {
          for (const bool likely_there : {true, false}) {
            const Event event{s, threshold, above, likely_there};
            const auto [hits, misses] = scores.count(event);
            if (hits <= misses) continue;
            const double p = limits.lower(hits), q = limits.upper(misses);
            const double epsilon = proved_epsilon(p, q, claims_.whole().delta);
            if (epsilon > best_epsilon) {
              best_epsilon = epsilon;
              at_delta_ = event;
            }
            const double beyond = largest_excess(claims_, reads(event), p, q).beyond();
            if (beyond > best_beyond) {
              best_beyond = beyond;
              worst_ = event;
            }
          }
        }
      }
    }
  }

  Finding judge(const Event& event) const {
    const Score& score = scores_[event.score];
    const auto [hits, misses] = between(score, half_, runs_.here.size()).count(event);
    Finding finding;
    finding.test = score.name;
    finding.hits = hits;
    finding.misses = misses;
    return finding;
  }
  static std::pair<double, double> proportions(const Finding& finding,
                                               const BinomialLimits& limits) {
    return {limits.lower(finding.hits), limits.upper(finding.misses)};
  }

  const NeighbourRuns& runs_;
  Claims claims_;
  bool fixed_;
  std::size_t half_;
  std::vector<Score> scores_;
  Event at_delta_, worst_;
};

Json finding_json(const Finding& finding) {
  return {{"test", finding.test},   {"hits", finding.hits},       {"misses", finding.misses},
          {"delta", finding.delta}, {"claimed", finding.claimed}, {"exceeded", finding.proved}};
}

// An audit is as strong as its neighbours: what they move most.
std::string reach_text(const std::vector<Reach>& reach) {
  const auto most = std::max_element(
      reach.begin(), reach.end(), [](const Reach& a, const Reach& b) { return a.share < b.share; });
  if (most == reach.end()) return "";
  constexpr double kFar = 10;  // where clip or noise are missing
  const std::string share =
      most->share > kFar ? "many times" : fmt::format("{:.0f}% of", 100 * most->share);
  return fmt::format("reach: the neighbours move release {} ({}) by {} what is charged\n",
                     most->place + 1, most->what, share);
}

Json reach_json(const std::vector<Reach>& reach) {
  Json json = Json::array();
  for (const Reach& r : reach) {
    json.push_back({{"release", r.place + 1}, {"what", r.what}, {"share", r.share}});
  }
  return json;
}

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace

AuditResult audit(const NeighbourRuns& runs) {
  SOTTO_REQUIRE(std::ssize(runs.here) >= kFewestRuns && runs.here.size() == runs.there.size(),
                "an audit needs {} runs and more, as many on both data sets", kFewestRuns);
  return Audit(runs).run();
}

std::string AuditResult::to_text() const {
  std::string text = fmt::format(
      "{0} runs on each data set, half of them to choose a test, half to judge it; 95% confidence\n"
      "claimed: epsilon {1:.4g} at delta {2:.3g}\n"
      "exceeded at delta {2:.3g}: epsilon {3:.4g}, by {4} ({5} of {7} runs against {6})\n",
      runs, claim.epsilon, claim.delta, at_delta.proved, at_delta.test, at_delta.hits,
      at_delta.misses, judged);
  text += fmt::format(
      "{} the claim on what it reads: epsilon {:.4g} at delta {:.3g}, where at most {:.4g} is "
      "claimed, by {} ({} of {} runs against {})\n",
      worst.exceeds() ? "EXCEEDS" : "nearest to", worst.proved, worst.delta, worst.claimed,
      worst.test, worst.hits, judged, worst.misses);
  text += exceeds() ? "the claim does not hold\n"
                    : "no claim was disproved; this does not prove the claim\n";
  if (std::isfinite(power.epsilon)) {
    text += fmt::format(
        "power: 8 times out of 10 this many runs find noise of {:.0f}% of what is claimed (a true "
        "epsilon of {:.4g} at that delta), if the best test is among those tried; they cannot "
        "prove an epsilon above {:.3g}\n",
        100 * power.noise, power.epsilon, power.most);
  } else {
    text += fmt::format(
        "power: this many runs cannot disprove this claim; they cannot prove an epsilon above "
        "{:.3g}\n",
        power.most);
  }
  return text + reach_text(reach);
}

Json AuditResult::to_json() const {
  return {{"runs", runs},
          {"judged", judged},
          {"confidence", kConfidence},
          {"claimed", {{"epsilon", claim.epsilon}, {"delta", claim.delta}}},
          {"exceeds", exceeds()},
          {"at_delta", finding_json(at_delta)},
          {"worst", finding_json(worst)},
          {"power",
           {{"noise", finite_or_null(power.noise)},
            {"epsilon", finite_or_null(power.epsilon)},
            {"most", power.most}}},
          {"reach", reach_json(reach)}};
}

}  // namespace sotto::audit
