#include "sotto/release/private_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/moments/testing/some_components.h"
#include "sotto/privacy/gdp.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

constexpr PrivacyTarget kPointTarget{1.0, 1e-6};

SensitivePoints sensitive(const RowMatrix& rows) {
  return SensitivePoints(std::make_unique<MemorySource>(rows));
}

// Points with a run that pays for their releases.
struct PaidPoints {
  PaidPoints(const RowMatrix& rows, const RecordNorm& norm, const PrivacyTarget& target,
             NoiseKey key)
      : run(point_statement(rows.rows(), rows.cols(), norm, target.delta), std::move(key),
            Budget::gaussian(target.epsilon, target.delta, norm_epsilon(target, norm))),
        points(CountedPoints(sensitive(rows), norm), target, run) {}

  PrivateRun run;
  PrivatePoints points;
};

PaidPoints points_of(const RowMatrix& rows, double max_norm, std::uint64_t seed = 1) {
  return PaidPoints(rows, max_norm, kPointTarget, NoiseKey::insecure_from_seed(seed));
}

// With so much budget that the noise is far below the differences of interest.
PaidPoints nearly_exact(const RowMatrix& rows, double max_norm) {
  return PaidPoints(rows, max_norm, {600, 1e-6}, NoiseKey::insecure_from_seed(1));
}

double packed_norm(const SymmetricTensor& a, const SymmetricTensor& b) {
  SymmetricTensor difference = a;
  difference.add_scaled(-1, b);
  return difference.frobenius_norm();
}

// A release without its noise: the means that the mechanism gets.
struct Means {
  Vector mean;
  Matrix second;
  SymmetricTensor third{1, 3};
  Matrix expectation;
};

struct Question {
  Index d = 4;
  double max_norm = 2, reach = 1.5;
  Vector centre = random_matrix(4, 1, 50);
  Matrix w = random_matrix(4, 3, 51);
  GaussianMixture mixture{random_matrix(4, 3, 52), Vector::Constant(3, 1.0 / 3), 0.4};
  ContributionClip clip{0.6, 1.1};

  Means ask(const RowMatrix& rows) const {
    MemorySource source(rows);
    const double n = static_cast<double>(rows.rows());
    const PointSums sums = sum_moments(source, Vector::Zero(d), max_norm);
    Means means{sums.first / n, sums.second / n, SymmetricTensor(3, 3), Matrix(d + 1, 3)};
    means.third.add_scaled(1 / n, sum_cubes(source, centre, w, max_norm, reach));
    const MixtureSums e = expected_sums(source, mixture, max_norm, clip);
    means.expectation << clip.count_scale * e.counts.transpose() / n, e.offsets / n;
    return means;
  }
};

// The largest differences between neighbours over `trials` replacements of one record.
struct Differences {
  double mean = 0, second = 0, third = 0, expectation = 0;
};
Differences largest(const Question& q, int trials,
                    const std::function<Eigen::RowVectorXd(int)>& replacement) {
  const RowMatrix rows = random_matrix(5, q.d, 53);
  Differences worst;
  Means before = q.ask(rows);
  RowMatrix data = rows;
  for (int trial = 0; trial < trials; ++trial) {
    data.row(2) = replacement(trial);
    const Means now = q.ask(data);
    worst.mean = std::max(worst.mean, (now.mean - before.mean).norm());
    worst.second = std::max(worst.second, (now.second - before.second).norm());
    worst.third = std::max(worst.third, packed_norm(now.third, before.third));
    worst.expectation = std::max(worst.expectation, (now.expectation - before.expectation).norm());
    before = now;
  }
  return worst;
}

void expect_within(const Question& q, const Differences& found) {
  const double n = 5, room = 1 + 1e-12;
  EXPECT_LE(found.mean * n, mean_contribution(q.max_norm).sensitivity * room);
  EXPECT_LE(found.second * n, second_contribution(q.max_norm).sensitivity * room);
  EXPECT_LE(found.third * n, third_contribution(q.reach).sensitivity * room);
  EXPECT_LE(found.expectation * n, expectation_contribution(q.clip.norm).sensitivity * room);
}

TEST(PrivatePoints, no_neighbours_pass_the_sensitivities) {
  SeededRandom random(54);
  const Question q;
  expect_within(q, largest(q, 4000, [&](int trial) {
                  Eigen::RowVectorXd x(q.d);
                  for (double& value : x) value = random.normal() * std::pow(10.0, trial % 5 - 2);
                  return x;
                }));
}

// Each sensitivity has its own worst pair of records.
TEST(PrivatePoints, the_worst_neighbours_come_close_to_the_sensitivities) {
  Question q;
  q.centre.setZero();
  const double n = 5;
  const Eigen::RowVectorXd e = Vector::Unit(4, 0).transpose(), f = Vector::Unit(4, 1).transpose();
  const auto opposite = [&](int trial) { return Eigen::RowVectorXd((trial % 2 ? 9 : -9) * e); };
  const Differences signs = largest(q, 4, opposite);
  expect_within(q, signs);
  EXPECT_GE(signs.mean * n, 0.999 * mean_contribution(q.max_norm).sensitivity);
  EXPECT_GE(signs.third * n, 0.999 * third_contribution(q.reach).sensitivity);
  const Differences right_angle =
      largest(q, 4, [&](int trial) { return Eigen::RowVectorXd(trial % 2 ? 9 * e : 9 * f); });
  expect_within(q, right_angle);
  EXPECT_GE(right_angle.second * n, 0.999 * second_contribution(q.max_norm).sensitivity);
  // Records on either side of one mean: only what the counts add is not reached.
  q.mixture.means.setZero();
  q.clip = {0.02, 1.1};
  q.mixture.weights << 1, 1e-9, 1e-9;
  const Differences sides = largest(q, 4, opposite);
  expect_within(q, sides);
  EXPECT_GE(sides.expectation * n, 0.99 * expectation_contribution(q.clip.norm).sensitivity);
}

// What the release of components sums up, without its noise: counts, offsets and second moments
// with the scales of the clip. The entries of a matrix make its Frobenius norm.
Matrix component_means(const RowMatrix& rows, const GaussianMixture& mixture, double max_norm,
                       const ComponentClip& clip) {
  MemorySource source(rows);
  const ComponentSums sums = component_sums(source, mixture, max_norm, clip);
  Matrix value(1 + sums.offsets.rows() + sums.seconds.rows(), mixture.components());
  value << clip.count_scale * sums.counts.transpose(), sums.offsets,
      clip.second_scale * sums.seconds;
  return value / static_cast<double>(rows.rows());
}

TEST(PrivatePoints, neighbours_nearly_reach_the_sensitivity_of_components_and_never_pass_it) {
  SeededRandom random(70);
  const double n = 5, max_norm = 2;
  const ComponentClip clip{0.05, 0.02, 1.1};
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    GaussianMixture mixture = some_components(kind, 4, 6);
    // Records on either side of one mean, far out: only what counts and squares add is not reached.
    mixture.weights << 1, 1e-12, 1e-12, 1e-12, 1e-12, 1e-12;
    mixture.means.setZero();
    RowMatrix rows = random_matrix(5, 4, 71);
    double worst = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      for (Index j = 0; j < 4; ++j) rows(2, j) = random.normal() * std::pow(10.0, trial % 5 - 2);
      const Matrix before = component_means(rows, mixture, max_norm, clip);
      rows.row(2) *= -1;
      worst = std::max(worst, (component_means(rows, mixture, max_norm, clip) - before).norm());
    }
    EXPECT_LE(worst * n, expectation_contribution(clip.norm).sensitivity * (1 + 1e-12)) << name;
    EXPECT_GE(worst * n, 0.98 * expectation_contribution(clip.norm).sensitivity) << name;
  }
}

PointGrid some_grid() {
  return {random_matrix(4, 1, 80), random_matrix(4, 2, 81), Vector::Constant(2, 1.5), 7};
}

TEST(PrivatePoints, neighbours_reach_the_sensitivity_of_a_grid_and_never_pass_it) {
  SeededRandom random(82);
  RowMatrix rows = random_matrix(5, 4, 83);
  const auto shares = [&] {
    MemorySource source(rows);
    return Vector(grid_counts(source, some_grid(), 2.0) / 5);
  };
  double worst = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector before = shares();
    for (Index j = 0; j < 4; ++j) rows(2, j) = random.normal() * std::pow(10.0, trial % 60 - 2);
    const Vector now = shares();
    EXPECT_NEAR(now.sum(), 1, 1e-12);  // a record far outside counts, too
    worst = std::max(worst, (now - before).norm());
  }
  EXPECT_LE(worst * 5, grid_contribution().sensitivity * (1 + 1e-12));
  EXPECT_GE(worst * 5, grid_contribution().sensitivity * (1 - 1e-12));
}

TEST(PrivatePoints, a_grid_has_the_shares_of_its_cells_up_to_noise_of_the_recorded_size) {
  const RowMatrix rows = 0.8 * random_matrix(3000, 4, 84);
  const PointGrid grid = some_grid();
  Vector exact = Vector::Zero(49);
  for (Index i = 0; i < rows.rows(); ++i) {
    const Vector x = rows.row(i) * std::min(1.0, 2 / rows.row(i).norm());
    const Vector y = grid.directions.transpose() * (x - grid.centre);
    const auto interval = [](double place) {
      return std::clamp(std::floor(place * 7 / 3), 0., 6.);
    };
    exact[Index(interval(y[0] + 1.5) + 7 * interval(y[1] + 1.5))] += 1.0 / 3000;
  }
  double squares = 0, numbers = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    PaidPoints paid = points_of(rows, 2, 400 + run);
    const Noisy<Vector> noisy = paid.points.grid(grid, 0.05).value();
    const ReleaseRecord record = paid.run.certify().releases.at(0).record;
    EXPECT_EQ(record.values, 49);
    EXPECT_NEAR(record.noise, std::sqrt(2.0) / (3000 * 0.05), 1e-6);
    squares += (noisy.value - exact).squaredNorm() / (record.noise * record.noise);
    numbers += 49;
  }
  EXPECT_NEAR(squares / numbers, 1, 5 * std::sqrt(2 / numbers));
}

TEST(PrivatePoints, components_are_the_clipped_means_up_to_noise_of_the_recorded_size) {
  const RowMatrix rows = 0.8 * random_matrix(3000, 4, 72);
  const ComponentClip clip{0.6, 0.4, 3};
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    const GaussianMixture mixture = some_components(kind, 4, 6);
    const Matrix exact = component_means(rows, mixture, 2, clip);
    double squares = 0, numbers = 0;
    for (std::uint64_t run = 0; run < 60; ++run) {
      PaidPoints paid = points_of(rows, 2, 300 + run);
      const Noisy<ComponentSums> noisy = paid.points.components(mixture, clip, 0.05).value();
      const ComponentSums& sums = noisy.value;
      Matrix found(exact.rows(), exact.cols());
      found << clip.count_scale * sums.counts.transpose(), sums.offsets,
          clip.second_scale * sums.seconds;
      const ReleaseRecord record = paid.run.certify().releases.at(0).record;
      EXPECT_EQ(record.values, 6 * component_values(kind, 4));
      EXPECT_EQ(record.noise, noisy.deviation);
      // The Frobenius norm of noise in isometric coordinates.
      squares += (found - exact).squaredNorm() / (record.noise * record.noise);
      numbers += static_cast<double>(record.values);
    }
    EXPECT_NEAR(squares / numbers, 1, 5 * std::sqrt(2 / numbers)) << name;
  }
  PaidPoints paid = points_of(rows, 2);
  GaussianMixture far = some_components(CovarianceKind::spherical, 4, 6);
  far.means(0, 0) = 1e20;
  EXPECT_THROW(paid.points.components(far, clip, 0.05), Error);
  GaussianMixture sharp = some_components(CovarianceKind::spherical, 4, 6);
  sharp.covariances(0, 0) = 1e-60;
  EXPECT_THROW(paid.points.components(sharp, clip, 0.05), Error);
  EXPECT_TRUE(paid.run.certify().releases.empty());
}

TEST(PrivatePoints, releases_are_the_clipped_means_up_to_noise) {
  const Question q;
  const RowMatrix rows = 1.2 * random_matrix(5000, q.d, 55);
  const Means exact = q.ask(rows);
  PaidPoints paid = nearly_exact(rows, q.max_norm);
  PrivatePoints& points = paid.points;
  EXPECT_EQ(points.records(), 5000);
  const double mu = 8;
  const double noise = 10 / (mu * 5000);
  EXPECT_LE((points.mean(mu).value().value - exact.mean).norm(), noise * 8);
  const Noisy<Matrix> second = points.second_moment(mu).value();
  EXPECT_LE((second.value - exact.second).norm(), 6 * second.deviation);
  EXPECT_EQ(second.value, second.value.transpose());
  EXPECT_LE(packed_norm(points.third_moment(q.centre, q.w, q.reach, mu).value().value, exact.third),
            noise * 20);
  const MixtureSums sums = points.expectation(q.mixture, q.clip, mu).value();
  EXPECT_LE((sums.offsets - exact.expectation.bottomRows(q.d)).norm(), noise * 8);
  EXPECT_LE((q.clip.count_scale * sums.counts.transpose() - exact.expectation.row(0)).norm(),
            noise * 8);
}

// Release minus exact mean over fresh runs has the recorded deviation; 10% would show.
TEST(PrivatePoints, noise_has_the_recorded_size) {
  const Question q;
  const RowMatrix rows = random_matrix(40, q.d, 56);
  const Means exact = q.ask(rows);
  const int runs = 400;
  std::vector<double> squares(4, 0), numbers(4, 0);
  const double mu = 0.05;
  for (int run = 0; run < runs; ++run) {
    PaidPoints paid = points_of(rows, q.max_norm, 100 + static_cast<std::uint64_t>(run));
    PrivatePoints& points = paid.points;
    const Vector mean = points.mean(mu).value().value - exact.mean;
    const Matrix second = points.second_moment(mu).value().value - exact.second;
    SymmetricTensor third = points.third_moment(q.centre, q.w, q.reach, mu).value().value;
    third.add_scaled(-1, exact.third);
    const MixtureSums sums = points.expectation(q.mixture, q.clip, mu).value();
    const Certificate certificate = paid.run.certify();
    ASSERT_EQ(certificate.releases.size(), 4u);
    const double norms[] = {
        mean.squaredNorm(), second.squaredNorm(), third.frobenius_norm() * third.frobenius_norm(),
        (sums.offsets - exact.expectation.bottomRows(q.d)).squaredNorm() +
            (q.clip.count_scale * sums.counts.transpose() - exact.expectation.row(0))
                .squaredNorm()};
    for (std::size_t r = 0; r < 4; ++r) {
      const ReleaseRecord& record = certificate.releases[r].record;
      squares[r] += norms[r] / (record.noise * record.noise);
      numbers[r] += static_cast<double>(record.values);
    }
  }
  for (std::size_t r = 0; r < 4; ++r) {
    const double share = squares[r] / numbers[r], spread = 5 * std::sqrt(2.0 / numbers[r]);
    EXPECT_NEAR(share, 1, spread) << "release " << r;
    EXPECT_GT(std::abs(1.21 * share - 1), spread);
  }
}

TEST(PrivatePoints, the_certificate_adds_up_and_the_budget_ends) {
  const Question q;
  const RowMatrix rows = random_matrix(50, q.d, 57);
  PaidPoints paid(rows, q.max_norm, kPointTarget, NoiseKey::from_system());
  PrivatePoints& points = paid.points;
  const double mu = affordable_mu(kPointTarget, 4, 100);
  points.mean(mu);
  points.second_moment(mu);
  points.third_moment(q.centre, q.w, q.reach, mu);
  points.expectation(q.mixture, q.clip, mu);
  const Certificate certificate = paid.run.certify();
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_LE(certificate.epsilon, kPointTarget.epsilon);
  EXPECT_GE(certificate.epsilon, 0.999 * kPointTarget.epsilon);
  EXPECT_THROW(points.mean(mu), Error);
  EXPECT_EQ(paid.run.certify().releases.size(), 4u);
}

TEST(PrivatePoints, a_bound_that_is_chosen_is_the_first_release_and_is_paid_for) {
  const Question q;
  RowMatrix rows = random_matrix(4000, q.d, 62).rowwise().normalized() * 0.5;
  rows.row(3) *= 1e200;  // one far out, whose square overflows
  const RecordNorm range = NormRange{0.01, 100};
  PaidPoints paid(rows, range, kPointTarget, NoiseKey::from_system());
  PrivatePoints& points = paid.points;
  EXPECT_EQ(points.records(), 4000);
  EXPECT_TRUE(paid.run.certify().releases.empty());
  const PrivacyTarget left = target_of_moments(kPointTarget, range);
  EXPECT_DOUBLE_EQ(left.epsilon + norm_epsilon(kPointTarget, range), kPointTarget.epsilon);
  const double mu = affordable_mu(left, 4, 100);
  points.mean(mu);
  // Usually close to 0.5 (norm_bound_test.cc); in one run of forty the noise chooses another bound.
  EXPECT_GE(points.max_norm(), 0.01);
  EXPECT_LE(points.max_norm(), 100);
  points.second_moment(mu);
  points.third_moment(q.centre, q.w, q.reach, mu);
  points.expectation(q.mixture, q.clip, mu);
  const Certificate certificate = paid.run.certify();
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_LE(certificate.epsilon, kPointTarget.epsilon);
  EXPECT_GE(certificate.epsilon, 0.95 * kPointTarget.epsilon);
  ASSERT_EQ(certificate.releases.size(), 5u);
  EXPECT_EQ(certificate.releases[0].record.what, "bound on the norm of records");
  EXPECT_LE(std::get<PureCost>(certificate.releases[0].record.cost).epsilon,
            norm_epsilon(kPointTarget, range));
  EXPECT_NEAR(certificate.releases[1].record.sensitivity, 2 * points.max_norm() / 4000, 1e-9);
  EXPECT_THROW(points.mean(mu), Error);
  EXPECT_EQ(norm_epsilon(kPointTarget, 1.0), 0);
  const RecordNorm tiny = NormRange{1e-30, 1};
  EXPECT_THROW(PaidPoints(rows, tiny, kPointTarget, NoiseKey::from_system()), Error);
}

TEST(PrivatePoints, bad_records_and_shapes_are_refused_without_a_word_about_them) {
  RowMatrix rows = random_matrix(20, 4, 58);
  rows(7, 2) = std::nan("");
  try {
    points_of(rows, 1);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("nothing was released"), std::string::npos) << text;
    EXPECT_EQ(text.find('8'), std::string::npos) << text;
  }
  EXPECT_THROW(points_of(RowMatrix(0, 4), 1), Error);
  EXPECT_THROW(points_of(random_matrix(5, 4, 59), 0), Error);
  const Question q;
  PaidPoints paid = points_of(random_matrix(20, 4, 60), 1);
  PrivatePoints& points = paid.points;
  EXPECT_THROW(points.third_moment(Vector::Zero(3), q.w, 1, 0.1), Error);
  EXPECT_THROW(points.third_moment(q.centre, q.w, INFINITY, 0.1), Error);
  GaussianMixture bad = q.mixture;
  bad.means(1, 1) = std::nan("");
  EXPECT_THROW(points.expectation(bad, q.clip, 0.1), Error);
  bad = q.mixture;
  bad.variance = 0;
  EXPECT_THROW(points.expectation(bad, q.clip, 0.1), Error);
  EXPECT_TRUE(paid.run.certify().releases.empty());
  const SensitivePoints pipe(
      std::make_unique<MemorySource>(random_matrix(5, 4, 61), false, MemorySource::Knows::nothing));
  EXPECT_THROW(public_shape(pipe), Error);
}

// A file of which a record is overwritten after so many passes.
class SpoiltSource final : public PointSource {
 public:
  SpoiltSource(RowMatrix rows, int good_passes) : rows_(std::move(rows)), left_(good_passes) {}
  Index dim() const override { return rows_.cols(); }
  std::string name() const override { return "spoilt"; }
  bool can_rewind() const override { return true; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, rows_.rows() - next_);
    if (rows > 0 && left_ == 0) throw Error("'HIV-positive' is not a number", "spoilt:8");
    block.is_sparse = false;
    block.dense = rows_.middleRows(next_, rows);
    next_ += rows;
    return rows;
  }
  void restart() override {
    next_ = 0;
    --left_;
  }

 private:
  RowMatrix rows_;
  int left_;
  Index next_ = 0;
};

TEST(PrivatePoints, what_is_said_of_a_record_that_goes_bad_between_passes_is_true) {
  const Question q;
  const auto message = [&](int good_passes, const RecordNorm& norm) -> std::string {
    PrivateRun run(point_statement(20, 4, norm, kPointTarget.delta), NoiseKey::from_system());
    try {
      CountedPoints counted(
          SensitivePoints(std::make_unique<SpoiltSource>(random_matrix(20, 4, 63), good_passes)),
          norm);
      PrivatePoints points(std::move(counted), kPointTarget, run);
      points.mean(0.1);
      points.third_moment(q.centre, q.w, q.reach, 0.1);
    } catch (const Error& error) {
      return fmt::format("{}: {}", run.certify().releases.size(), error.what());
    }
    return "";
  };
  const std::string unquoted =
      "spoilt: has a record that cannot be read in this format; what is wrong with it is not shown "
      "in a private run, and ";
  const std::string spent = "what this run released before is spent";
  const RecordNorm range = NormRange{0.01, 100};
  EXPECT_EQ(message(0, 1.0), "0: " + unquoted + "nothing was released by this run");
  EXPECT_EQ(message(1, 1.0), "1: " + unquoted + spent);    // the mean
  EXPECT_EQ(message(1, range), "1: " + unquoted + spent);  // the bound
  EXPECT_EQ(message(2, range), "2: " + unquoted + spent);
  EXPECT_EQ(message(9, range), "");
}

}  // namespace
}  // namespace sotto
