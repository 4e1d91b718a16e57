// sotto decompose: the components of a tensor.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/decompose/alternating.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_tensor.h"
#include "sotto/report/result.h"
#include "sotto/tensor/contraction.h"
#include "sotto/tensor/mode_oracles.h"
#include "sotto/tensor/prepare.h"

namespace sotto::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<double> as_list(const Vector& v) { return {v.data(), v.data() + v.size()}; }

class Decompose final : public Command {
 public:
  std::string name() const override { return "decompose"; }
  std::string summary() const override { return "Find the components of a tensor"; }
  std::vector<Positional> positionals() override {
    return {{"TENSOR", "tensor to decompose: .npy or .tns, plain or gzip", &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(power_.table())
        .choice("method", method_, {"power", "simultaneous", "alternating", "eigenpairs"},
                "power: one component after the other; simultaneous: all at once; alternating: "
                "tensors without symmetry; eigenpairs: local maxima of T(x,..,x), shifted power "
                "method")
        .choice("whiten", whiten_, {"none", "tensor"},
                "tensor: whiten by T(I,I,theta), for components that are not orthogonal")
        .text("whiten-with", 0, moment_path_, "FILE", "whiten by this second moment (.npy, d x d)")
        .integer("order", 'p', order_, {3, 5}, "refuse a tensor of any other order")
        .append(symmetry_.table())
        .append(common_.table());
  }

  ExitCode run() override {
    common_.apply();
    std::optional<OutputFolder> folder;
    if (!common_.out.empty()) folder.emplace(common_.out);
    auto start = std::chrono::steady_clock::now();
    Sensitive<AnyTensor> data(read_tensor(path_));
    AnyTensor tensor = std::move(data).open(
        PublicDeclaration("no privacy was asked for: the tensor is treated as public"));
    const double reading = seconds_since(start);
    check_order(tensor);
    const Json input = describe(tensor);

    start = std::chrono::steady_clock::now();
    const Decomposition found = decompose(std::move(tensor));
    const double computing = seconds_since(start);
    SOTTO_REQUIRE(found.status != Status::stopped, "stopped; nothing was written");

    Json result = make_result(name(), options(), input);
    fill(result, found, computing, reading);
    if (folder) {
      write_arrays(*folder, found);
      folder->write_text("result.json", to_text(result));
      folder->commit();
    }
    if (common_.json) {
      fmt::print("{}", to_text(result));
    } else {
      print_table(found, computing);
    }
    return found.status == Status::iteration_limit ? exit_not_converged : exit_done;
  }

 private:
  void check_order(const AnyTensor& tensor) const {
    const auto& dims = dims_of(tensor);
    SOTTO_REQUIRE_AT(dims.size() >= 3, path_,
                     "a tensor to decompose has at least three modes, this one has {} ({})",
                     dims.size(), shape_text(dims));
    SOTTO_REQUIRE_AT(!order_ || *order_ == static_cast<std::int64_t>(dims.size()), "--order",
                     "the tensor has order {}, not {}", dims.size(), *order_);
  }

  static Json describe(const AnyTensor& tensor) {
    Json input;
    input["dims"] = dims_of(tensor);
    if (const auto* sparse = std::get_if<SparseTensor>(&tensor)) input["entries"] = sparse->nnz();
    return input;
  }

  Decomposition decompose(AnyTensor tensor) {
    InteractiveProgress progress;
    if (method_ == "alternating") {
      SOTTO_REQUIRE_AT(whiten_ == "none" && moment_path_.empty(), "--whiten",
                       "whitening is for the symmetric methods, not for --method alternating");
      const auto oracle = mode_oracle(tensor);
      return alternating_power_method(*oracle, power_, progress.callback());
    }
    const auto start = std::chrono::steady_clock::now();
    const SymmetricInput input = prepare_symmetric(std::move(tensor), symmetry_, path_);
    preparing_ = seconds_since(start);
    if (whiten_ != "none" || !moment_path_.empty()) return whitened(input, progress.callback());
    const auto oracle = input.oracle();
    if (method_ == "simultaneous") {
      return simultaneous_power_method(*oracle, power_, progress.callback());
    }
    if (method_ == "eigenpairs") return leading_eigenpairs_of(*oracle, progress.callback());
    return robust_power_method(*oracle, power_, progress.callback());
  }

  Decomposition whitened(const SymmetricInput& input, const ProgressCallback& progress) {
    SOTTO_REQUIRE_AT(method_ == "power", "--whiten", "whitening goes with --method power");
    SOTTO_REQUIRE_AT(whiten_ == "none" || moment_path_.empty(), "--whiten",
                     "give either --whiten tensor or --whiten-with, not both");
    const SymmetricTensor& tensor = input.packed(path_);
    power_.check(tensor.dim());
    const Whitening whitening =
        moment_path_.empty() ? whitening_from_tensor(tensor, power_.components,
                                                     static_cast<std::uint64_t>(power_.seed))
                             : whitening_from_moment(read_moment(tensor.dim()), power_.components);
    return whitened_power_method(tensor, whitening, power_, progress);
  }

  Matrix read_moment(Index dim) const {
    const DenseTensor moment = read_npy(moment_path_);
    SOTTO_REQUIRE_AT(moment.order() == 2 && moment.dims()[0] == dim && moment.dims()[1] == dim,
                     moment_path_, "expected a {} x {} matrix, got {}", dim, dim,
                     shape_text(moment.dims()));
    SOTTO_REQUIRE_AT(!moment.has_nonfinite(), moment_path_, "has NaN or infinite entries");
    return Eigen::Map<const Matrix>(moment.values().data(), dim, dim);
  }

  // The k eigenpairs of largest |lambda| that the starts reached.
  Decomposition leading_eigenpairs_of(SymmetricOracle& oracle, const ProgressCallback& progress) {
    power_.check(oracle.dim());
    EigenpairOptions options;
    options.starts = power_.starts;
    options.iterations = power_.iterations;
    options.tolerance = power_.tolerance;
    options.seed = power_.seed;
    Decomposition found = eigenpairs(oracle, options, progress);
    found.keep_first(std::min<Index>(power_.components, found.weights.size()));
    return found;
  }

  static std::string file_name(const Decomposition& found, std::size_t mode) {
    return found.factors.size() == 1 ? "vectors.npy" : fmt::format("factors_{}.npy", mode);
  }

  static void write_arrays(OutputFolder& folder, const Decomposition& found) {
    for (std::size_t m = 0; m < found.factors.size(); ++m) {
      folder.write_npy(file_name(found, m), found.factors[m]);
    }
  }

  void fill(Json& result, const Decomposition& found, double computing, double reading) const {
    result["weights"] = as_list(found.weights);
    if (!common_.out.empty()) {
      for (std::size_t m = 0; m < found.factors.size(); ++m) {
        result["files"].push_back(file_name(found, m));
      }
    }
    Json& diagnostics = result["diagnostics"];
    diagnostics["status"] = status_text(found.status);
    diagnostics["residuals"] = as_list(found.residuals);
    diagnostics["agreement"] = as_list(found.agreement);
    diagnostics["iterations"] = found.iterations;
    diagnostics["seconds_reading"] = reading;
    diagnostics["seconds_preparing"] = preparing_;  // part of `seconds`: symmetry check, packing
    Json& history = diagnostics["history"];
    for (const HistoryPoint& h : found.history) {
      history["component"].push_back(h.component);
      history["iteration"].push_back(h.iteration);
      history["change"].push_back(h.change);
      history["active"].push_back(h.active);
    }
    result["seconds"] = computing;
  }

  static void print_table(const Decomposition& found, double computing) {
    fmt::print("{:>5}  {:>14}  {:>10}  {:>10}  {:>10}\n", "", "weight", "residual", "agreement",
               "iterations");
    for (Index j = 0; j < found.weights.size(); ++j) {
      fmt::print("{:>5}  {:>14.8g}  {:>10.2e}  {:>9.0f}%  {:>10}\n", j + 1, found.weights[j],
                 found.residuals[j], 100 * found.agreement[j],
                 found.iterations[static_cast<std::size_t>(j)]);
    }
    fmt::print("{} in {:.3g} s; not private: the tensor was treated as public\n",
               status_text(found.status), computing);
  }

  double preparing_ = 0;
  std::string path_;
  std::string method_ = "power";
  std::string whiten_ = "none";
  std::string moment_path_;
  std::optional<std::int64_t> order_;
  PowerOptions power_;
  SymmetryOptions symmetry_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_decompose() { return std::make_unique<Decompose>(); }

}  // namespace sotto::cli
