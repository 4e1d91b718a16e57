#include "sotto/tasks/decompose.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/decompose/alternating.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
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
  if (task.method != TensorMethod::power || whitens(task))
    return input;  // these need the tensor itself
  return better_plan(iterate, input);
}

// A run with noise on every iteration asks a fixed number of questions. It sees nothing else.
void require_iterable(const DecomposeTask& task) {
  constexpr const char* kWhy =
      "needs the tensor itself: only `mechanism` input, which releases it with noise, allows it in "
      "a private run";
  SOTTO_REQUIRE_AT(task.method == TensorMethod::power, "`method`", "{} {}", name_of(task.method),
                   kWhy);
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

DecomposeResult finish(DecomposeResult result, const PrivatePower& settled, const PrivateRun& run) {
  throw_if_stopped(result.found.status == Status::stopped);
  result.power = settled.power;
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
  return finish(std::move(result), settled, run);
}

DecomposeResult run_public(const SymmetricInput& input, const DecomposeTask& task,
                           DecomposeResult result, const ProgressCallback& progress) {
  result.found = solve(input, task, task.power, progress);
  return result;
}

DecomposeResult run_public(AnyTensor tensor, const DecomposeTask& task, DecomposeResult result,
                           const ProgressCallback& progress) {
  SOTTO_REQUIRE(result.dims.size() >= 3,
                "a tensor to decompose has at least three modes, this one has {} ({})",
                result.dims.size(), shape_text(result.dims));
  require_order(task, result.dims.size());
  if (task.method == TensorMethod::alternating) {
    const auto oracle = mode_oracle(tensor);
    result.found = alternating_power_method(*oracle, task.power, progress);
    return result;
  }
  const Stopwatch preparing;
  const SymmetricInput input = prepare_symmetric(std::move(tensor), task.symmetry, "");
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
      .append(power.table())
      .notice("starts", given.starts)
      .notice("iterations", given.iterations)
      .notice("polish", given.polish)
      .notice("tolerance", given.tolerance)
      .choice("method", method,
              "power: one component after the other; simultaneous: all at once; alternating: "
              "tensors without symmetry; eigenpairs: local maxima of T(x,..,x), shifted power "
              "method")
      .choice("whiten", whiten,
              "tensor: whiten by T(I,I,theta), for components that are not orthogonal")
      .text("whiten-with", 0, whiten_with, "FILE", "whiten by this second moment (.npy, d x d)")
      .integer("order", 'p', order, {3, 5}, "refuse a tensor of any other order")
      .append(symmetry.table())
      .append(privacy.table());
}

void DecomposeTask::check() const {
  privacy.check();
  const bool alternates = method == TensorMethod::alternating;
  SOTTO_REQUIRE_AT(!whitens(*this) || !alternates, "`whiten`",
                   "whitening is for the symmetric methods, not for `method` alternating");
  SOTTO_REQUIRE_AT(whiten == WhitenBy::none || whiten_with.empty(), "`whiten`",
                   "give either `whiten` tensor or `whiten-with`, not both");
  SOTTO_REQUIRE_AT(!whitens(*this) || method == TensorMethod::power, "`whiten`",
                   "whitening only works with `method` power");
  if (!privacy.asked()) return;
  SOTTO_REQUIRE_AT(!alternates, "`method`",
                   "alternating is for tensors without symmetry; a private run protects a "
                   "symmetric one");
  SOTTO_REQUIRE_AT(whiten_with.empty(), "`whiten-with`",
                   "the second moment is data too, and a private run has not paid for it");
  const bool iterates =
      privacy.mechanism == PowerMechanism::iterate || privacy.as_published != Published::no;
  if (iterates) require_iterable(*this);
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
    SOTTO_REQUIRE_AT(task.method != TensorMethod::alternating, "`method`",
                     "alternating is for tensors without symmetry");
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
  return finish(std::move(result), settled, run);
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
    folder.write_npy(array_name(found, mode) + ".npy", found.factors[mode]);
  }
}

}  // namespace sotto
