// sotto decompose: the components of a tensor.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/private_run.h"
#include "cli/write_result.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/decompose/alternating.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_tensor.h"
#include "sotto/release/choose.h"
#include "sotto/release/entry_options.h"
#include "sotto/report/result.h"
#include "sotto/tensor/contraction.h"
#include "sotto/tensor/mode_oracles.h"
#include "sotto/tensor/prepare.h"

namespace sotto::cli {
namespace {

class Decompose final : public Command {
 public:
  std::string name() const override { return "decompose"; }
  std::string summary() const override { return "Find the components of a tensor"; }
  std::vector<Positional> positionals() override {
    return {{"TENSOR", "tensor to decompose: .npy or .tns, plain or gzip", &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .choice("format", format_, {"auto", "npy", "tns"},
                "format of the tensor; auto: recognised by content, with --epsilon by the name of "
                "the file")
        .append(power_.table())
        .notice("starts", given_.starts)
        .notice("iterations", given_.iterations)
        .notice("polish", given_.polish)
        .notice("tolerance", given_.tolerance)
        .choice("method", method_, {"power", "simultaneous", "alternating", "eigenpairs"},
                "power: one component after the other; simultaneous: all at once; alternating: "
                "tensors without symmetry; eigenpairs: local maxima of T(x,..,x), shifted power "
                "method")
        .choice("whiten", whiten_, {"none", "tensor"},
                "tensor: whiten by T(I,I,theta), for components that are not orthogonal")
        .text("whiten-with", 0, moment_path_, "FILE", "whiten by this second moment (.npy, d x d)")
        .integer("order", 'p', order_, {3, 5}, "refuse a tensor of any other order")
        .append(symmetry_.table())
        .append(privacy_.table())
        .flag("plan", plan_,
              "say what a private run would do; the tensor is not read, only its shape")
        .integer("dim", 'd', dim_, {1, 1000000000},
                 "dimension for --plan when there is no .npy file to take it from")
        .real("weight", 0, weight_, {0, std::numeric_limits<double>::infinity(), true, true},
              "for --plan: at which epsilon components of this weight are recovered")
        .append(common_.table());
  }

  ExitCode run() override {
    common_.apply();
    privacy_.check();
    SOTTO_REQUIRE_AT(plan_ || (!dim_ && !weight_), dim_ ? "--dim" : "--weight", "goes with --plan");
    if (plan_) return print_plan();
    if (privacy_.asked()) return run_private();
    return run_public();
  }

 private:
  // Which options the user gave: a private run has other defaults, and refuses some.
  struct Given {
    bool starts = false, iterations = false, polish = false, tolerance = false;
  };

  ExitCode run_public() {
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, {path_, moment_path_});
    say_not_private("the tensor is treated as public", common_.json);
    auto start = std::chrono::steady_clock::now();
    ReadTensorOptions file;
    file.format = tensor_format(format_);
    Sensitive<AnyTensor> data(read_tensor(path_, file));
    AnyTensor tensor = std::move(data).open(
        PublicDeclaration("no privacy was asked for: the tensor is treated as public"));
    const double reading = seconds_since(start);
    check_order(tensor);
    const Json input = describe(tensor);

    start = std::chrono::steady_clock::now();
    const Decomposition found = decompose(std::move(tensor));
    const double computing = seconds_since(start);
    throw_if_stopped(found.status == Status::stopped);

    Json result = start_result(input, plan_options());
    fill(result, found);
    result["diagnostics"]["seconds_reading"] = reading;
    result["diagnostics"]["seconds_preparing"] = preparing_;  // part of `seconds`: checks, packing
    result["seconds"] = computing;
    write(folder, result, found);
    if (!common_.json) {
      print_table(found, fmt::format("{} in {:.3g} s", status_text(found.status), computing));
    }
    return found.status == Status::iteration_limit ? exit_not_converged : exit_done;
  }

  // ---- private runs ----

  PublicShape shape_of(const PowerPlan& plan) const { return {plan.shape.dim, plan.shape.order}; }

  // Everything is decided here, from the shape and the options; the data has no say.
  PowerPlan make_plan(const PublicShape& shape) const {
    const PowerPlan iterate{PowerMechanism::iterate,
                            {shape.dim, shape.order, power_.components,
                             given_.starts ? power_.starts : default_starts(shape),
                             given_.iterations ? power_.iterations : default_iterations(shape)},
                            privacy_.published()};
    const PowerPlan input{
        PowerMechanism::input,
        {shape.dim, shape.order, power_.components, power_.starts, power_.iterations}};
    if (privacy_.mechanism == "iterate" || privacy_.as_published != "off") return iterate;
    if (privacy_.mechanism == "input") return input;
    if (method_ != "power" || whiten_ != "none") return input;  // no other way to do these
    return better_plan(iterate, input);
  }

  // The iterated form asks a fixed number of times, and nothing that was not paid for.
  void take_plan(const PowerPlan& plan) {
    privacy_.require_small_delta(entry_units(shape_of(plan)));
    power_.starts = plan.shape.starts;
    power_.iterations = plan.shape.iterations;
    power_.check(plan.shape.dim);
    SOTTO_REQUIRE_AT(!order_ || *order_ == plan.shape.order, "--order",
                     "the tensor has order {}, not {}", plan.shape.order, *order_);
    SOTTO_REQUIRE_AT(method_ != "alternating", "--method",
                     "alternating is for tensors without symmetry; a private run protects a "
                     "symmetric one");
    SOTTO_REQUIRE_AT(moment_path_.empty(), "--whiten-with",
                     "the second moment is data too, and a private run has not paid for it");
    if (plan.mechanism == PowerMechanism::input) return;
    const char* why =
        "needs the tensor itself: only --mechanism input, which releases it with noise, "
        "allows it in a private run";
    SOTTO_REQUIRE_AT(method_ == "power", "--method", "{} {}", method_, why);
    SOTTO_REQUIRE_AT(whiten_ == "none", "--whiten", "whitening {}", why);
    SOTTO_REQUIRE_AT(
        !given_.polish && !given_.tolerance, given_.polish ? "--polish" : "--tolerance",
        "a private run asks a fixed number of times: use --starts and --iterations, or "
        "--mechanism input");
    power_.polish = 0;
    power_.tolerance = 0;
    power_.residuals = false;
  }

  // A reader's message may quote the data; in a private run only the place is passed on.
  Sensitive<AnyTensor> read_private(std::string& format) const {
    // The shape is public, so it must not be what the largest indices in the data say.
    ReadTensorOptions reading;
    reading.format = tensor_format(format_);
    reading.shape = Shape::declared;
    reading.records_are_private = true;
    try {
      return Sensitive<AnyTensor>(read_tensor(path_, reading, &format));
    } catch (const Error& error) {
      if (error.fault() != Fault::input || error.names_an_option()) throw;
      throw Error(
          "is not a tensor of finite numbers with a declared shape (.npy, or .tns with a Tensor "
          "Toolbox header); what is wrong with it is not shown in a private run, and nothing was "
          "released",
          path_);
    }
  }

  ExitCode run_private() {
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, {path_});
    std::string format;
    Sensitive<AnyTensor> data = read_private(format);
    const PowerPlan plan = make_plan(public_shape(data, path_));
    take_plan(plan);
    Sensitive<SymmetricTensor> tensor = protected_tensor(std::move(data), symmetry_.symmetrize);
    std::optional<Certificate> certificate;
    const Decomposition found = plan.mechanism == PowerMechanism::iterate
                                    ? iterate(std::move(tensor), plan, certificate)
                                    : perturb(std::move(tensor), plan, certificate);
    certificate->statement.public_facts.push_back(format_fact(format));
    throw_if_stopped(found.status == Status::stopped);

    Json input;
    input["dims"] = std::vector<Index>(static_cast<std::size_t>(plan.shape.order), plan.shape.dim);
    std::vector<std::string> unused = plan_options();
    unused.emplace_back("symmetry-tolerance");
    Json result = start_result(input, unused);
    result["privacy"] = Json(certificate->to_json());
    fill(result, found);
    result["diagnostics"]["mechanism"] = mechanism_text(plan);
    write(folder, result, found);
    if (!common_.json) {
      print_table(found, fmt::format("{}; {}", mechanism_text(plan), status_text(found.status)));
      fmt::print("{}\n", certificate->to_text());
    }
    // The iterated form asks as often as was planned, and has done so.
    const bool planned = plan.mechanism == PowerMechanism::iterate;
    return !planned && found.status == Status::iteration_limit ? exit_not_converged : exit_done;
  }

  Decomposition iterate(Sensitive<SymmetricTensor> tensor, const PowerPlan& plan,
                        std::optional<Certificate>& certificate) {
    const PowerNoise noise =
        plan_power_noise(plan.shape, privacy_.target(), privacy_.published(), privacy_.max_entry);
    PrivateRun run = power_run(noise, privacy_.key());
    PrivatePowerOracle oracle(std::move(tensor), noise, run);
    InteractiveProgress progress;
    Decomposition found = robust_power_method(oracle, power_, progress.callback());
    certificate = run.certify();
    return found;
  }

  Decomposition perturb(Sensitive<SymmetricTensor> tensor, const PowerPlan& plan,
                        std::optional<Certificate>& certificate) {
    PrivateRun run(entry_statement(shape_of(plan), privacy_.target()), privacy_.key());
    Released<SymmetricTensor> noisy = release_tensor(tensor, privacy_.target(), run);
    certificate = run.certify();
    InteractiveProgress progress;
    return decompose_symmetric(SymmetricInput(std::move(noisy).value()), progress.callback());
  }

  static const char* mechanism_text(const PowerPlan& plan) {
    return plan.mechanism == PowerMechanism::iterate ? "noise on every iteration"
                                                     : "noise on the tensor";
  }

  // The shape from --dim, or from the header of the file: an .npy header is public, and no more of
  // the file is read.
  PublicShape shape_for_plan() const {
    if (!dim_) return require_shape(read_npy_header(path_).shape, path_);
    const auto order = static_cast<std::size_t>(order_.value_or(3));
    return require_shape(std::vector<Index>(order, *dim_), "--dim");
  }

  ExitCode print_plan() {
    SOTTO_REQUIRE_AT(privacy_.asked(), "--plan", "needs --epsilon and --delta");
    const PowerPlan plan = make_plan(shape_for_plan());
    take_plan(plan);
    const PrivacyTarget target = privacy_.target();
    const PowerForecast expected = forecast(plan, target);
    Json json;
    json["mechanism"] = plan.mechanism == PowerMechanism::iterate ? "iterate" : "input";
    json["starts"] = power_.starts;
    json["iterations"] = power_.iterations;
    json["releases"] = plan.mechanism == PowerMechanism::iterate ? plan.shape.answers() : 1;
    json["noise"] = expected.noise;
    json["weight"] = expected.weight;
    if (weight_) {
      json["epsilon"] = expected_epsilon(plan, target.delta, *weight_);
    }
    if (common_.json) {
      fmt::print("{}", to_text(json));
      return exit_done;
    }
    fmt::print("{} ({}), {} starts, {} iterations; releases: {}\n", mechanism_text(plan),
               json["mechanism"].get<std::string>(), power_.starts, power_.iterations,
               json["releases"].get<std::int64_t>());
    fmt::print("noise in a coordinate of T(I,u,..,u): {:.3g}\n", expected.noise);
    fmt::print(
        "at epsilon {:g} components of weight {:.3g} and more are expected to be recovered\n",
        target.epsilon, expected.weight);
    if (weight_) {
      fmt::print("components of weight {:g} are expected from epsilon {:.3g} on\n", *weight_,
                 json["epsilon"].get<double>());
    }
    return exit_done;
  }

  // ---- both ----

  void write(std::optional<OutputFolder>& folder, Json& result, const Decomposition& found) {
    if (folder) {
      write_arrays(*folder, found);
      write_result(*folder, result);
    }
    if (common_.json) fmt::print("{}", to_text(result));
  }

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
    return decompose_symmetric(input, progress.callback());
  }

  Decomposition decompose_symmetric(const SymmetricInput& input, const ProgressCallback& progress) {
    if (whiten_ != "none" || !moment_path_.empty()) return whitened(input, progress);
    const auto oracle = input.oracle();
    if (method_ == "simultaneous") return simultaneous_power_method(*oracle, power_, progress);
    if (method_ == "eigenpairs") return leading_eigenpairs_of(*oracle, progress);
    return robust_power_method(*oracle, power_, progress);
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

  // What only --plan looks at.
  static std::vector<std::string> plan_options() { return {"plan", "dim", "weight"}; }

  void fill(Json& result, const Decomposition& found) const {
    result["weights"] = as_list(found.weights);
    for (std::size_t m = 0; m < found.factors.size(); ++m) {
      const std::string file = file_name(found, m);
      result["largest_entries"][file.substr(0, file.find('.'))] = largest_entries(found.factors[m]);
    }
    Json& diagnostics = result["diagnostics"];
    diagnostics["status"] = status_text(found.status);
    // Empty in an iterated private run: a residual would need one more release.
    if (found.residuals.size() > 0) diagnostics["residuals"] = as_list(found.residuals);
    diagnostics["agreement"] = as_list(found.agreement);
    diagnostics["iterations"] = found.iterations;
    Json& history = diagnostics["history"];
    for (const HistoryPoint& h : found.history) {
      history["component"].push_back(h.component);
      history["iteration"].push_back(h.iteration);
      history["change"].push_back(h.change);
      history["active"].push_back(h.active);
    }
  }

  static void print_table(const Decomposition& found, const std::string& last_line) {
    const bool residuals = found.residuals.size() > 0;
    fmt::print("{:>5}  {:>14}  {}{:>10}  {:>10}\n", "", "weight", residuals ? "  residual  " : "",
               "agreement", "iterations");
    for (Index j = 0; j < found.weights.size(); ++j) {
      const std::string residual = residuals ? fmt::format("{:>10.2e}  ", found.residuals[j]) : "";
      fmt::print("{:>5}  {:>14.8g}  {}{:>9.0f}%  {:>10}\n", j + 1, found.weights[j], residual,
                 100 * found.agreement[j], found.iterations[static_cast<std::size_t>(j)]);
    }
    fmt::print("{}\n", last_line);
  }

  double preparing_ = 0;
  std::string path_;
  std::string format_ = "auto";
  std::string method_ = "power";
  std::string whiten_ = "none";
  std::string moment_path_;
  std::optional<std::int64_t> order_;
  PowerOptions power_;
  SymmetryOptions symmetry_;
  EntryPrivacyOptions privacy_;
  Given given_;
  bool plan_ = false;
  std::optional<std::int64_t> dim_;
  std::optional<double> weight_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_decompose() { return std::make_unique<Decompose>(); }

}  // namespace sotto::cli
