#include "sotto/decompose/cp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/decompose/cp_als.h"
#include "sotto/decompose/cp_diagnostics.h"
#include "sotto/decompose/cp_newton.h"
#include "sotto/decompose/cp_source.h"
#include "sotto/tensor/mode_product.h"
#include "sotto/tensor/sketched_bases.h"

namespace sotto {
namespace {

constexpr double kSameComponent = 0.99;  // congruence from which two components are the same

// ---- starts ----

// The leading singular vectors of the unfoldings, each mode on what the ones before have left;
// columns that a short mode does not have are random.
Factors singular_start(const DenseTensor& tensor, Index k, SeededRandom& random) {
  std::vector<Index> ranks;
  for (const Index d : tensor.dims()) ranks.push_back(std::min(k, d));
  Factors factors;
  for (const Matrix& basis : sequential_bases(tensor, ranks).bases) {
    Matrix a(basis.rows(), k);
    for (Index n = 0; n < a.size(); ++n) a.data()[n] = random.normal();
    a.leftCols(basis.cols()) = basis;
    factors.push_back(std::move(a));
  }
  return factors;
}

// Positive and signed in turn: spectra and counts like the former, loadings the latter.
Factors random_start(const std::vector<Index>& dims, Index k, bool positive, SeededRandom& random) {
  Factors factors;
  for (const Index d : dims) {
    Matrix a(d, k);
    for (Index n = 0; n < a.size(); ++n)
      a.data()[n] = positive ? random.uniform() : random.normal();
    factors.push_back(std::move(a));
  }
  return factors;
}

void make_non_negative(Factors& factors) {
  for (Matrix& a : factors) a = a.cwiseAbs();
}

// ---- one start ----

struct Reached {
  Factors factors;
  SweepOutcome outcome;
};

// What a start may cost.
struct Effort {
  int sweeps = 0, steps = 0;
  double tolerance = 0;
};

// The problem that starts work on: the tensor itself or its core.
struct Ground {
  CpProblem& problem;
  Mttkrp* products;  // for Gauss-Newton; null where it does not apply
  Index entries;
  int limit;  // of the sweeps, and of the steps, of a start
};

// Inner iterations of a Gauss-Newton step that cost no more than its products.
int inner_iterations(const Ground& ground, Index k) {
  const std::vector<Index>& dims = ground.problem.dims();
  const auto rows = static_cast<double>(std::accumulate(dims.begin(), dims.end(), Index{0}));
  const double products = 4 * static_cast<double>(ground.entries * k);
  const double inner = 8 * rows * static_cast<double>(k * k);
  return static_cast<int>(std::clamp(products / inner, 15.0, 100.0));
}

Reached run_start(const Ground& ground, Factors factors, const Effort& effort, Sign sign,
                  const SweepReport& report = {}) {
  Reached reached{std::move(factors), {}};
  if (effort.sweeps > 0) {
    reached.outcome = alternating_least_squares(ground.problem, reached.factors,
                                                {effort.sweeps, effort.tolerance, sign}, report);
  }
  if (ground.products == nullptr || effort.steps == 0 || reached.outcome.stopped) return reached;
  const int sweeps = reached.outcome.sweeps;
  NewtonOptions newton{effort.steps, effort.tolerance,
                       inner_iterations(ground, reached.factors[0].cols())};
  reached.outcome = gauss_newton(*ground.products, reached.factors, newton, report);
  reached.outcome.sweeps += sweeps;
  return reached;
}

// Small problems are solved to the end from every start, large ones so far that the best shows.
Effort search_effort(const Ground& ground, Index components) {
  constexpr double kSmall = 3e7;  // multiplications a sweep
  const double work = static_cast<double>(ground.entries * components);
  if (work > kSmall) return {std::min(ground.limit, 15), 0, 1e-5};
  if (ground.products == nullptr) return {std::min(ground.limit, 200), 0, 1e-6};
  return {std::min(ground.limit, 40), std::min(ground.limit, 60), 1e-7};
}

Effort final_effort(const Ground& ground, double tolerance, bool searched) {
  if (ground.products == nullptr) return {ground.limit, 0, tolerance};
  return {searched ? 0 : std::min(ground.limit, 15), ground.limit, tolerance};
}

// ---- compression ----

// `iterations` are for the tensor itself: those on its core cost little.
constexpr int kSweepsOnCore = 200;

// A core of a few vectors more than components, where it is much smaller than the tensor.
std::optional<ModeBases> compress(const DenseTensor& tensor, Index k, std::int64_t seed) {
  constexpr double kWorthIt = 8;
  constexpr Index kOversampling = 2;
  std::vector<Index> ranks;
  double size = 1;
  for (const Index d : tensor.dims()) {
    ranks.push_back(std::min(d, std::max(2 * k, k + 8)));
    size *= static_cast<double>(ranks.back());
  }
  if (kWorthIt * size > static_cast<double>(tensor.size())) return std::nullopt;
  return sketched_bases(tensor, ranks, k + kOversampling, static_cast<std::uint64_t>(seed));
}

Factors expand(const ModeBases& compressed, const Factors& factors) {
  Factors full;
  for (std::size_t m = 0; m < factors.size(); ++m) {
    full.push_back(compressed.bases[m] * factors[m]);
  }
  return full;
}

// The products of the compressed tensor G x_m U_m with factors of full size, so that constraints on
// their entries can hold: M^m = U_m (MTTKRP of G with U_n^T A_n).
class CompressedMttkrp final : public Mttkrp {
 public:
  explicit CompressedMttkrp(const ModeBases& compressed)
      : bases_(compressed.bases), core_(compressed.core), factors_(compressed.bases.size()) {
    for (const Matrix& u : bases_) dims_.push_back(u.rows());
  }
  const std::vector<Index>& dims() const override { return dims_; }
  double squared_norm() const override { return core_.squared_norm(); }
  void place(Index mode, const Matrix& factor) override {
    factors_[mode] = factor;
    core_.place(mode, bases_[mode].transpose() * factor);
  }
  Matrix product(Index mode) override { return bases_[mode] * core_.product(mode); }
  // |U G - X^|^2 = |G - U^T X^|^2 + |X^|^2 - |U^T X^|^2.
  double squared_residual() const override {
    Factors inside;
    for (std::size_t m = 0; m < factors_.size(); ++m) {
      inside.push_back(bases_[m].transpose() * factors_[m]);
    }
    return core_.squared_residual() + gram_product(grams_of(factors_)).sum() -
           gram_product(grams_of(inside)).sum();
  }

 private:
  const Factors& bases_;
  DenseMttkrp core_;
  std::vector<Index> dims_;
  Factors factors_;
};

// ---- all starts ----

struct Searched {
  std::vector<Reached> starts;
  std::size_t best = 0;
  bool stopped = false;
};

Factors make_start(const DenseTensor* tensor, const std::vector<Index>& dims, Index s,
                   const CpOptions& options) {
  SeededRandom random(static_cast<std::uint64_t>(options.seed), static_cast<std::uint64_t>(s));
  const bool singular = s == 0 && tensor != nullptr;
  Factors factors = singular ? singular_start(*tensor, options.components, random)
                             : random_start(dims, options.components, s % 2 == 0, random);
  if (options.non_negative) make_non_negative(factors);
  return factors;
}

Searched search(const Ground& ground, const DenseTensor* tensor, const CpOptions& options,
                const ProgressCallback& progress) {
  Searched found;
  const Sign sign = options.non_negative ? Sign::non_negative : Sign::any;
  const Effort effort = search_effort(ground, options.components);
  double least = std::numeric_limits<double>::infinity();
  for (Index s = 0; s < options.starts && !found.stopped; ++s) {
    const std::string stage = fmt::format("start {} of {}", s + 1, options.starts);
    const auto report = [&](int, double) {
      return report_progress(progress, {stage.c_str(), s, options.starts + 1});
    };
    Reached reached = run_start(ground, make_start(tensor, ground.problem.dims(), s, options),
                                effort, sign, report);
    found.stopped = reached.outcome.stopped;
    if (reached.outcome.squared_error < least) {
      least = reached.outcome.squared_error;
      found.best = found.starts.size();
    }
    found.starts.push_back(std::move(reached));
  }
  return found;
}

// ---- what is said about the result ----

// How the components of the start that was kept come back in the others.
void compare_starts(const Searched& found, const std::vector<Index>& order, CpFit& fit) {
  const Factors& kept = found.starts[found.best].factors;
  const Index k = kept[0].cols();
  Vector agreement = Vector::Zero(k), mean = Vector::Zero(k);
  for (const Reached& start : found.starts) {
    const Matrix cosines = congruence(kept, start.factors).cwiseAbs();
    const std::vector<Index> match = matched_components(kept, start.factors);
    for (Index r = 0; r < k; ++r) {
      const double c = cosines(r, match[static_cast<std::size_t>(r)]);
      agreement[r] += c >= kSameComponent;
      mean[r] += c;
    }
  }
  const auto starts = static_cast<double>(found.starts.size());
  agreement /= starts;
  mean = starts > 1 ? Vector((mean.array() - 1) / (starts - 1)) : Vector(Vector::Ones(k));
  fit.found.agreement = agreement(order);
  fit.start_congruence = mean(order);
}

// X with the model where entries are missing.
DenseTensor with_model_where_missing(const CpSource& source, const Factors& factors) {
  DenseTensor tensor = *source.filled();
  std::vector<RowMatrix> rows(factors.begin(), factors.end());
  const RowMatrix others = khatri_rao(std::span(rows).subspan(1));
  for (Index i = 0; i < tensor.dims()[0]; ++i) {
    const Vector model = others * factors[0].row(i).transpose();
    for (Index j = 0; j < model.size(); ++j) {
      const Index p = i * model.size() + j;
      if (source.mask()->values()[p] == 0) tensor.values()[p] = model[j];
    }
  }
  return tensor;
}

std::optional<double> consistency(CpSource& source, const Factors& factors) {
  constexpr double kLargestCore = 2e6, kMostWork = 2e10;
  const Index k = factors[0].cols();
  double size = 1;
  for (const Index d : source.dims()) {
    if (k > d) return std::nullopt;
    size *= static_cast<double>(k);
  }
  if (size > kLargestCore) return std::nullopt;
  if (source.dense() != nullptr) {
    return core_consistency(least_squares_core(*source.dense(), factors), k);
  }
  if (source.filled() != nullptr) {
    return core_consistency(least_squares_core(with_model_where_missing(source, factors), factors),
                            k);
  }
  const double row = size / static_cast<double>(k);
  if (source.sparse() == nullptr || row * static_cast<double>(source.stored()) > kMostWork ||
      row * static_cast<double>(source.dims()[0]) > kMostWork / 100) {
    return std::nullopt;
  }
  return core_consistency(least_squares_core(*source.sparse(), factors), k);
}

Status status_of(const SweepOutcome& outcome, const CpOptions& options) {
  if (outcome.stopped) return Status::stopped;
  if (options.tolerance == 0) return Status::completed;
  return outcome.converged ? Status::converged : Status::iteration_limit;
}

CpFit finish_fit(CpSource& source, const Reached& reached, const CpOptions& options) {
  CpFit fit;
  const UnitComponents unit = unit_components(reached.factors);
  fit.found.weights = unit.weights;
  fit.found.factors = unit.factors;
  fit.found.status = status_of(reached.outcome, options);
  fit.found.iterations.assign(static_cast<std::size_t>(unit.weights.size()),
                              reached.outcome.sweeps);
  fit.found.agreement = Vector::Ones(unit.weights.size());
  fit.start_congruence = Vector::Ones(unit.weights.size());
  if (reached.outcome.stopped) return fit;
  fit.measures = {reached.outcome.squared_error, source.problem().squared_norm(),
                  source.observed()};
  Factors weighted = unit.factors;
  weighted[0] = weighted[0] * unit.weights.asDiagonal();
  fit.core_consistency = consistency(source, weighted);
  fit.degenerate = degenerate_pairs(unit.factors);
  return fit;
}

Mttkrp* newton_products(CpSource& source, const CpOptions& options) {
  return options.newton && !options.non_negative ? source.complete_products() : nullptr;
}

Ground ground_of(CpSource& source, const CpOptions& options) {
  return {source.problem(), newton_products(source, options), source.stored(),
          static_cast<int>(options.iterations)};
}

Reached polish(CpSource& source, Factors start, bool searched, const CpOptions& options,
               std::vector<double>& history, const ProgressCallback& progress) {
  const Ground ground = ground_of(source, options);
  const double norm = source.problem().squared_norm();
  const Effort effort = final_effort(ground, options.tolerance, searched);
  const int total = effort.sweeps + effort.steps;
  const auto report = [&](int, double squared_error) {
    history.push_back(std::sqrt(std::max(0.0, squared_error) / norm));
    return report_progress(progress, {"all components", std::ssize(history), total});
  };
  return run_start(ground, std::move(start), effort,
                   options.non_negative ? Sign::non_negative : Sign::any, report);
}

// Returns |X|^2 where it knows it.
std::optional<double> check_options(const AnyTensor& tensor, const CpOptions& options) {
  SOTTO_REQUIRE_AT(options.iterations >= 1, "`iterations`", "must be at least 1, got {}",
                   options.iterations);
  return check_fit_input(tensor, options.missing,
                         options.non_negative && !options.negative_entries);
}

// The starts on the core where that pays, else on the tensor; factors come back in its size.
Searched search_anywhere(CpSource& source, const CpOptions& options, Factors& best, double& lost,
                         const ProgressCallback& progress) {
  std::optional<ModeBases> compressed;
  if (options.compress && source.dense() != nullptr) {
    compressed = compress(*source.dense(), options.components, options.seed);
  }
  lost = 0;
  if (!compressed) {
    Searched found = search(ground_of(source, options), source.filled(), options, progress);
    best = found.starts[found.best].factors;
    return found;
  }
  if (options.non_negative) {
    CompressedMttkrp products(*compressed);
    CompleteCp problem(products);
    const Ground ground{problem, nullptr, compressed->core.size(), kSweepsOnCore};
    Searched found = search(ground, nullptr, options, progress);
    best = found.starts[found.best].factors;
    lost = source.problem().squared_norm() - products.squared_norm();
    return found;
  }
  DenseMttkrp products(compressed->core);
  CompleteCp problem(products);
  const Ground ground{problem, options.newton ? &products : nullptr, compressed->core.size(),
                      kSweepsOnCore};
  Searched found = search(ground, &compressed->core, options, progress);
  best = expand(*compressed, found.starts[found.best].factors);
  lost = source.problem().squared_norm() - products.squared_norm();
  return found;
}

}  // namespace

Index most_components(const std::vector<Index>& dims) {
  const Index longest = *std::max_element(dims.begin(), dims.end());
  double product = 1;
  for (const Index d : dims) product *= static_cast<double>(d);
  return static_cast<Index>(std::min(1e9, product / static_cast<double>(longest)));
}

CpFit fit_cp(const AnyTensor& tensor, const CpOptions& options, const ProgressCallback& progress) {
  const std::optional<double> squared_norm = check_options(tensor, options);
  check_components(dims_of(tensor), options.components);
  CpSource source(tensor, options.missing, squared_norm);
  SOTTO_REQUIRE(source.problem().squared_norm() > 0, "every known entry of the tensor is 0");
  std::vector<double> history;
  if (options.starts == 1 && !options.compress) {
    Factors start = make_start(source.filled(), source.dims(), 0, options);
    CpFit fit = finish_fit(
        source, polish(source, std::move(start), false, options, history, progress), options);
    fit.error_history = std::move(history);
    fit.start_errors = {fit.measures.relative_error()};
    return fit;
  }
  Factors best;
  double lost = 0;
  const Searched found = search_anywhere(source, options, best, lost, progress);
  if (found.stopped) return finish_fit(source, found.starts[found.best], options);
  CpFit fit = finish_fit(source, polish(source, best, true, options, history, progress), options);
  if (fit.found.status == Status::stopped) return fit;
  compare_starts(found, matched_components(fit.found.factors, best), fit);
  for (const Reached& start : found.starts) {
    fit.start_errors.push_back(std::sqrt(std::max(0.0, start.outcome.squared_error + lost) /
                                         source.problem().squared_norm()));
  }
  fit.error_history = std::move(history);
  return fit;
}

CpFit refine_cp(const AnyTensor& tensor, const Factors& start, const CpOptions& options) {
  const std::optional<double> squared_norm = check_options(tensor, options);
  CpSource source(tensor, options.missing, squared_norm);
  std::vector<double> history;
  CpFit fit = finish_fit(source, polish(source, start, true, options, history, {}), options);
  fit.error_history = std::move(history);
  return fit;
}

}  // namespace sotto
