#include "sotto/audit/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "sotto/audit/block_moments.h"
#include "sotto/audit/separator.h"

namespace sotto::audit {
namespace {

constexpr std::size_t kMostReleases = 8;  // that are looked at one by one, from the beginning
constexpr std::size_t kMostWords = 400;
constexpr double kNowhere = -std::numeric_limits<double>::infinity();

// ---- the likelihood ratio, where the noise and the difference are known ----

// log P(there) / P(here) of one release, up to what the estimates of its mean leave out.
class LikelihoodRatio {
 public:
  LikelihoodRatio(const ReleaseRecord& record, BlockMoments moments)
      : record_(record), moments_(std::move(moments)) {
    // Both sides tell where `here` lies.
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      centre_.push_back((moments_.here[i] + moments_.there[i] - moments_.difference[i]) / 2);
    }
  }

  double of(const SeenRun& run, std::size_t place) const {
    const Numbers* x = release_of(run, place, moments_.size());
    if (x == nullptr) return kNowhere;
    if (std::holds_alternative<GaussianCost>(record_.cost)) return gaussian(*x);
    if (const auto* sampled = std::get_if<SubsampledGaussianCost>(&record_.cost)) {
      return std::log1p(sampled->sampling_rate * std::expm1(std::min(700.0, gaussian(*x))));
    }
    return record_.mechanism == "vector" ? vector(*x) : laplace(*x);
  }

 private:
  double gaussian(const Numbers& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double difference = moments_.difference[i];
      if (difference == 0) continue;
      const double variance = std::max(moments_.variance[i], 1e-18 * difference * difference);
      sum += (x[i] - centre_[i] - difference / 2) * difference / variance;
    }
    return sum;
  }
  double laplace(const Numbers& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double from_here = x[i] - centre_[i];
      sum += std::abs(from_here) - std::abs(from_here - moments_.difference[i]);
    }
    return sum / record_.noise;
  }
  double vector(const Numbers& x) const {
    double here = 0, there = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double from_here = x[i] - centre_[i], from_there = from_here - moments_.difference[i];
      here += from_here * from_here;
      there += from_there * from_there;
    }
    return (std::sqrt(here) - std::sqrt(there)) / record_.noise;
  }

  ReleaseRecord record_;
  BlockMoments moments_;
  Numbers centre_;
};

class ScoreMaker {
 public:
  ScoreMaker(const NeighbourRuns& runs, std::size_t fitted) : runs_(runs), fitted_(fitted) {
    const SeenRun& first = runs.here.front();
    for (std::size_t r = 0; r < first.releases.size(); ++r) {
      moments_.push_back(moments_of(runs, r, fitted));
    }
  }

  std::vector<Score> make() {
    likelihood_ratios();
    separators();
    pairs();
    extremes();
    published();
    words();
    return std::move(scores_);
  }

 private:
  const ReleaseRecord& record(std::size_t place) const {
    return runs_.here.front().releases[place].record;
  }
  std::string name_of(std::size_t place) const {
    return fmt::format("release {} ({})", place + 1, record(place).what);
  }
  std::size_t looked_at() const { return std::min(kMostReleases, moments_.size()); }
  void add(std::string name, std::size_t reads, std::function<double(const SeenRun&)> of) {
    scores_.push_back({std::move(name), reads, std::move(of)});
  }

  static bool has_known_noise(const ReleaseRecord& record) {
    return record.noise > 0 && record.mechanism != "exponential";
  }

  void likelihood_ratios() {
    using Ratio = std::pair<std::size_t, LikelihoodRatio>;
    auto all = std::make_shared<std::vector<Ratio>>();
    for (std::size_t r = 0; r < moments_.size(); ++r) {
      if (!moments_[r].is_exact || !has_known_noise(record(r))) continue;
      all->push_back({r, LikelihoodRatio(record(r), moments_[r])});
      if (r >= looked_at()) continue;
      add("likelihood ratio of " + name_of(r), r + 1,
          [r, ratio = all->back().second](const SeenRun& run) { return ratio.of(run, r); });
      if (all->size() < 2) continue;
      add(fmt::format("likelihood ratio of the first {} releases", r + 1), r + 1,
          [before = *all](const SeenRun& run) { return joint(before, run); });
    }
    if (all->size() < 2 || all->back().first < looked_at()) return;
    add("likelihood ratio of all releases", all->back().first + 1,
        [all](const SeenRun& run) { return joint(*all, run); });
  }
  static double joint(const std::vector<std::pair<std::size_t, LikelihoodRatio>>& ratios,
                      const SeenRun& run) {
    double sum = 0;
    for (const auto& [place, ratio] : ratios) sum += ratio.of(run, place);
    return sum;
  }

  // ---- trained separators ----

  void separators() {
    std::vector<const BlockMoments*> all;
    for (const BlockMoments& block : moments_) all.push_back(&block);
    for (std::size_t r = 0; r < looked_at(); ++r) {
      add_separators("of " + name_of(r), r + 1, r, {all[r]});
    }
    if (all.size() > 1) add_separators("of all releases", kWholeRun, 0, all);
  }
  void add_separators(const std::string& of_what, std::size_t reads, std::size_t first,
                      const std::vector<const BlockMoments*>& blocks) {
    for (const double least : {0.0, 1.0, 2.0, 3.0}) {
      const LinearSeparator separator = separator_by_number(blocks, first, fitted_, least);
      if (separator.empty()) continue;
      add("linear separator " + of_what, reads,
          [separator](const SeenRun& run) { return separator.of(run); });
    }
    const LinearSeparator joint = separator_by_covariance(runs_, blocks, first, fitted_);
    if (joint.empty()) return;
    add("linear separator with covariances " + of_what, reads,
        [joint](const SeenRun& run) { return joint.of(run); });
  }

  // ---- two releases with the same noise ----

  void pairs() {
    for (std::size_t s = 1; s < looked_at(); ++s) {
      for (std::size_t r = 0; r < s; ++r) add_pair(r, s);
    }
  }
  // In units of their noise, two releases that share it differ by no noise at all.
  void add_pair(std::size_t r, std::size_t s) {
    if (!has_known_noise(record(r)) || !has_known_noise(record(s))) return;
    const std::size_t shared = std::min(moments_[r].size(), moments_[s].size());
    const auto between = [r, s, shared, rest_r = moments_[r].size(), rest_s = moments_[s].size(),
                          unit_r = record(r).noise, unit_s = record(s).noise](const SeenRun& run) {
      const Numbers *x = release_of(run, r, rest_r), *y = release_of(run, s, rest_s);
      Numbers gap;
      if (x == nullptr || y == nullptr) return gap;
      for (std::size_t i = 0; i < shared; ++i) gap.push_back((*x)[i] / unit_r - (*y)[i] / unit_s);
      return gap;
    };
    Numbers direction(shared), mean(shared), square(shared);
    double count = 0;
    for (std::size_t n = 0; n < fitted_; ++n) {
      const Numbers here = between(runs_.here[n]), there = between(runs_.there[n]);
      if (here.empty() || there.empty()) continue;
      count += 1;
      for (std::size_t i = 0; i < shared; ++i) {
        direction[i] += there[i] - here[i];
        mean[i] += here[i];
        square[i] += here[i] * here[i];
      }
    }
    if (count < 2) return;
    for (std::size_t i = 0; i < shared; ++i) {
      const double variance =
          std::max(1e-12, square[i] / count - mean[i] * mean[i] / count / count);
      direction[i] /= count * variance;
    }
    add(fmt::format("difference of {} and {}", name_of(r), name_of(s)), s + 1,
        [between, direction](const SeenRun& run) {
          const Numbers gap = between(run);
          return gap.empty() ? kNowhere
                             : std::inner_product(gap.begin(), gap.end(), direction.begin(), 0.0);
        });
  }

  // ---- extreme values, the published result, words ----

  void extremes() {
    for (std::size_t r = 0; r < looked_at(); ++r) {
      const std::size_t size = moments_[r].size();
      if (size == 0) continue;
      const auto add_of = [&](const char* what, double (*of)(const Numbers&)) {
        add(fmt::format("{} of {}", what, name_of(r)), r + 1, [r, size, of](const SeenRun& run) {
          const Numbers* x = release_of(run, r, size);
          return x == nullptr ? kNowhere : of(*x);
        });
      };
      add_of("largest number",
             [](const Numbers& x) { return *std::max_element(x.begin(), x.end()); });
      if (size == 1) continue;
      add_of("smallest number",
             [](const Numbers& x) { return *std::min_element(x.begin(), x.end()); });
      add_of("length", [](const Numbers& x) {
        return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
      });
    }
    add("number of releases", kWholeRun,
        [](const SeenRun& run) { return static_cast<double>(run.releases.size()); });
  }

  void published() {
    for (const auto& [place, value] : runs_.here.front().published) {
      add("published number " + place, kWholeRun, [place = place](const SeenRun& run) {
        const auto found = run.published.find(place);
        return found == run.published.end() ? kNowhere : found->second;
      });
    }
  }

  // Those whose shares differ most.
  void words() {
    std::map<std::string, double> shares;
    for (std::size_t n = 0; n < fitted_; ++n) {
      for (const std::string& word : runs_.here[n].words) shares[word] -= 1;
      for (const std::string& word : runs_.there[n].words) shares[word] += 1;
    }
    std::vector<std::pair<double, std::string>> ordered;
    for (const auto& [word, share] : shares) {
      if (share != 0) ordered.emplace_back(-std::abs(share), word);
    }
    std::sort(ordered.begin(), ordered.end());
    if (ordered.size() > kMostWords) ordered.resize(kMostWords);
    for (const auto& [share, word] : ordered) {
      add(fmt::format("'{}' is seen", word), kWholeRun,
          [word = word](const SeenRun& run) { return run.words.contains(word) ? 1.0 : 0.0; });
    }
  }

  const NeighbourRuns& runs_;
  std::size_t fitted_;
  std::vector<BlockMoments> moments_;
  std::vector<Score> scores_;
};

}  // namespace

std::vector<Score> make_scores(const NeighbourRuns& runs, std::size_t fitted) {
  return ScoreMaker(runs, fitted).make();
}

}  // namespace sotto::audit
