#include "sotto/tasks/decompose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/decompose/alternating.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_labels.h"
#include "sotto/linalg/spectral.h"
#include "sotto/release/choose.h"
#include "sotto/release/private_power.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/tasks/declare.h"
#include "sotto/tensor/mode_oracles.h"
#include "sotto/tensor/oracle.h"
#include "sotto/tensor/prepare.h"

namespace sotto {
namespace {

// ---- what the options and the shape decide; the data has no say ----

bool whitens(const DecomposeTask& task) {
  return task.whiten != WhitenBy::none || !task.whiten_with.empty();
}

// The power method by name, or by default.
bool asks_for_power(const DecomposeTask& task) {
  return task.method == TensorMethod::power || task.method == TensorMethod::automatic;
}

bool asks_for_a_fit(const DecomposeTask& task) {
  return task.method == TensorMethod::cp || task.method == TensorMethod::tucker;
}

PowerPlan chosen_form(const DecomposeTask& task, const PublicShape& shape) {
  const PowerOptions& power = task.power;
  const PowerPlan iterate{PowerMechanism::iterate,
                          {shape.dim, shape.order, power.components,
                           task.given.starts ? power.starts : default_starts(shape),
                           task.given.iterations ? power.iterations : default_iterations(shape)},
                          task.privacy.as_published};
  const PowerPlan input{PowerMechanism::input,
                        {shape.dim, shape.order, power.components, power.starts, power.iterations}};
  if (task.privacy.as_published != Published::no) return iterate;
  if (task.privacy.mechanism == PowerMechanism::iterate) return iterate;
  if (task.privacy.mechanism == PowerMechanism::input) return input;
  if (!asks_for_power(task) || whitens(task)) return input;  // these need the tensor itself
  return better_plan(iterate, input);
}

// A run with noise on every iteration asks a fixed number of questions. It sees nothing else.
void require_iterable(const DecomposeTask& task) {
  constexpr const char* kWhy =
      "needs the tensor itself: only `mechanism` input, which releases it with noise, allows it in "
      "a private run";
  SOTTO_REQUIRE_AT(asks_for_power(task), "`method`", "{} {}", name_of(task.method), kWhy);
  SOTTO_REQUIRE_AT(task.whiten == WhitenBy::none, "`whiten`", "whitening {}", kWhy);
  SOTTO_REQUIRE_AT(
      !task.given.polish && !task.given.tolerance, task.given.polish ? "`polish`" : "`tolerance`",
      "a private run asks a fixed number of times: use `starts` and `iterations`, or `mechanism` "
      "input");
}

PowerOptions power_options(const DecomposeTask& task, const PowerPlan& form) {
  PowerOptions power = task.power;
  power.starts = form.shape.starts;
  power.iterations = form.shape.iterations;
  if (form.mechanism == PowerMechanism::iterate) {
    power.polish = 0;
    power.tolerance = 0;
    power.residuals = false;
  }
  return power;
}

void require_order(const DecomposeTask& task, std::size_t order) {
  SOTTO_REQUIRE_AT(!task.order || *task.order == static_cast<std::int64_t>(order), "`order`",
                   "the tensor has order {}, not {}", order, *task.order);
}

std::vector<Forecast> forecasts_of(const DecomposeTask& task, const PowerPlan& form) {
  const PrivacyTarget target = task.privacy.target();
  const PowerForecast expected = forecast(form, target);
  std::vector<Forecast> forecasts = {
      {"noise", expected.noise,
       fmt::format("noise in a coordinate of T(I,u,..,u): {:.3g}", expected.noise)},
      {"weight", expected.weight,
       fmt::format("at epsilon {:g} components of weight {:.3g} and more are expected to be "
                   "recovered",
                   target.epsilon, expected.weight)}};
  if (task.weight) {
    const double epsilon = expected_epsilon(form, target.delta, *task.weight);
    forecasts.push_back(
        {"epsilon", epsilon,
         fmt::format("components of weight {:g} are expected from epsilon {:.3g} on", *task.weight,
                     epsilon)});
  }
  return forecasts;
}

// A private run before it has seen anything.
struct PrivatePower {
  PowerPlan form;
  PowerOptions power;
  PowerNoise noise;  // of the iterated form
  Plan plan;
};

PrivatePower settle(const DecomposeTask& task, const PublicShape& shape,
                    const std::vector<std::string>& facts = {}) {
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon` and `delta`");
  task.check();
  task.privacy.require_small_delta(entry_units(shape));
  require_order(task, static_cast<std::size_t>(shape.order));
  PrivatePower settled;
  settled.form = chosen_form(task, shape);
  settled.power = power_options(task, settled.form);
  settled.power.check(shape.dim);
  const PrivacyTarget target = task.privacy.target();
  if (settled.form.mechanism == PowerMechanism::iterate) {
    require_iterable(task);
    settled.noise = plan_power_noise(settled.form.shape, target, task.privacy.as_published,
                                     task.privacy.max_entry);
    settled.plan = plan_power(settled.noise);
  } else {
    settled.plan = plan_tensor(shape, target);
  }
  settled.plan.settings = {{"mechanism", std::string(name_of(settled.form.mechanism))},
                           {"starts", settled.power.starts},
                           {"iterations", settled.power.iterations}};
  std::vector<std::string>& stated = settled.plan.statement.public_facts;
  stated.insert(stated.end(), facts.begin(), facts.end());
  return settled;
}

// ---- solvers ----

Matrix read_moment(const std::string& path, Index dim) {
  const DenseTensor moment = read_npy(path);
  SOTTO_REQUIRE_AT(moment.order() == 2 && moment.dims()[0] == dim && moment.dims()[1] == dim, path,
                   "expected a {} x {} matrix, got {}", dim, dim, shape_text(moment.dims()));
  SOTTO_REQUIRE_AT(!moment.has_nonfinite(), path, "has NaN or infinite entries");
  return Eigen::Map<const Matrix>(moment.values().data(), dim, dim);
}

Decomposition whitened(const SymmetricTensor& tensor, const DecomposeTask& task,
                       const PowerOptions& power, const ProgressCallback& progress) {
  power.check(tensor.dim());
  const Whitening whitening =
      task.whiten_with.empty()
          ? whitening_from_tensor(tensor, power.components, static_cast<std::uint64_t>(power.seed))
          : whitening_from_moment(read_moment(task.whiten_with, tensor.dim()), power.components);
  return whitened_power_method(tensor, whitening, power, progress);
}

// The k eigenpairs of largest |lambda| that the starts reached.
Decomposition leading_eigenpairs_of(SymmetricOracle& oracle, const PowerOptions& power,
                                    const ProgressCallback& progress) {
  power.check(oracle.dim());
  EigenpairOptions options;
  options.starts = power.starts;
  options.iterations = power.iterations;
  options.tolerance = power.tolerance;
  options.seed = power.seed;
  Decomposition found = eigenpairs(oracle, options, progress);
  found.keep_first(std::min<Index>(power.components, found.weights.size()));
  return found;
}

Decomposition solve(const SymmetricInput& input, const DecomposeTask& task,
                    const PowerOptions& power, const ProgressCallback& progress) {
  if (whitens(task)) return whitened(input.packed(""), task, power, progress);
  const auto oracle = input.oracle();
  if (task.method == TensorMethod::simultaneous) {
    return simultaneous_power_method(*oracle, power, progress);
  }
  if (task.method == TensorMethod::eigenpairs) {
    return leading_eigenpairs_of(*oracle, power, progress);
  }
  return robust_power_method(*oracle, power, progress);
}

// ---- runs ----

std::vector<Index> dims_of(const PublicShape& shape) {
  return std::vector<Index>(static_cast<std::size_t>(shape.order), shape.dim);
}

DecomposeResult finish(DecomposeResult result, const DecomposeTask& task,
                       const PrivatePower& settled, const PrivateRun& run) {
  throw_if_stopped(result.found.status == Status::stopped);
  result.power = settled.power;
  result.method = asks_for_power(task) ? TensorMethod::power : task.method;
  result.dims = dims_of(PublicShape{settled.form.shape.dim, settled.form.shape.order});
  result.mechanism = settled.form.mechanism;
  result.certificate = run.certify();
  return result;
}

DecomposeResult run_private(Sensitive<SymmetricTensor> tensor, const DecomposeTask& task,
                            const PrivatePower& settled, const ProgressCallback& progress) {
  PrivateRun run(settled.plan, task.privacy.key());
  DecomposeResult result;
  if (settled.form.mechanism == PowerMechanism::iterate) {
    PrivatePowerOracle oracle(std::move(tensor), settled.noise, run);
    result.found = robust_power_method(oracle, settled.power, progress);
  } else {
    auto noisy = release_tensor(std::move(tensor), task.privacy.target(), run).value();
    const SymmetricInput released(std::move(noisy.value));
    result.found = solve(released, task, settled.power, progress);
  }
  return finish(std::move(result), task, settled, run);
}

// ---- how well components found one by one fit ----

// |T - sum_j w_j v_j (x) ..|^2 from the grams of the components and T(v_j, ..).
double squared_error_of(double squared_norm, const Vector& values, const Matrix& gram,
                        const Vector& weights) {
  return squared_norm - 2 * weights.dot(values) + weights.dot(gram * weights);
}

Index entry_count(const std::vector<Index>& dims) {
  double count = 1;
  for (const Index d : dims) count *= static_cast<double>(d);
  return static_cast<Index>(std::min(count, 9e18));
}

// Components that were found one after the other fit a tensor when they are orthogonal. Where
// others fit better with the same directions, or the directions lie close, it is said.
void judge_deflation(double squared_norm, const Vector& values, const Matrix& gram,
                     DecomposeResult& result) {
  if (result.found.weights.size() == 0 || !(squared_norm > 0)) return;
  const Vector& weights = result.found.weights;
  const double deflated = std::max(0.0, squared_error_of(squared_norm, values, gram, weights));
  const Vector refitted = solve_semidefinite(gram, values);
  const double joint = std::max(0.0, squared_error_of(squared_norm, values, gram, refitted));
  result.measures = FitMeasures{deflated, squared_norm, entry_count(result.dims)};
  Matrix cosines = gram.cwiseAbs();
  cosines.diagonal().setZero();
  constexpr double kNoticeable = 0.01;  // of |T|
  const double relative = result.measures->relative_error();
  const bool weights_differ = relative - std::sqrt(joint / squared_norm) > kNoticeable;
  const bool close = cosines.maxCoeff() > kNoticeable && relative > kNoticeable;
  if (!weights_differ && !close) return;
  result.advice = fmt::format(
      "the components are not orthogonal: found one after the other they have a relative error of "
      "{:.3g}, with weights fitted jointly {:.3g}; `method` cp fits all factors jointly",
      relative, std::sqrt(joint / squared_norm));
}

DecomposeResult run_public(const SymmetricInput& input, const DecomposeTask& task,
                           DecomposeResult result, const ProgressCallback& progress) {
  result.found = solve(input, task, task.power, progress);
  if (result.found.status == Status::stopped) return result;
  const Matrix& v = result.found.vectors();
  const auto order = static_cast<double>(result.dims.size());
  const Matrix gram = (v.transpose() * v).array().pow(order);
  if (task.method != TensorMethod::eigenpairs) {  // these are no model of the tensor
    judge_deflation(input.squared_norm(), input.oracle()->values(v), gram, result);
  }
  return result;
}

DecomposeResult run_alternating(const AnyTensor& tensor, const DecomposeTask& task,
                                DecomposeResult result, const ProgressCallback& progress) {
  const auto oracle = mode_oracle(tensor);
  result.found = alternating_power_method(*oracle, task.power, progress);
  if (result.found.status == Status::stopped) return result;
  const double squared_norm = std::visit(
      [](const auto& t) {
        return Eigen::Map<const Vector>(t.values().data(), std::ssize(t.values())).squaredNorm();
      },
      tensor);
  judge_deflation(squared_norm, oracle->values(result.found.factors),
                  gram_product(grams_of(result.found.factors)), result);
  return result;
}

// ---- joint fits ----

CpOptions cp_options(const DecomposeTask& task) {
  CpOptions cp;
  cp.components = task.power.components;
  cp.seed = task.power.seed;
  if (task.given.starts) cp.starts = task.power.starts;
  if (task.given.iterations) cp.iterations = task.power.iterations;
  if (task.given.tolerance) cp.tolerance = task.power.tolerance;
  cp.non_negative = task.non_negative;
  cp.missing = task.leaves_out();
  return cp;
}

void note_options(const CpOptions& used, PowerOptions& power) {
  power.components = used.components;
  power.starts = used.starts;
  power.iterations = used.iterations;
  power.tolerance = used.tolerance;
}

DecomposeResult run_cp(const AnyTensor& tensor, const DecomposeTask& task, DecomposeResult result,
                       const ProgressCallback& progress) {
  CpOptions options = cp_options(task);
  if (task.components_auto) {
    RankChoice choice = choose_components(tensor, options, task.components_up_to, progress);
    result.trials = std::move(choice.trials);
    result.choice = std::move(choice.why);
    options.components = choice.components;
    result.cp = std::move(choice.fit);
  } else {
    result.cp = fit_cp(tensor, options, progress);
  }
  note_options(options, result.power);
  result.found = result.cp->found;
  result.measures = result.cp->measures;
  return result;
}

std::vector<Index> tucker_ranks(const DecomposeTask& task, std::size_t order) {
  SOTTO_REQUIRE_AT(!task.ranks.empty(), "`ranks`", "`method` tucker needs them, one a mode: 3,3,2");
  std::vector<Index> ranks;
  for (const double r : task.ranks) {
    SOTTO_REQUIRE_AT(r >= 1 && r <= 1e9 && r == std::floor(r), "`ranks`",
                     "must be whole numbers from 1 on, got {:g}", r);
    ranks.push_back(static_cast<Index>(r));
  }
  if (ranks.size() == 1) ranks.assign(order, ranks[0]);
  return ranks;
}

DecomposeResult run_tucker(const AnyTensor& tensor, const DecomposeTask& task,
                           DecomposeResult result, const ProgressCallback& progress) {
  TuckerOptions options;
  options.ranks = tucker_ranks(task, result.dims.size());
  options.seed = task.power.seed;
  if (task.given.iterations) options.iterations = task.power.iterations;
  if (task.given.tolerance) options.tolerance = task.power.tolerance;
  options.non_negative = task.non_negative;
  options.missing = task.leaves_out();
  result.power.iterations = options.iterations;
  result.power.tolerance = options.tolerance;
  result.tucker = fit_tucker(tensor, options, progress);
  result.found.factors = result.tucker->factors;
  result.found.status = result.tucker->status;
  result.measures = result.tucker->measures;
  return result;
}

// Entries where the mask is 0 become unknown.
void apply_mask(AnyTensor& tensor, const std::string& path) {
  auto* dense = std::get_if<DenseTensor>(&tensor);
  SOTTO_REQUIRE_AT(dense != nullptr, "`mask`",
                   "is for dense tensors; `missing` leaves out what a sparse one does not list");
  const DenseTensor mask = read_npy(path);
  SOTTO_REQUIRE_AT(mask.dims() == dense->dims(), path, "a mask of {} for a tensor of {}",
                   shape_text(mask.dims()), shape_text(dense->dims()));
  for (Index p = 0; p < mask.size(); ++p) {
    if (mask.values()[p] == 0) {
      dense->values()[p] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

// The labels of the modes that have a file; rows and labels must be as many.
std::vector<std::vector<std::string>> read_row_labels(const std::string& files,
                                                      const std::vector<Index>& dims) {
  if (files.empty()) return {};
  std::vector<std::vector<std::string>> labels(1);
  std::vector<std::string> paths(1);
  for (const char c : files) {
    if (c == ',') {
      paths.emplace_back();
    } else {
      paths.back() += c;
    }
  }
  SOTTO_REQUIRE_AT(paths.size() == dims.size(), "`labels`",
                   "a tensor of order {} takes {} files joined by commas, empty for modes without "
                   "labels; got {}",
                   dims.size(), dims.size(), paths.size());
  labels.resize(dims.size());
  for (std::size_t m = 0; m < paths.size(); ++m) {
    if (paths[m].empty()) continue;
    const LabelTable table = read_labels(paths[m]);
    SOTTO_REQUIRE_AT(table.size() == dims[m], paths[m], "has {} labels for the {} rows of mode {}",
                     table.size(), dims[m], m);
    for (Index i = 0; i < table.size(); ++i) labels[m].emplace_back(table.label(i));
  }
  return labels;
}

std::string csv_of(const Matrix& factor, const std::vector<std::string>& labels) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
  };
  std::string text = "row";
  for (Index r = 0; r < factor.cols(); ++r) text += fmt::format(",component_{}", r + 1);
  text += "\n";
  for (Index i = 0; i < factor.rows(); ++i) {
    text += labels.empty() ? fmt::format("{}", i) : quoted(labels[static_cast<std::size_t>(i)]);
    for (Index r = 0; r < factor.cols(); ++r) text += fmt::format(",{}", factor(i, r));
    text += "\n";
  }
  return text;
}

// A tensor without symmetry, and what only a joint fit can do, go to cp.
TensorMethod chosen_method(const AnyTensor& tensor, const DecomposeTask& task) {
  if (task.method != TensorMethod::automatic) return task.method;
  if (!task.ranks.empty()) return TensorMethod::tucker;
  if (task.leaves_out() || task.non_negative || task.components_auto) return TensorMethod::cp;
  if (whitens(task) || task.symmetry.symmetrize) return TensorMethod::power;
  return is_symmetric(tensor, task.symmetry) ? TensorMethod::power : TensorMethod::cp;
}

DecomposeResult run_public(AnyTensor tensor, const DecomposeTask& task, DecomposeResult result,
                           const ProgressCallback& progress) {
  SOTTO_REQUIRE(result.dims.size() >= 3,
                "a tensor to decompose has at least three modes, this one has {} ({})",
                result.dims.size(), shape_text(result.dims));
  require_order(task, result.dims.size());
  result.labels = read_row_labels(task.labels, result.dims);
  result.csv = task.csv;
  if (!task.mask.empty()) apply_mask(tensor, task.mask);
  const Stopwatch preparing;
  result.method = chosen_method(tensor, task);
  if (result.method == TensorMethod::cp) return run_cp(tensor, task, std::move(result), progress);
  if (result.method == TensorMethod::tucker) {
    return run_tucker(tensor, task, std::move(result), progress);
  }
  if (result.method == TensorMethod::alternating) {
    return run_alternating(tensor, task, std::move(result), progress);
  }
  const bool known =
      task.method == TensorMethod::automatic && !whitens(task) && !task.symmetry.symmetrize;
  const SymmetricInput input = known ? pack_symmetric(std::move(tensor))
                                     : prepare_symmetric(std::move(tensor), task.symmetry, "");
  result.seconds_preparing = preparing.seconds();
  return run_public(input, task, std::move(result), progress);
}

// Whatever the form of the tensor.
template <class Tensor>
DecomposeResult run_declared(Tensor tensor, const DecomposeTask& task, DecomposeResult result,
                             const ProgressCallback& progress) {
  const Stopwatch computing;
  result.power = task.power;
  result = run_public(std::move(tensor), task, std::move(result), progress);
  result.seconds = computing.seconds();
  throw_if_stopped(result.found.status == Status::stopped);
  return result;
}

}  // namespace

OptionTable DecomposeTask::table() {
  return OptionTable()
      .integer_or_auto("components", 'k', power.components, components_auto, {1, 1000000},
                       "number of components to find; auto, for cp: by core consistency and "
                       "held-out entries")
      .integer("components-up-to", 0, components_up_to, {1, 100},
               "the most components that `components` auto tries")
      .append(power.table())
      .notice("starts", given.starts)
      .notice("iterations", given.iterations)
      .notice("polish", given.polish)
      .notice("tolerance", given.tolerance)
      .choice("method", method,
              "auto: power for a symmetric tensor, else cp; power: one component after the other; "
              "simultaneous: all at once; alternating: one after the other, tensors without "
              "symmetry; eigenpairs: local maxima of T(x,..,x), shifted power method; cp: all "
              "factors fitted jointly; tucker: a core and a basis for each mode")
      .reals("ranks", ranks, {1, 1e9}, "ranks of a Tucker model, one a mode or one for all")
      .flag("non-negative", non_negative, "cp and tucker: factors without negative entries")
      .flag("missing", missing,
            "cp and tucker: NaN, and what a sparse tensor does not list, are not known")
      .text("mask", 0, mask, "FILE",
            "cp and tucker: entries are not known where this .npy of the same shape is 0")
      .flag("sum-repeated", sum_repeated, "add up values given for one place of a .tns file")
      .text("labels", 0, labels, "FILE,FILE,..",
            "files of row labels, one label a line, one file "
            "a mode")
      .flag("csv", csv, "write factors as .csv, too")
      .choice("whiten", whiten,
              "tensor: whiten by T(I,I,theta), for components that are not orthogonal")
      .text("whiten-with", 0, whiten_with, "FILE", "whiten by this second moment (.npy, d x d)")
      .integer("order", 'p', order, {3, 8}, "refuse a tensor of any other order")
      .append(symmetry.table())
      .append(privacy.table());
}

void DecomposeTask::check() const {
  privacy.check();
  check_fit_options();
  const bool alternates = method == TensorMethod::alternating;
  SOTTO_REQUIRE_AT(!whitens(*this) || !alternates, "`whiten`",
                   "whitening is for the symmetric methods, not for `method` alternating");
  SOTTO_REQUIRE_AT(whiten == WhitenBy::none || whiten_with.empty(), "`whiten`",
                   "give either `whiten` tensor or `whiten-with`, not both");
  SOTTO_REQUIRE_AT(!whitens(*this) || asks_for_power(*this), "`whiten`",
                   "whitening only works with `method` power");
  if (!privacy.asked()) return;
  SOTTO_REQUIRE_AT(!alternates && !asks_for_a_fit(*this), "`method`",
                   "{} is for tensors without symmetry; a private run protects a symmetric one",
                   name_of(method));
  SOTTO_REQUIRE_AT(whiten_with.empty(), "`whiten-with`",
                   "the second moment is data too, and a private run has not paid for it");
  const bool iterates =
      privacy.mechanism == PowerMechanism::iterate || privacy.as_published != Published::no;
  if (iterates) require_iterable(*this);
}

void DecomposeTask::check_fit_options() const {
  const bool tucker =
      method == TensorMethod::tucker || (method == TensorMethod::automatic && !ranks.empty());
  const bool fits = asks_for_a_fit(*this) || method == TensorMethod::automatic;
  SOTTO_REQUIRE_AT(tucker || components_auto || power.components >= 1, "`components`",
                   "must be given, at least 1");
  SOTTO_REQUIRE_AT(ranks.empty() || tucker, "`ranks`", "only works with `method` tucker");
  const bool joint = non_negative || leaves_out() || components_auto || !ranks.empty();
  const char* option = non_negative      ? "`non-negative`"
                       : missing         ? "`missing`"
                       : !mask.empty()   ? "`mask`"
                       : components_auto ? "`components`"
                                         : "`ranks`";
  SOTTO_REQUIRE_AT(!joint || (fits && !whitens(*this)), option,
                   "only works with the joint fits, `method` cp or tucker");
  SOTTO_REQUIRE_AT(!components_auto || !tucker, "`components`",
                   "auto is for `method` cp; a Tucker model takes `ranks`");
  const bool plain_only = joint || sum_repeated || !labels.empty() || csv;
  SOTTO_REQUIRE_AT(!privacy.asked() || !plain_only,
                   joint          ? option
                   : sum_repeated ? "`sum-repeated`"
                   : csv          ? "`csv`"
                                  : "`labels`",
                   "does not work in a private run");
}

Plan plan(const DecomposeTask& task, const PublicShape& shape) {
  PrivatePower settled = settle(task, shape);
  settled.plan.forecasts = forecasts_of(task, settled.form);
  return std::move(settled.plan);
}

DecomposeResult run(Input<AnyTensor> tensor, const DecomposeTask& task,
                    const ProgressCallback& progress) {
  task.check();
  require_declared(tensor, task.privacy.asked());
  if (tensor.is_public()) {
    AnyTensor data = std::move(tensor).open();
    DecomposeResult result;
    result.dims = dims_of(data);
    if (const auto* sparse = std::get_if<SparseTensor>(&data)) result.entries = sparse->nnz();
    return run_declared(std::move(data), task, std::move(result), progress);
  }
  const std::vector<std::string> facts = tensor.public_facts();
  Sensitive<AnyTensor> data = std::move(tensor).sensitive();
  const PrivatePower settled = settle(task, public_shape(data, ""), facts);
  return run_private(protected_tensor(std::move(data), task.symmetry.symmetrize), task, settled,
                     progress);
}

DecomposeResult run(Input<SymmetricTensor> tensor, const DecomposeTask& task,
                    const ProgressCallback& progress) {
  task.check();
  require_declared(tensor, task.privacy.asked());
  if (tensor.is_public()) {
    SOTTO_REQUIRE_AT(task.method != TensorMethod::alternating && !asks_for_a_fit(task), "`method`",
                     "{} is for tensors without symmetry", name_of(task.method));
    SymmetricTensor data = std::move(tensor).open();
    DecomposeResult result;
    result.dims = dims_of(PublicShape{data.dim(), data.order()});
    require_order(task, result.dims.size());
    return run_declared(SymmetricInput(std::move(data)), task, std::move(result), progress);
  }
  const std::vector<std::string> facts = tensor.public_facts();
  Sensitive<SymmetricTensor> data = std::move(tensor).sensitive();
  const PrivatePower settled = settle(task, public_shape(data), facts);
  return run_private(std::move(data), task, settled, progress);
}

DecomposeResult rehearse(SymmetricOracle& exact, const DecomposeTask& task,
                         const ProgressCallback& progress) {
  const PrivatePower settled = settle(task, PublicShape{exact.dim(), exact.order()});
  SOTTO_REQUIRE_AT(settled.form.mechanism == PowerMechanism::iterate, "`mechanism`",
                   "a tensor that is known only by its answers takes noise on every iteration");
  PrivateRun run(settled.plan, task.privacy.key());
  PrivatePowerOracle oracle(exact, settled.noise, run);
  DecomposeResult result;
  result.found = robust_power_method(oracle, settled.power, progress);
  return finish(std::move(result), task, settled, run);
}

std::string mechanism_text(PowerMechanism mechanism) {
  return mechanism == PowerMechanism::iterate ? "noise on every iteration" : "noise on the tensor";
}

std::string array_name(const Decomposition& found, std::size_t mode) {
  return found.factors.size() == 1 ? "vectors" : fmt::format("factors_{}", mode);
}

void save(const DecomposeResult& result, OutputFolder& folder) {
  const Decomposition& found = result.found;
  for (std::size_t mode = 0; mode < found.factors.size(); ++mode) {
    const std::string name = array_name(found, mode);
    folder.write_npy(name + ".npy", found.factors[mode]);
    const bool labelled = mode < result.labels.size();
    if (result.csv) {
      folder.write_text(
          name + ".csv",
          csv_of(found.factors[mode], labelled ? result.labels[mode] : std::vector<std::string>{}));
    }
  }
  if (result.tucker) folder.write_npy("core.npy", result.tucker->core);
}

}  // namespace sotto
