#include "sotto/tasks/decompose.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/output_folder.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/decompose_fit.h"
#include "sotto/tasks/decompose_plan.h"
#include "sotto/tasks/decompose_solve.h"
#include "sotto/tensor/prepare.h"

namespace sotto {
namespace {

// ---- a public tensor ----

// A tensor without symmetry, and what only a joint fit can do, go to cp.
TensorMethod chosen_method(const AnyTensor& tensor, const DecomposeTask& task) {
  if (task.method != TensorMethod::automatic) return task.method;
  if (asks_for_a_fit(task)) return fit_asked(task);
  if (whitens(task) || task.symmetry.symmetrize) return TensorMethod::power;
  return is_symmetric(tensor, task.symmetry) ? TensorMethod::power : TensorMethod::cp;
}

// The methods for tensors without symmetry.
DecomposeResult run_without_symmetry(const AnyTensor& tensor, const DecomposeTask& task,
                                     Entries entries, DecomposeResult result,
                                     const ProgressCallback& progress) {
  if (result.method == TensorMethod::cp) {
    return run_cp(tensor, task, entries, std::move(result), progress);
  }
  if (result.method == TensorMethod::tucker) {
    return run_tucker(tensor, task, entries, std::move(result), progress);
  }
  return run_alternating(tensor, task, std::move(result), progress);
}

bool needs_no_symmetry(TensorMethod method) {
  return method == TensorMethod::cp || method == TensorMethod::tucker ||
         method == TensorMethod::alternating;
}

DecomposeResult run_public(AnyTensor tensor, const DecomposeTask& task, DecomposeResult result,
                           const ProgressCallback& progress) {
  SOTTO_REQUIRE(result.dims.size() >= 3,
                "a tensor to decompose has at least three modes, this one has {} ({})",
                result.dims.size(), shape_text(result.dims));
  require_order(task, result.dims.size());
  result.labels = read_row_labels(label_files(task.labels), result.dims);
  result.csv = task.csv;
  if (!task.mask.empty()) apply_mask(tensor, task.mask);
  const Stopwatch preparing;
  result.method = chosen_method(tensor, task);
  if (needs_no_symmetry(result.method)) {
    return run_without_symmetry(tensor, task, Entries::exact, std::move(result), progress);
  }
  const bool known =
      task.method == TensorMethod::automatic && !whitens(task) && !task.symmetry.symmetrize;
  const SymmetricInput input = known ? pack_symmetric(std::move(tensor))
                                     : prepare_symmetric(std::move(tensor), task.symmetry, "");
  result.seconds_preparing = preparing.seconds();
  return run_symmetric(input, task, std::move(result), progress);
}

DecomposeResult run_public(const SymmetricInput& input, const DecomposeTask& task,
                           DecomposeResult result, const ProgressCallback& progress) {
  return run_symmetric(input, task, std::move(result), progress);
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

// ---- a private one ----

DecomposeResult finish(DecomposeResult result, const PrivateDecompose& settled,
                       const PrivateRun& run) {
  throw_if_stopped(result.found.status == Status::stopped);
  result.method = settled.method;
  result.dims = settled.dims.dims;
  result.mechanism = settled.entries ? PowerMechanism::input : settled.form.mechanism;
  result.recoverable = settled.expected.weight;
  result.certificate = run.certify();
  return result;
}

DecomposeResult run_private(Sensitive<SymmetricTensor> tensor, const DecomposeTask& task,
                            const PrivateDecompose& settled, const ProgressCallback& progress) {
  DecomposeResult result;
  // A run must not fail over these files when its budget is spent.
  result.labels = read_row_labels(label_files(task.labels), settled.dims.dims);
  PrivateRun run(settled.plan, task.privacy);
  result.power = settled.power;
  result.csv = task.csv;
  if (settled.form.mechanism == PowerMechanism::iterate) {
    PrivatePowerOracle oracle(std::move(tensor), settled.noise, run);
    result.found = robust_power_method(oracle, settled.power, progress);
  } else {
    auto noisy =
        release_tensor(std::move(tensor), task.privacy.target(), run, settled.bounds).value();
    const SymmetricInput released(std::move(noisy.value));
    result.found = solve(released, task, settled.power, progress);
  }
  return finish(std::move(result), settled, run);
}

DecomposeResult run_private_entries(Sensitive<AnyTensor> tensor, const DecomposeTask& task,
                                    const PrivateDecompose& settled,
                                    const ProgressCallback& progress) {
  DecomposeResult result;
  result.labels = read_row_labels(label_files(task.labels), settled.dims.dims);
  PrivateRun run(settled.plan, task.privacy);
  auto noisy =
      release_entries(std::move(tensor), task.privacy.target(), settled.bounds, run).value();
  result.power = task.power;
  result.method = settled.method;
  result.dims = settled.dims.dims;
  result.csv = task.csv;
  result.deviation = noisy.deviation;
  const AnyTensor released(std::move(noisy.value));
  return finish(run_without_symmetry(released, task, Entries::noisy, std::move(result), progress),
                settled, run);
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
      .choice(
          "method", method,
          "auto: power for a symmetric tensor, else cp; with `epsilon`, by the shape alone: power "
          "if all dimensions are equal and the order is at most 4, else cp; power: one component "
          "after the other; simultaneous: all at once; alternating: one after the other, tensors "
          "without symmetry; eigenpairs: local maxima of T(x,..,x), shifted power method; cp: all "
          "factors fitted jointly; tucker: a core and a basis for each mode")
      .reals("ranks", ranks, {1, 1e9}, "ranks of a Tucker model, one a mode or one for all")
      .flag("non-negative", non_negative,
            "cp, tucker and unit person: factors without negative entries")
      .flag("missing", missing,
            "cp and tucker: treat NaN, and entries that a sparse tensor does not list, as unknown")
      .text("mask", 0, mask, "FILE",
            "cp and tucker: treat entries as unknown where this .npy of the same shape is 0")
      .flag("sum-repeated", sum_repeated, "add up values given for one place of a .tns file")
      .choice("index-base", index_base, "the first index of every mode of a .tns file; auto: 1")
      .text("labels", 0, labels, "FILE,FILE,..",
            "public files of row labels, one label a line, one file a mode; empty for a mode "
            "without labels (unit person: for the modes beside the people)")
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
  if (asks_for_entries(*this)) require_entries_options(*this);
  SOTTO_REQUIRE_AT(whiten_with.empty(), "`whiten-with`",
                   "the second moment is data too, and a private run has not paid for it");
  const bool iterates =
      privacy.mechanism == PowerMechanism::iterate || privacy.as_published != Published::no;
  if (iterates) require_iterable(*this);
}

void DecomposeTask::check_fit_options() const {
  const bool tucker =
      method == TensorMethod::tucker || (method == TensorMethod::automatic && !ranks.empty());
  const bool fits = method == TensorMethod::cp || method == TensorMethod::tucker ||
                    method == TensorMethod::automatic;
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
  const bool plain_only = leaves_out() || sum_repeated;
  SOTTO_REQUIRE_AT(!privacy.asked() || !plain_only,
                   missing         ? "`missing`"
                   : !mask.empty() ? "`mask`"
                                   : "`sum-repeated`",
                   "does not work in a private run");
}

Companions DecomposeTask::companions() const { return label_companions(labels); }

Plan plan(const DecomposeTask& task, const PublicDims& dims) {
  PrivateDecompose settled = settle(task, dims);
  settled.plan.forecasts = forecasts_of(task, settled);
  return std::move(settled.plan);
}

Plan plan(const DecomposeTask& task, const PublicShape& shape) {
  return plan(task, PublicDims(shape));
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
  const PrivateDecompose settled = settle(task, public_dims(data), facts);
  require_signal(task, settled);
  if (settled.entries) return run_private_entries(std::move(data), task, settled, progress);
  return run_private(protected_tensor(std::move(data), task.symmetry.symmetrize), task, settled,
                     progress);
}

DecomposeResult run(Input<SymmetricTensor> tensor, const DecomposeTask& task,
                    const ProgressCallback& progress) {
  task.check();
  require_declared(tensor, task.privacy.asked());
  SOTTO_REQUIRE_AT(!asks_for_entries(task), "`method`", "{} is for tensors without symmetry",
                   name_of(fit_asked(task)));
  if (tensor.is_public()) {
    SymmetricTensor data = std::move(tensor).open();
    DecomposeResult result;
    result.dims = PublicDims(PublicShape{data.dim(), data.order()}).dims;
    require_order(task, result.dims.size());
    return run_declared(SymmetricInput(std::move(data)), task, std::move(result), progress);
  }
  const std::vector<std::string> facts = tensor.public_facts();
  Sensitive<SymmetricTensor> data = std::move(tensor).sensitive();
  const PrivateDecompose settled = settle(task, PublicDims(public_shape(data)), facts);
  require_signal(task, settled);
  return run_private(std::move(data), task, settled, progress);
}

DecomposeResult rehearse(SymmetricOracle& exact, const DecomposeTask& task,
                         const ProgressCallback& progress) {
  SOTTO_REQUIRE_AT(!asks_for_entries(task), "`method`", "{} is for tensors without symmetry",
                   name_of(fit_asked(task)));
  const PrivateDecompose settled =
      settle(task, PublicDims(PublicShape{exact.dim(), exact.order()}));
  SOTTO_REQUIRE_AT(settled.form.mechanism == PowerMechanism::iterate, "`mechanism`",
                   "a tensor that is known only by its answers takes noise on every iteration");
  PrivateRun run(settled.plan, task.privacy);
  PrivatePowerOracle oracle(exact, settled.noise, run);
  DecomposeResult result;
  result.power = settled.power;
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
