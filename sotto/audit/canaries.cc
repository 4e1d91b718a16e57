#include "sotto/audit/canaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sotto/audit/audit.h"
#include "sotto/audit/block_moments.h"
#include "sotto/audit/limits.h"
#include "sotto/audit/solve.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/random.h"

namespace sotto::audit {
namespace {

constexpr std::uint64_t kSeed = 20231;  // of the canaries, which are no secret
constexpr int kLengthOfDocument = 50;

// Guess all coins, or those that look surest: one of these numbers counts.
constexpr int kShares[] = {1, 2, 4, 8, 16};
// Twice: for noise as it is claimed, and for hardly any, at which canaries that overlap are told
// apart.
constexpr double kOfEach = (1 - kConfidence) / (2 * std::size(kShares));
constexpr double kHardlyNoise = 1e-6;

// The releases in which a canary makes the same difference whatever the noise is, joined, in units
// of their noise.
class CanaryNumbers {
 public:
  explicit CanaryNumbers(const CanaryRuns& runs) {
    const SeenRun &none = runs.none[0], &flipped = runs.flipped[0];
    for (std::size_t r = 0; r < none.releases.size(); ++r) {
      const ReleaseRecord& record = none.releases[r].record;
      const bool is_noisy = record.noise > 0 && record.mechanism != "exponential";
      if (is_noisy && is_alike(none, flipped, runs.none[1], runs.other_seed, r)) {
        places_.push_back(r);
      }
    }
    SOTTO_REQUIRE(!places_.empty(),
                  "no release of this command shows a canary whatever the noise is: nothing can be "
                  "guessed");
  }

  Numbers of(const SeenRun& run) const {
    Numbers joined;
    for (const std::size_t r : places_) {
      SOTTO_REQUIRE(r < run.releases.size(), "a run made fewer releases than the others");
      const double unit = run.releases[r].record.noise;
      for (const double x : run.releases[r].numbers) joined.push_back(x / unit);
    }
    return joined;
  }

 private:
  static bool is_alike(const SeenRun& a, const SeenRun& b, const SeenRun& c, const SeenRun& d,
                       std::size_t r) {
    for (const SeenRun* run : {&a, &b, &c, &d}) {
      if (r >= run->releases.size()) return false;
    }
    const Numbers &a_r = a.releases[r].numbers, &b_r = b.releases[r].numbers;
    const Numbers &c_r = c.releases[r].numbers, &d_r = d.releases[r].numbers;
    const std::size_t size = a_r.size();
    if (b_r.size() != size || c_r.size() != size || d_r.size() != size) return false;
    double difference = 0, error = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double one = b_r[i] - a_r[i], two = d_r[i] - c_r[i];
      difference += one * one;
      error += (one - two) * (one - two);
    }
    return difference > 0 && error <= 1e-6 * difference;
  }

  std::vector<std::size_t> places_;
};

double dot(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// What the coins move the releases by, and what was seen.
struct CoinEquations {
  std::vector<double> matrix,
      right_side;          // products of differences with each other and the release
  double mean_square = 0;  // of a difference
};

CoinEquations coin_equations(const CanaryRuns& runs) {
  const CanaryNumbers numbers(runs);
  const std::size_t m = runs.coins.size();
  const Numbers seeded = numbers.of(runs.none[0]);
  std::vector<Numbers> differences;
  for (const SeenRun& run : runs.flipped) {
    Numbers difference = numbers.of(run);
    SOTTO_REQUIRE(difference.size() == seeded.size(), "releases differ in size from run to run");
    for (std::size_t i = 0; i < seeded.size(); ++i) difference[i] -= seeded[i];
    differences.push_back(std::move(difference));
  }
  Numbers seen = numbers.of(runs.audited);
  SOTTO_REQUIRE(seen.size() == seeded.size(), "releases differ in size from run to run");
  for (const SeenRun& run : runs.none) {
    const Numbers one = numbers.of(run);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      seen[i] -= one[i] / static_cast<double>(runs.none.size());
    }
  }
  for (const Numbers& difference : differences) {
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] -= difference[i] / 2;
  }

  CoinEquations equations{Numbers(m * m), Numbers(m), 0};
  for (std::size_t i = 0; i < m; ++i) {
    equations.right_side[i] = dot(differences[i], seen);
    for (std::size_t j = 0; j <= i; ++j) {
      equations.matrix[i * m + j] = dot(differences[i], differences[j]);
    }
    equations.mean_square += equations.matrix[i * m + i] / static_cast<double>(m);
  }
  return equations;
}

// For each canary a number around zero: positive if it seems to have its second form. The coins'
// best linear estimate where the noise has a variance of `noise` times what is claimed.
Numbers estimated_coins(const CoinEquations& equations, double noise) {
  Numbers matrix = equations.matrix, estimate = equations.right_side;
  const std::size_t m = estimate.size();
  // The variance of a coin is a quarter.
  for (std::size_t i = 0; i < m; ++i) matrix[i * m + i] += 4 * noise;
  solve_symmetric(matrix, estimate);
  return estimate;
}

PrivacyClaim exchanged(const Certificate& certificate) {
  const PrivacyClaim claim{certificate.epsilon, certificate.statement.delta};
  if (!certificate.statement.adds_or_removes) return claim;
  return {2 * claim.epsilon, (1 + std::exp(claim.epsilon)) * claim.delta};
}

// Guesses the surest coins and keeps the number of guesses that proves most.
void judge(const Numbers& estimate, const std::vector<bool>& coins, CanaryResult& result) {
  std::vector<std::size_t> surest(estimate.size());
  std::iota(surest.begin(), surest.end(), 0U);
  std::stable_sort(surest.begin(), surest.end(), [&](std::size_t i, std::size_t j) {
    return std::abs(estimate[i]) > std::abs(estimate[j]);
  });
  for (const int share : kShares) {
    const std::int64_t guesses = result.canaries / share;
    if (guesses == 0) break;
    const auto right = std::count_if(surest.begin(), surest.begin() + guesses,
                                     [&](std::size_t i) { return (estimate[i] > 0) == coins[i]; });
    const auto epsilon = [&](std::int64_t of) {
      return epsilon_of_guesses(of, guesses, result.canaries, result.claim.delta, kOfEach);
    };
    result.most = std::max(result.most, epsilon(guesses));
    if (result.guesses > 0 && epsilon(right) <= result.proved) continue;
    result.proved = epsilon(right);
    result.guesses = guesses;
    result.right = right;
  }
}

}  // namespace

std::vector<CanaryPair> record_canaries(std::size_t count, std::size_t dim, double norm) {
  SeededRandom random(kSeed);
  std::vector<CanaryPair> pairs;
  for (std::size_t n = 0; n < count; ++n) {
    Numbers record(dim);
    for (double& x : record) x = random.normal();
    const double length = std::sqrt(dot(record, record));
    CanaryPair pair;
    for (std::size_t i = 0; i < dim; ++i) {
      const char* comma = i > 0 ? "," : "";
      pair.first += fmt::format("{}{:.17g}", comma, -record[i] / length * norm);
      pair.second += fmt::format("{}{:.17g}", comma, record[i] / length * norm);
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<CanaryPair> document_canaries(std::size_t count,
                                          const std::vector<std::string>& words) {
  SOTTO_REQUIRE(words.size() >= 4, "canaries of two words each need four words or more");
  SeededRandom random(kSeed);
  std::vector<CanaryPair> pairs;
  std::vector<std::size_t> order(words.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      const auto left = static_cast<std::uint64_t>(order.size() - i);
      std::swap(order[i], order[i + static_cast<std::size_t>(random.below(left))]);
    }
    const auto document = [&](std::size_t a, std::size_t b) {
      std::string text;
      for (int i = 0; i < kLengthOfDocument; ++i) {
        text += (i > 0 ? " " : "") + words[order[i % 2 == 0 ? a : b]];
      }
      return text;
    };
    pairs.emplace_back(document(0, 1), document(2, 3));
  }
  return pairs;
}

std::vector<CanaryPair> rating_canaries(const std::vector<std::string>& lines, std::size_t column,
                                        double low, double high) {
  const auto with = [&](const std::string& line, double value) {
    std::size_t begin = 0;
    for (std::size_t c = 0; c < column; ++c) {
      begin = line.find(',', begin);
      SOTTO_REQUIRE(begin != std::string::npos, "a line has too few columns for a canary");
      ++begin;
    }
    const std::size_t end = std::min(line.find(',', begin), line.size());
    return line.substr(0, begin) + fmt::format("{:.17g}", value) + line.substr(end);
  };
  std::vector<CanaryPair> pairs;
  pairs.reserve(lines.size());
  for (const std::string& line : lines) pairs.emplace_back(with(line, low), with(line, high));
  return pairs;
}

double epsilon_of_guesses(std::int64_t right, std::int64_t guesses, std::int64_t canaries,
                          double delta, double alpha) {
  const auto is_disproved = [&](double epsilon) {
    const double wrong = 1 / (1 + std::exp(epsilon));
    return binomial_tail(right, guesses, 1 - wrong) +
               static_cast<double>(canaries) * delta * wrong <=
           alpha;
  };
  if (!is_disproved(0)) return 0;
  double low = 0, high = 100;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (is_disproved(middle) ? low : high) = middle;
  }
  return low;
}

CanaryResult audit_canaries(const CanaryRuns& runs) {
  SOTTO_REQUIRE(runs.certificate.proved,
                "the run claims no privacy, so there is nothing to audit: {}",
                runs.certificate.why);
  const CoinEquations equations = coin_equations(runs);
  CanaryResult result;
  result.canaries = std::ssize(runs.coins);
  result.claim = exchanged(runs.certificate);
  for (const double noise : {1.0, kHardlyNoise * equations.mean_square}) {
    judge(estimated_coins(equations, noise), runs.coins, result);
  }
  return result;
}

std::string CanaryResult::to_text() const {
  return fmt::format(
      "one run over {} canaries; 95% confidence\n"
      "claimed for the exchange of one unit: epsilon {:.4g} at delta {:.3g}\n"
      "exceeded: epsilon {:.4g}, by {} right guesses of {}\n"
      "{}\n"
      "power: this many canaries cannot prove an epsilon above {:.3g}\n",
      canaries, claim.epsilon, claim.delta, proved, right, guesses,
      exceeds() ? "the claim does not hold"
                : "no claim was disproved; this does not prove the claim",
      most);
}

Json CanaryResult::to_json() const {
  return {{"canaries", canaries},
          {"guesses", guesses},
          {"right", right},
          {"confidence", kConfidence},
          {"claimed", {{"epsilon", claim.epsilon}, {"delta", claim.delta}}},
          {"exceeds", exceeds()},
          {"exceeded", proved},
          {"power", {{"most", most}}}};
}

}  // namespace sotto::audit
