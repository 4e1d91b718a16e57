#include "sotto/tasks/mixture.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_points.h"
#include "sotto/models/component_mixture.h"
#include "sotto/models/gaussian_mixture.h"
#include "sotto/models/private_mixture.h"
#include "sotto/release/private_points.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/point_columns.h"

namespace sotto {
namespace {

// ---- what the options and public numbers decide; the records have no say ----

// A private run before it has released anything.
struct PrivateMixtureTask {
  PrivateMixturePlan numbers;
  Plan plan;
};

PrivateMixtureTask settle(const MixtureTask& task, const PublicPointShape& shape,
                          const std::vector<std::string>& facts = {}) {
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon` and `delta`");
  task.check();
  SOTTO_REQUIRE_AT(shape.records, "`plan`",
                   "{} does not say how many records it has without being read; a .npy "
                   "file does, or give `records`",
                   shape.name);
  task.privacy.require_small_delta({*shape.records, "records"});
  PrivateMixtureTask settled;
  settled.numbers = at_place(shape.name, [&] {
    return plan_private_mixture(shape, task.privacy.norm(), task.privacy.target(), task.mixture);
  });
  settled.plan = run_plan(settled.numbers);
  std::vector<std::string>& stated = settled.plan.statement.public_facts;
  stated.insert(stated.end(), facts.begin(), facts.end());
  name_companions(settled.plan.statement, task.companions());
  return settled;
}

std::vector<Forecast> forecasts_of(const MixtureTask& task, const PrivateMixtureTask& settled) {
  std::vector<Forecast> list;
  if (settled.plan.pure_epsilon > 0) {
    list.push_back({"epsilon_for_bound", settled.plan.pure_epsilon,
                    fmt::format("max-norm is chosen privately in {} for epsilon {:g}",
                                task.privacy.norm_range, settled.plan.pure_epsilon)});
  }
  const std::optional<MixtureForecast> expected = forecast_mixture(settled.numbers);
  if (!expected) return list;
  const std::int64_t k = task.mixture.components;
  list.push_back(
      {"mean_error", expected->mean_error,
       fmt::format("{} equal components far from each other: a mean is expected to be off "
                   "by {:.2g} of their deviation",
                   k, expected->mean_error)});
  list.push_back({"loss", expected->loss,
                  fmt::format("noise is expected to take {:.2g} from the log likelihood of a point",
                              expected->loss)});
  const double epsilon = expected_mixture_epsilon(settled.numbers.shape, task.privacy.norm(),
                                                  task.privacy.target(), task.mixture);
  if (std::isfinite(epsilon)) {
    list.push_back({"epsilon", epsilon,
                    fmt::format("{} components are expected from epsilon {:.2g} on", k, epsilon)});
  } else {
    list.push_back(
        {"epsilon", {}, fmt::format("{} components are not expected at any epsilon up to 100", k)});
  }
  return list;
}

// ---- other files ----

// The files beside the points. They are read first: a run must not fail over them when its budget
// is spent.
struct MixtureCompanions {
  Points infer;
  Index records_to_infer = 0;
  std::optional<Matrix> truth;
};

Matrix read_true_means(const std::string& path, Index dim, Index k) {
  const DenseTensor tensor = read_npy(path);
  SOTTO_REQUIRE_AT(tensor.order() == 2 && tensor.dims()[0] == dim && tensor.dims()[1] == k,
                   "`truth`", "{} must be {} x {}", path, dim, k);
  return Eigen::Map<const RowMatrix>(tensor.values().data(), dim, k);
}

MixtureCompanions open_companions(const MixtureTask& task, Index dim) {
  MixtureCompanions companions;
  if (!task.truth.empty()) {
    companions.truth = read_true_means(task.truth, dim, task.mixture.components);
  }
  if (task.infer.empty()) return companions;
  companions.infer = opened_companion(open_points(task.infer, task.file));
  PointSource& points = *companions.infer;
  SOTTO_REQUIRE_AT(points.dim() == dim, "`infer`", "{} has points of dimension {}, not {}",
                   task.infer, points.dim(), dim);
  SOTTO_REQUIRE_AT(points.can_rewind(), "`infer`", "{} is not a regular file", task.infer);
  companions.records_to_infer = for_point_blocks(points, [](const PointBlock&) {});
  SOTTO_REQUIRE_AT(companions.records_to_infer > 0, "`infer`", "{} has no points", task.infer);
  return companions;
}

// The certificate covers the records of the mixture, not the points it is applied to.
std::string exposed_points(const MixtureTask& task) {
  if (task.infer.empty() || !task.privacy.asked()) return "";
  return fmt::format(
      "inferred.npy applies the released mixture to the points of {}: it costs the protected "
      "records nothing, and shows those points to whoever reads it.",
      task.infer);
}

// ---- runs ----

MixtureResult start_result(const MixtureTask& task, GaussianMixture mixture,
                           MixtureCompanions companions) {
  MixtureResult result;
  if (companions.truth) {
    result.largest_mean_error = mixture_error(*companions.truth, Vector(), mixture).mean;
  }
  result.mixture = std::move(mixture);
  result.to_infer = std::move(companions.infer);
  result.records_to_infer = companions.records_to_infer;
  result.exposes = exposed_points(task);
  return result;
}

MixtureResult run_public(Points points, const MixtureTask& task, const ProgressCallback& progress) {
  const std::string name = points->name();
  SOTTO_REQUIRE_AT(points->can_rewind(), name, "cannot be read a second time; give a regular file");
  at_place(name, [&] { task.mixture.check(points->dim(), points->records()); });
  std::vector<std::string> columns = points->columns();
  MixtureCompanions companions = open_companions(task, points->dim());
  const Stopwatch computing;
  MixtureFit fit = at_place(name, [&] { return fit_mixture(*points, task.mixture, progress); });
  const double seconds = computing.seconds();
  throw_if_stopped(fit.components.status == Status::stopped);
  MixtureResult result = start_result(task, std::move(fit.mixture), std::move(companions));
  result.status = fit.components.status;
  const bool from_moments = starts_from_moments(task.mixture, points->dim());
  if (from_moments) result.rank = fit.spectrum.rank;
  result.records = fit.records;
  result.columns = std::move(columns);
  result.steps = std::ssize(fit.log_likelihood);
  result.open = MixtureResult::Public{
      std::move(points),
      std::move(fit.spectrum.values),
      std::move(fit.components.weights),
      std::move(fit.log_likelihood),
      fit.movement,
      fit.final_log_likelihood,
      schwarz_criterion(result.mixture, fit.records, fit.final_log_likelihood),
      seconds};
  return result;
}

MixtureResult run_private(SensitivePoints points, const MixtureTask& task,
                          const std::vector<std::string>& facts, const ProgressCallback& progress) {
  PublicPointShape shape = public_shape(points);
  at_place(shape.name, [&] { task.mixture.check(shape.dim, shape.records); });
  if (shape.records) settle(task, shape);  // refuses before a record is read
  MixtureCompanions companions = open_companions(task, shape.dim);
  CountedPoints counted(std::move(points), task.privacy.norm());
  shape.records = counted.records();
  const PrivateMixtureTask settled = settle(task, shape, facts);
  PrivateRun run(settled.plan, task.privacy);
  PrivatePoints paid(std::move(counted), task.privacy.target(), run);
  PrivateMixtureFit fit = fit_private_mixture(paid, settled.numbers, task.mixture, progress);
  throw_if_stopped(fit.status == Status::stopped);
  MixtureResult result = start_result(task, std::move(fit.mixture), std::move(companions));
  result.status = fit.status;
  result.records = *shape.records;
  result.steps = settled.numbers.steps;
  result.released = MixtureResult::Private{run.certify(), {}, {}};
  if (settled.numbers.from_moments) {
    result.rank = fit.rank;
  } else {
    result.released->known = fit.known;
  }
  if (!task.privacy.norm_range.empty()) result.released->max_norm = paid.max_norm();
  return result;
}

// As scikit-learn has them: k numbers, k x d or k x d x d.
void save_covariances(const GaussianMixture& mixture, OutputFolder& folder) {
  const Index d = mixture.dim(), k = mixture.components();
  std::vector<Index> shape = {k};
  if (mixture.kind != CovarianceKind::spherical) shape.push_back(d);
  if (mixture.kind == CovarianceKind::full) shape.push_back(d);
  NpyWriter writer(folder.stage("covariances.npy"), shape);
  writer.write({mixture.covariances.data(), static_cast<std::size_t>(mixture.covariances.size())});
  writer.commit();
}

void write_responsibilities(PointSource& source, const GaussianMixture& mixture, Index records,
                            const std::string& file, OutputFolder& folder) {
  NpyWriter writer(folder.stage(file), {records, mixture.components()});
  for_point_blocks(source, [&](const PointBlock& block) {
    const RowMatrix r = responsibilities(block, mixture);
    writer.write({r.data(), static_cast<std::size_t>(r.size())});
  });
  writer.commit();
}

}  // namespace

OptionTable MixtureTask::table() {
  return OptionTable()
      .append(mixture.table())
      .append(file.table())
      .append(privacy.table())
      .text("infer", 0, infer, "FILE",
            "write the probabilities of each component for these public points (inferred.npy)")
      .text("truth", 0, truth, "FILE", "true means (.npy, d x k) to compare with");
}

void MixtureTask::check() const { privacy.check(); }

Companions MixtureTask::companions() const {
  return {{"infer", "the file of points to infer", infer},
          {"truth", "the file of true means", truth}};
}

Plan plan(const MixtureTask& task, const PublicPointShape& shape) {
  PrivateMixtureTask settled = settle(task, shape);
  settled.plan.forecasts = forecasts_of(task, settled);
  return settled.plan;
}

MixtureResult run(Input<Points> points, const MixtureTask& task, const ProgressCallback& progress) {
  task.check();
  require_declared(points, task.privacy.asked());
  const std::vector<std::string> facts = points.public_facts();
  if (points.is_public()) return run_public(std::move(points).open(), task, progress);
  return run_private(std::move(points).sensitive(), task, facts, progress);
}

void save(const MixtureResult& result, OutputFolder& folder) {
  if (result.open && result.open->points) {
    write_responsibilities(*result.open->points, result.mixture, result.records, "proportions.npy",
                           folder);
  }
  folder.write_npy("means.npy", result.mixture.means);
  folder.write_npy("weights.npy", result.mixture.weights);
  if (result.mixture.kind != CovarianceKind::common) save_covariances(result.mixture, folder);
  save_columns(result.columns, folder);
  if (result.to_infer) {
    write_responsibilities(*result.to_infer, result.mixture, result.records_to_infer,
                           "inferred.npy", folder);
  }
}

}  // namespace sotto
