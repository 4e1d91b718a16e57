#include "sotto/tasks/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/base/random.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/models/gaussian_mixture.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/testing/planned.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

constexpr Index kMixtureDim = 6, kMixtureRecords = 20000;
constexpr double kMixtureNoise = 0.05;

// Means at the first three axes, of norm 1 and equally likely.
Matrix axis_means() { return Matrix::Identity(kMixtureDim, 3); }

RowMatrix rows_about_axes() {
  SeededRandom random(3);
  RowMatrix rows(kMixtureRecords, kMixtureDim);
  for (double& x : rows.reshaped()) x = kMixtureNoise * random.normal();
  for (Index n = 0; n < rows.rows(); ++n) rows(n, n % 3) += 1;
  return rows;
}

SensitivePoints points_about_axes() {
  return SensitivePoints(std::make_unique<MemorySource>(rows_about_axes()));
}
Input<Points> public_points() { return {points_about_axes(), PublicDeclaration("made by a test")}; }
Input<Points> sensitive_points() { return points_about_axes(); }

MixtureTask mixture_task() {
  MixtureTask task;
  task.mixture.components = 3;
  return task;
}

MixtureTask private_mixture_task() {
  MixtureTask task = mixture_task();
  task.privacy.epsilon = 2;
  task.privacy.delta = 1e-6;
  task.privacy.max_norm = 1.5;
  return task;
}

MixtureTask choosing_task() {
  MixtureTask task = private_mixture_task();
  task.privacy.set_norm(NormRange{0.01, 100});
  return task;
}

const PublicPointShape kMixtureShape{kMixtureDim, kMixtureRecords, "points"};

double largest_error(const MixtureResult& result) {
  return mixture_error(axis_means(), Vector(), result.mixture).mean;
}

TEST(MixtureTask, recovers_the_means_of_public_points) {
  const MixtureResult result = run(public_points(), mixture_task());
  EXPECT_LT(largest_error(result), 0.005);
  EXPECT_NEAR(std::sqrt(result.mixture.variance), kMixtureNoise, 0.001);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.records, kMixtureRecords);
  EXPECT_EQ(result.steps, 5);
  EXPECT_FALSE(result.released);
  EXPECT_EQ(result.open->log_likelihood.size(), 5u);
}

TEST(MixtureTask, recovers_them_privately) {
  for (const MixtureTask& task : {private_mixture_task(), choosing_task()}) {
    const MixtureResult result = run(sensitive_points(), task);
    EXPECT_LT(largest_error(result), 0.05);
    EXPECT_FALSE(result.drowned());
    EXPECT_FALSE(result.open);
  }
}

TEST(MixtureTask, a_private_run_releases_what_the_plan_says_and_is_certified) {
  for (MixtureTask task : {private_mixture_task(), choosing_task()}) {
    for (const std::int64_t components : {1, 3}) {
      task.mixture.components = components;
      const Plan announced = plan(task, kMixtureShape);
      const MixtureResult result = run(sensitive_points(), task);
      const Certificate& certificate = result.released->certificate;
      EXPECT_EQ(releases_of(certificate), releases_of(announced));
      EXPECT_TRUE(certificate.proved) << certificate.why;
      EXPECT_LE(certificate.epsilon, 2);
      EXPECT_EQ(certificate.statement.public_facts, announced.statement.public_facts);
      ASSERT_EQ(certificate.releases.size(), announced.releases.size());
      double shares = 0;
      for (std::size_t r = 0; r < announced.releases.size(); ++r) {
        EXPECT_EQ(announced.releases[r].values, certificate.releases[r].record.values);
        shares += announced.releases[r].share;
      }
      EXPECT_NEAR(shares, 1, 1e-12);
      EXPECT_EQ(result.steps, 2);
    }
  }
}

TEST(MixtureTask, planned_noise_is_that_of_the_certificate) {
  const Plan announced = plan(private_mixture_task(), kMixtureShape);
  const Certificate certificate =
      run(sensitive_points(), private_mixture_task()).released->certificate;
  EXPECT_EQ(announced.releases[0].noise_unit, "max-norm");
  EXPECT_EQ(announced.releases[1].noise_unit, "max-norm^2");
  const double norms[] = {1.5, 1.5 * 1.5};
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_NEAR(*announced.releases[r].noise * norms[r] / certificate.releases[r].record.noise, 1,
                1e-6);
  }
}

TEST(MixtureTask, a_bound_is_chosen_privately_within_its_range) {
  const MixtureResult result = run(sensitive_points(), choosing_task());
  EXPECT_NEAR(*result.released->max_norm, 1, 0.1);
  EXPECT_FALSE(run(sensitive_points(), private_mixture_task()).released->max_norm);
  const Plan announced = plan(choosing_task(), kMixtureShape);
  EXPECT_EQ(announced.releases[0].mechanism, "exponential");
  EXPECT_NEAR(announced.to_json()["forecasts"]["epsilon_for_bound"].get<double>(), 0.1, 1e-12);
}

TEST(MixtureTask, forecasts_the_error_of_a_mean) {
  const auto error = [](const MixtureTask& task, Index records) {
    PublicPointShape shape = kMixtureShape;
    shape.records = records;
    return plan(task, shape).to_json()["forecasts"]["mean_error"].get<double>();
  };
  MixtureTask task = private_mixture_task();
  // What sampling leaves falls as 1/sqrt(n), what noise leaves as 1/n.
  task.privacy.epsilon = 100;
  EXPECT_NEAR(error(task, 100000) / std::sqrt(3.0 * kMixtureDim / 100000), 1, 1e-3);
  task.privacy.epsilon = 0.01;
  EXPECT_NEAR(error(task, 1000) / error(task, 10000), 10, 0.1);
  for (const CovarianceKind kind : {CovarianceKind::spherical, CovarianceKind::full}) {
    task.mixture.covariance = kind;
    const auto forecasts = plan(task, kMixtureShape).to_json()["forecasts"];
    task.privacy.epsilon = forecasts["epsilon"].get<double>();
    EXPECT_NEAR(plan(task, kMixtureShape).to_json()["forecasts"]["loss"].get<double>(), 0.05, 1e-6);
  }
}

TEST(MixtureTask, says_when_the_noise_drowns_the_components) {
  MixtureTask task = private_mixture_task();
  task.privacy.max_norm = 200;
  const MixtureResult result = run(sensitive_points(), task);
  EXPECT_TRUE(result.drowned());
  EXPECT_FALSE(result.converged());
}

TEST(MixtureTask, an_insecure_seed_repeats_and_proves_nothing) {
  MixtureTask task = private_mixture_task();
  task.privacy.insecure_seed = 4;
  const MixtureResult one = run(sensitive_points(), task), two = run(sensitive_points(), task);
  EXPECT_EQ(one.mixture.means, two.mixture.means);
  EXPECT_FALSE(one.released->certificate.proved);
}

// Stops at each report in turn.
TEST(MixtureTask, can_be_stopped_anywhere) {
  for (const bool is_private : {false, true}) {
    for (int last = 0; last < 5; ++last) {
      int reports = 0;
      const auto stop = [&](const ProgressReport&) { return reports++ < last; };
      try {
        run(is_private ? sensitive_points() : public_points(),
            is_private ? private_mixture_task() : mixture_task(), stop);
        ADD_FAILURE() << "was not stopped at report " << last;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::stopped) << error.what();
      }
    }
  }
}

TEST(MixtureTask, input_and_epsilon_must_fit) {
  EXPECT_ERROR(run(sensitive_points(), mixture_task()), "`epsilon`: is needed");
  EXPECT_ERROR(run(public_points(), private_mixture_task()), "declared public");
  EXPECT_ERROR(plan(mixture_task(), kMixtureShape), "`plan`: needs `epsilon`");
}

TEST(MixtureTask, refuses_what_cannot_be) {
  EXPECT_ERROR(plan(private_mixture_task(), {kMixtureDim, 5, "five.npy"}), "five.npy: too few");
  EXPECT_ERROR(plan(private_mixture_task(), {kMixtureDim, {}, "points.csv"}),
               "`plan`: points.csv does not say how many records");
  MixtureTask exposing = private_mixture_task();
  exposing.privacy.delta = 0.1;
  EXPECT_ERROR(plan(exposing, kMixtureShape), "`accept-large-delta`");
  EXPECT_ERROR(run(sensitive_points(), exposing), "`accept-large-delta`");
}

TEST(MixtureTask, other_files_are_looked_at_first) {
  const TemporaryFolder files;
  write_npy(files / "truth.npy", axis_means());
  write_npy(files / "wide.npy", Matrix(Matrix::Identity(4, kMixtureDim + 1)));
  write_npy(files / "new.npy", Matrix(axis_means().transpose()));
  for (const bool is_private : {false, true}) {
    MixtureTask task = is_private ? private_mixture_task() : mixture_task();
    const auto input = [&] { return is_private ? sensitive_points() : public_points(); };
    task.truth = files / "truth.npy";
    task.infer = files / "new.npy";
    const MixtureResult result = run(input(), task);
    EXPECT_EQ(*result.largest_mean_error, largest_error(result));
    EXPECT_EQ(result.exposes.empty(), !is_private);
    const std::string out = files / (is_private ? "private" : "public");
    OutputFolder folder(out);
    save(result, folder);
    std::vector<std::string> names = {"means.npy", "weights.npy", "inferred.npy"};
    if (!is_private) names.insert(names.begin(), "proportions.npy");
    EXPECT_EQ(folder.names(), names);
    folder.write_text("result.json", "{}");
    folder.commit();
    EXPECT_EQ(read_npy(out + "/inferred.npy").dims(), (std::vector<Index>{3, 3}));
    task.infer = files / "wide.npy";
    EXPECT_ERROR(run(input(), task), "`infer`: ");
    task.infer.clear();
    task.mixture.components = 2;
    EXPECT_ERROR(run(input(), task), "`truth`: ");
  }
}

}  // namespace
}  // namespace sotto
