// sotto mixture: Gaussians of one spherical variance behind points.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/private_run.h"
#include "cli/write_result.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_points.h"
#include "sotto/models/private_mixture.h"
#include "sotto/release/private_stream.h"
#include "sotto/release/record_options.h"
#include "sotto/report/result.h"

namespace sotto::cli {
namespace {

// What is wrong with the points as a whole is said of their file.
template <class Work>
auto at_file(const std::string& path, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.place().empty() || error.fault() == Fault::system) throw;
    throw Error(error.message(), path);
  }
}

class Mixture final : public Command {
 public:
  std::string name() const override { return "mixture"; }
  std::string summary() const override {
    return "Find the Gaussians of one spherical variance that points come from";
  }
  std::vector<Positional> positionals() override {
    return {{"POINTS", "one record a row: .npy, CSV, raw numbers, UCI, LDA-C, SVMlight", &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(mixture_.table())
        .append(file_.table())
        .append(privacy_.table())
        .flag("plan", plan_only_,
              "with --epsilon: print what would be released and with how much noise, and read no "
              "record")
        .text("infer", 0, infer_path_, "FILE",
              "public points whose probabilities of each component to write (inferred.npy)")
        .text("truth", 0, truth_path_, "FILE", "true means (.npy, d x k) to compare with")
        .append(common_.table());
  }

  ExitCode run() override {
    privacy_.check();
    common_.apply();
    SOTTO_REQUIRE_AT(!plan_only_ || privacy_.asked(), "--plan", "goes with --epsilon");
    std::optional<OutputFolder> folder;
    if (!plan_only_) common_.open_folder(folder, {path_, infer_path_, truth_path_});
    if (!privacy_.asked()) say_not_private("the points are treated as public", common_.json);
    SOTTO_REQUIRE_AT(infer_path_.empty() || folder, "--infer", "needs --out to write to");
    SensitivePoints data = open();
    if (plan_only_) return run_plan(data);
    return privacy_.asked() ? run_private(std::move(data), folder)
                            : run_public(std::move(data), folder);
  }

 private:
  SensitivePoints open() {
    PointFileOptions file = file_;
    file.records_are_private = privacy_.asked();
    PointFormat format{};
    SensitivePoints points = open_points(path_, file, &format);
    format_ = name_of(format);
    return points;
  }

  Companions companions() const { return {{"--infer", infer_path_}, {"--truth", truth_path_}}; }

  ExitCode run_public(SensitivePoints data, std::optional<OutputFolder>& folder) {
    const auto source = std::move(data).open(
        PublicDeclaration("no privacy was asked for: the points are treated as public"));
    SOTTO_REQUIRE_AT(source->can_rewind(), source->name(),
                     "cannot be read a second time; give a regular file");
    at_file(path_, [&] { mixture_.check(source->dim(), source->records()); });
    open_companions(source->dim());
    InteractiveProgress progress;
    const auto start = std::chrono::steady_clock::now();
    const MixtureFit fit =
        at_file(path_, [&] { return fit_mixture(*source, mixture_, progress.callback()); });
    const double seconds = seconds_since(start);
    throw_if_stopped(fit.components.status == Status::stopped);
    Json result = start_result(Json{{"dim", source->dim()}, {"records", fit.records}}, {"plan"});
    fill(result, fit.mixture);
    result["options"]["refine"] = mixture_.steps();
    result["seconds"] = seconds;  // with reading: the two go on together
    Json& diagnostics = result["diagnostics"];
    diagnostics["status"] = status_text(fit.components.status);
    diagnostics["rank"] = fit.spectrum.rank;
    diagnostics["second_spectrum"] = as_list(fit.spectrum.values);
    diagnostics["third_spectrum"] = as_list(fit.components.weights);
    diagnostics["log_likelihood"] = fit.log_likelihood;
    diagnostics["movement"] = fit.movement;
    if (folder)
      write_responsibilities(*source, fit.mixture, fit.records, "proportions.npy", *folder);
    write(folder, result, fit.mixture);
    if (!common_.json) {
      print(result, fit.mixture);
      fmt::print("{} points in {:.3g} s\n", fit.records, seconds);
    }
    return fit.components.status == Status::converged ? exit_done : exit_not_converged;
  }

  ExitCode run_private(SensitivePoints data, std::optional<OutputFolder>& folder) {
    require_public(companions(), path_);
    const PublicPointShape shape = public_shape(data);
    at_file(path_, [&] { mixture_.check(shape.dim, shape.records); });
    open_companions(shape.dim);
    InteractiveProgress progress;
    PrivatePoints points(std::move(data), privacy_.norm(), privacy_.target(), privacy_.key());
    privacy_.require_small_delta({points.records(), "records"});
    const PrivateMixturePlan plan = at_file(path_, [&] {
      return plan_private_mixture(points.dim(), points.records(), left(), mixture_);
    });
    const PrivateMixtureFit fit = fit_private_mixture(points, plan, mixture_, progress.callback());
    throw_if_stopped(fit.status == Status::stopped);
    Certificate certificate = points.certify();
    certificate.statement.public_facts.push_back(format_fact(format_));
    name_companions(certificate, companions());

    Json result =
        start_result(Json{{"dim", points.dim()}, {"records", points.records()}}, {"plan"});
    result["options"]["refine"] = mixture_.private_steps();
    result["privacy"] = Json(certificate.to_json());
    fill(result, fit.mixture);
    if (!infer_path_.empty()) result["exposes"] = exposed_points();
    result["diagnostics"]["status"] = status_text(fit.status);
    result["diagnostics"]["rank"] = fit.rank;  // of a release
    if (!privacy_.norm_range.empty()) result["diagnostics"]["max_norm"] = points.max_norm();
    write(folder, result, fit.mixture);
    const bool drowned = fit.rank < mixture_.components - 1;
    if (!common_.json) {
      print(result, fit.mixture);
      if (drowned) {
        fmt::print(
            "the released second moment shows {} directions above its noise, {} means span {}: "
            "trust these means only with more records, a larger --epsilon, a smaller --max-norm, "
            "or fewer components\n",
            fit.rank, mixture_.components, mixture_.components - 1);
      }
      if (!privacy_.norm_range.empty()) {
        fmt::print("records longer than {:.4g}, a bound found privately, were shortened\n",
                   points.max_norm());
      }
      fmt::print("{}\n", certificate.to_text());
      if (!infer_path_.empty()) fmt::print("{}\n", exposed_points());
    }
    return drowned || fit.status != Status::converged ? exit_not_converged : exit_done;
  }

  ExitCode run_plan(const SensitivePoints& data) {
    const PublicPointShape shape = public_shape(data);
    SOTTO_REQUIRE_AT(shape.records, "--plan",
                     "{} does not say how many records it has without being read; a .npy file does",
                     path_);
    privacy_.require_small_delta({*shape.records, "records"});
    const PrivateMixturePlan plan = at_file(
        path_, [&] { return plan_private_mixture(shape.dim, *shape.records, left(), mixture_); });
    Json result = start_result(Json{{"dim", shape.dim}, {"records", *shape.records}});
    for (const PlannedMixtureRelease& release : plan.releases) {
      result["plan"].push_back(Json{{"what", release.what},
                                    {"values", release.values},
                                    {"share", release.share},
                                    {"mu", release.mu},
                                    {"noise_ratio", release.noise_ratio},
                                    {"unit", release.unit}});
    }
    const double for_bound = norm_epsilon(privacy_.target(), privacy_.norm());
    result["epsilon_for_bound"] = for_bound;
    if (common_.json) {
      fmt::print("{}", to_text(result));
      return exit_done;
    }
    const std::string radius = privacy_.max_norm ? fmt::format("= {:g}", *privacy_.max_norm)
                                                 : fmt::format("in {}, found for epsilon {:g}",
                                                               privacy_.norm_range, for_bound);
    fmt::print("{} records of dimension {}, drawn into the ball of radius B {}\n", *shape.records,
               shape.dim, radius);
    fmt::print("{:<40} {:>9} {:>7} {:>8}  {}\n", "release", "numbers", "share", "mu",
               "noise of a number");
    for (const PlannedMixtureRelease& release : plan.releases) {
      fmt::print("{:<40} {:>9} {:>6.1f}% {:>8.4f}  {:.3g} of {}\n", release.what, release.values,
                 100 * release.share, release.mu, release.noise_ratio, release.unit);
    }
    fmt::print("nothing was read and nothing was released\n");
    return exit_done;
  }

  // The target of what is released after the bound on the norm.
  PrivacyTarget left() const { return target_of_moments(privacy_.target(), privacy_.norm()); }

  // The certificate covers the records of the mixture, not the points it is applied to.
  std::string exposed_points() const {
    return fmt::format(
        "inferred.npy applies the released mixture to the points of {}: it costs the protected "
        "records nothing, and shows those points to whoever reads it.",
        infer_path_);
  }

  void fill(Json& result, const GaussianMixture& mixture) const {
    result["weights"] = as_list(mixture.weights);
    result["variance"] = mixture.variance;
    result["largest_entries"]["means"] = largest_entries(mixture.means);
    result["diagnostics"] = Json::object();
    if (truth_) {
      result["evaluation"] =
          Json{{"largest_mean_error", mixture_error(*truth_, Vector(), mixture).mean}};
    }
  }

  static void write_responsibilities(PointSource& source, const GaussianMixture& mixture,
                                     Index records, const std::string& file, OutputFolder& folder) {
    NpyWriter writer(folder.stage(file), {records, mixture.components()});
    for_record_blocks(source, kNoBound, [&](const RowMatrix& x) {
      const RowMatrix r = responsibilities(x, mixture);
      writer.write({r.data(), static_cast<std::size_t>(r.size())});
    });
    writer.commit();
  }

  // Files that go with the points are looked at first: a run must not end over them, its budget
  // spent.
  void open_companions(Index dim) {
    if (!truth_path_.empty()) {
      const DenseTensor tensor = read_npy(truth_path_);
      SOTTO_REQUIRE_AT(
          tensor.order() == 2 && tensor.dims()[0] == dim && tensor.dims()[1] == mixture_.components,
          "--truth", "{} must be {} x {}", truth_path_, dim, mixture_.components);
      truth_ = Eigen::Map<const RowMatrix>(tensor.values().data(), dim, mixture_.components);
    }
    if (infer_path_.empty()) return;
    infer_ = open_points(infer_path_, file_).open(PublicDeclaration("the points of `infer`"));
    SOTTO_REQUIRE_AT(infer_->dim() == dim, "--infer", "{} has points of dimension {}, not {}",
                     infer_path_, infer_->dim(), dim);
    SOTTO_REQUIRE_AT(infer_->can_rewind(), "--infer", "{} is no regular file", infer_path_);
    infer_records_ = for_record_blocks(*infer_, kNoBound, [](const RowMatrix&) {});
    SOTTO_REQUIRE_AT(infer_records_ > 0, "--infer", "{} has no points", infer_path_);
  }

  void write(std::optional<OutputFolder>& folder, Json& result, const GaussianMixture& mixture) {
    if (folder) {
      folder->write_npy("means.npy", mixture.means);
      folder->write_npy("weights.npy", mixture.weights);
      if (!infer_path_.empty()) {
        write_responsibilities(*infer_, mixture, infer_records_, "inferred.npy", *folder);
      }
      write_result(*folder, result);
    }
    if (common_.json) fmt::print("{}", to_text(result));
  }

  static void print(const Json& result, const GaussianMixture& mixture) {
    constexpr Index shown = 6;
    fmt::print("{:>5} {:>9} {:>10}   mean\n", "", "weight", "|mean|");
    for (Index i = 0; i < mixture.components(); ++i) {
      std::string line;
      for (Index j = 0; j < std::min(shown, mixture.dim()); ++j) {
        line += fmt::format(" {:>9.4g}", mixture.means(j, i));
      }
      fmt::print("{:>5} {:>9.4f} {:>10.4g}  {}{}\n", i + 1, mixture.weights[i],
                 mixture.means.col(i).norm(), line, mixture.dim() > shown ? " .." : "");
    }
    fmt::print("standard deviation of a coordinate about its mean: {:.6g}\n",
               std::sqrt(mixture.variance));
    if (result.contains("evaluation")) {
      fmt::print("largest distance to a true mean: {:.4g}\n",
                 result["evaluation"]["largest_mean_error"].get<double>());
    }
  }

  std::string path_, infer_path_, truth_path_;
  std::string format_;  // of the points' file
  bool plan_only_ = false;
  std::optional<Matrix> truth_;
  std::unique_ptr<PointSource> infer_;
  Index infer_records_ = 0;
  MixtureOptions mixture_;
  PointFileOptions file_;
  RecordPrivacyOptions privacy_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_mixture() { return std::make_unique<Mixture>(); }

}  // namespace sotto::cli
