#include "sotto/decompose/cp_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

constexpr double kHeldOutShare = 0.1;
constexpr double kConsistent = 50;  // percent
constexpr std::uint64_t kHeldOutStream = 1 << 20;

// A tensor with some known entries made unknown, and what they were.
struct HeldOut {
  AnyTensor left;
  std::vector<std::vector<Index>> places;
  std::vector<double> values;
};

// Counts the known entries of every row, so that none loses its last.
class KnownOfRows {
 public:
  explicit KnownOfRows(const std::vector<Index>& dims) {
    for (const Index d : dims) count_.emplace_back(static_cast<std::size_t>(d), Index{0});
  }
  void add(std::span<const Index> at, Index n) {
    for (std::size_t m = 0; m < at.size(); ++m) count_[m][static_cast<std::size_t>(at[m])] += n;
  }
  bool can_spare(std::span<const Index> at) const {
    constexpr Index kLeast = 2;
    for (std::size_t m = 0; m < at.size(); ++m) {
      if (count_[m][static_cast<std::size_t>(at[m])] <= kLeast) return false;
    }
    return true;
  }

 private:
  std::vector<std::vector<Index>> count_;
};

HeldOut hold_out(const DenseTensor& tensor, std::uint64_t seed) {
  DenseTensor left = tensor;
  HeldOut held{DenseTensor({1}), {}, {}};
  KnownOfRows known(tensor.dims());
  for (Index p = 0; p < tensor.size(); ++p) {
    if (!std::isnan(tensor.values()[p])) known.add(tensor.index_of(p), 1);
  }
  SeededRandom random(seed, kHeldOutStream);
  for (Index p = 0; p < tensor.size(); ++p) {
    if (random.uniform() >= kHeldOutShare || std::isnan(tensor.values()[p])) continue;
    std::vector<Index> at = tensor.index_of(p);
    if (!known.can_spare(at)) continue;
    known.add(at, -1);
    held.values.push_back(tensor.values()[p]);
    held.places.push_back(std::move(at));
    left.values()[p] = std::numeric_limits<double>::quiet_NaN();
  }
  held.left = std::move(left);
  return held;
}

HeldOut hold_out(const SparseTensor& tensor, std::uint64_t seed) {
  HeldOut held{DenseTensor({1}), {}, {}};
  KnownOfRows known(tensor.dims());
  const auto place = [&](Index e) {
    return std::vector<Index>(tensor.index(e).begin(), tensor.index(e).end());
  };
  for (Index e = 0; e < tensor.nnz(); ++e) known.add(place(e), 1);
  SeededRandom random(seed, kHeldOutStream);
  std::vector<SparseTensor::Coordinate> indices;
  std::vector<double> values;
  for (Index e = 0; e < tensor.nnz(); ++e) {
    std::vector<Index> at = place(e);
    if (random.uniform() < kHeldOutShare && known.can_spare(at)) {
      known.add(at, -1);
      held.values.push_back(tensor.values()[e]);
      held.places.push_back(std::move(at));
    } else {
      indices.insert(indices.end(), tensor.index(e).begin(), tensor.index(e).end());
      values.push_back(tensor.values()[e]);
    }
  }
  held.left =
      SparseTensor(tensor.dims(), std::move(indices), std::move(values), Duplicates::refuse);
  return held;
}

std::optional<HeldOut> hold_out(const AnyTensor& tensor, const CpOptions& options) {
  const auto seed = static_cast<std::uint64_t>(options.seed);
  if (const auto* dense = std::get_if<DenseTensor>(&tensor)) return hold_out(*dense, seed);
  if (!options.missing) return std::nullopt;
  return hold_out(std::get<SparseTensor>(tensor), seed);
}

void predict_held_out(const HeldOut& held, const CpOptions& options, RankTrial& trial) {
  CpOptions quick = options;
  quick.missing = true;
  quick.components = trial.components;
  quick.starts = std::min<std::int64_t>(options.starts, 3);
  quick.tolerance = std::max(options.tolerance, 1e-7);
  const Decomposition found = fit_cp(held.left, quick).found;
  Vector squares(std::ssize(held.values));
  for (std::size_t n = 0; n < held.values.size(); ++n) {
    Eigen::ArrayXd product = found.weights.array();
    for (std::size_t m = 0; m < found.factors.size(); ++m) {
      product *= found.factors[m].row(held.places[n][m]).transpose().array();
    }
    const double gap = held.values[n] - product.sum();
    squares[static_cast<Index>(n)] = gap * gap;
  }
  const auto count = static_cast<double>(squares.size());
  const double mean = squares.mean();
  trial.held_out = std::sqrt(mean);
  trial.standard_error = std::sqrt((squares.array() - mean).square().sum() / count / count);
}

// The smallest number within one standard error of the smallest error.
Index choice_by_held_out(const std::vector<RankTrial>& trials) {
  const auto square = [](const RankTrial& t) { return *t.held_out * *t.held_out; };
  const auto best =
      std::min_element(trials.begin(), trials.end(),
                       [&](const auto& a, const auto& b) { return square(a) < square(b); });
  const double limit = square(*best) + *best->standard_error;
  for (const RankTrial& t : trials) {
    if (square(t) <= limit) return t.components;
  }
  return best->components;
}

Index choice_by_consistency(const std::vector<RankTrial>& trials, Index most) {
  Index chosen = 0;
  for (const RankTrial& t : trials) {
    const bool consistent = t.core_consistency && *t.core_consistency >= kConsistent;
    if (consistent && !t.degenerate && t.components <= most) chosen = t.components;
  }
  return chosen;
}

std::string explain(Index chosen, Index by_held_out, bool held) {
  if (!held) {
    return fmt::format(
        "{} components: the most with a core consistency of {:.0f} % or more (a sparse tensor has "
        "no entries to hold out)",
        chosen, kConsistent);
  }
  if (chosen == by_held_out) {
    return fmt::format(
        "{} components: more do not predict held-out entries better by a standard error", chosen);
  }
  return fmt::format(
      "{} components: held-out entries allow {}, but above {} the core consistency is below "
      "{:.0f} %",
      chosen, by_held_out, chosen, kConsistent);
}

}  // namespace

RankChoice choose_components(const AnyTensor& tensor, const CpOptions& options, Index most,
                             const ProgressCallback& progress) {
  const Index limit = std::min(most, most_components(dims_of(tensor)));
  RankChoice choice;
  std::vector<CpFit> fits;
  std::optional<HeldOut> held;
  for (Index k = 1; k <= limit; ++k) {
    const std::string stage = fmt::format("{} of up to {} components", k, limit);
    const ProgressCallback report = [&](const ProgressReport&) {
      return report_progress(progress, {stage.c_str(), k - 1, limit});
    };
    CpOptions trial_options = options;
    trial_options.components = k;
    fits.push_back(fit_cp(tensor, trial_options, report));
    const CpFit& fit = fits.back();
    throw_if_stopped(fit.found.status == Status::stopped);
    if (k == 1) held = hold_out(tensor, options);  // after the checks of the first fit
    RankTrial trial{k, fit.measures.fit(), fit.core_consistency, {}, {}, !fit.degenerate.empty()};
    if (held) predict_held_out(*held, options, trial);
    choice.trials.push_back(trial);
  }
  const Index by_held_out = held ? choice_by_held_out(choice.trials) : limit;
  const Index consistent = choice_by_consistency(choice.trials, by_held_out);
  choice.components = consistent > 0 ? consistent : by_held_out;
  choice.why = explain(choice.components, by_held_out, held.has_value());
  choice.fit = std::move(fits[static_cast<std::size_t>(choice.components - 1)]);
  return choice;
}

}  // namespace sotto
