#include "sotto/audit/separator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/audit/solve.h"

namespace sotto::audit {
namespace {

constexpr std::size_t kMostTogether = 32;  // a system of equations of this size
constexpr double kRidge = 1e-6;

using Term = LinearSeparator::Term;

double deviation(const BlockMoments& block, std::size_t i) {
  constexpr double kHardlyAny = 1e-9;
  return std::max(std::sqrt(block.variance[i]),
                  std::max(kHardlyAny * std::abs(block.difference[i]), 1e-300));
}

// One term for each number, its weight the difference in standard deviations.
std::vector<Term> standardised(const std::vector<const BlockMoments*>& blocks, std::size_t first) {
  std::vector<Term> terms;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const BlockMoments& block = *blocks[b];
    for (std::size_t i = 0; i < block.size(); ++i) {
      const double centre = (block.here[i] + block.there[i]) / 2;
      terms.push_back({first + b, i, centre, block.standardised(i)});
    }
  }
  return terms;
}

}  // namespace

double LinearSeparator::of(const SeenRun& run) const {
  double sum = 0;
  for (const Term& term : terms_) {
    if (term.release >= run.releases.size()) return -std::numeric_limits<double>::infinity();
    const Numbers& numbers = run.releases[term.release].numbers;
    if (term.number >= numbers.size()) return -std::numeric_limits<double>::infinity();
    sum += (numbers[term.number] - term.centre) * term.weight;
  }
  return sum;
}

LinearSeparator separator_by_number(const std::vector<const BlockMoments*>& blocks,
                                    std::size_t first, std::size_t fitted, double least) {
  const double error = std::sqrt(2 / static_cast<double>(fitted));
  std::vector<Term> kept;
  for (Term term : standardised(blocks, first)) {
    if (term.weight == 0 || std::abs(term.weight) < least * error) continue;
    term.weight /= deviation(*blocks[term.release - first], term.number);
    kept.push_back(term);
  }
  return LinearSeparator(std::move(kept));
}

LinearSeparator separator_by_covariance(const NeighbourRuns& runs,
                                        const std::vector<const BlockMoments*>& blocks,
                                        std::size_t first, std::size_t fitted) {
  std::vector<Term> terms = standardised(blocks, first);
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return std::abs(a.weight) > std::abs(b.weight);
  });
  if (terms.size() > kMostTogether) terms.resize(kMostTogether);
  const std::size_t n = terms.size();
  if (n < 2 || fitted < 4 * n) return LinearSeparator();

  std::vector<double> scale(n), covariance(n * n), weights(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    scale[i] = deviation(*blocks[terms[i].release - first], terms[i].number);
    weights[i] = terms[i].weight;
  }
  const auto add_side = [&](const std::vector<SeenRun>& side, bool is_there) {
    for (std::size_t r = 0; r < fitted; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        const BlockMoments& block = *blocks[terms[i].release - first];
        const Numbers* numbers = release_of(side[r], terms[i].release, block.size());
        if (numbers == nullptr) return;
        const Numbers& mean = is_there ? block.there : block.here;
        x[i] = ((*numbers)[terms[i].number] - mean[terms[i].number]) / scale[i];
      }
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          covariance[i * n + j] += x[i] * x[j] / static_cast<double>(2 * fitted);
        }
      }
    }
  };
  add_side(runs.here, false);
  add_side(runs.there, true);
  for (std::size_t i = 0; i < n; ++i) covariance[i * n + i] += kRidge;
  solve_symmetric(covariance, weights);
  for (std::size_t i = 0; i < n; ++i) terms[i].weight = weights[i] / scale[i];
  return LinearSeparator(std::move(terms));
}

}  // namespace sotto::audit
