#include "sotto/synthetic/points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/moments/stream_oracle.h"

namespace sotto {
namespace {

RowMatrix all_points(const PointModel& model, Index step) {
  SyntheticPoints source(model);
  RowMatrix all(0, model.dim);
  PointBlock block;
  while (const Index rows = source.read(step, block)) {
    all.conservativeResize(all.rows() + rows, model.dim);
    all.bottomRows(rows) = block.dense;
  }
  return all;
}

TEST(SyntheticPoints, do_not_depend_on_blocks_and_threads) {
  PointModel model;
  model.records = 1000;
  const RowMatrix one = on_threads(1, [&] { return all_points(model, 1000); });
  EXPECT_EQ(on_threads(3, [&] { return all_points(model, 7); }), one);
  EXPECT_EQ(one.rows(), 1000);
  model.seed = 1;
  EXPECT_NE(all_points(model, 1000), one);
}

TEST(SyntheticPoints, have_the_components_and_weights_they_claim) {
  PointModel model;
  model.records = 30000;
  model.noise = 0;
  model.weights = {5, 3, 2};
  const SyntheticPoints source(model);
  EXPECT_LE((source.vectors().transpose() * source.vectors() - Matrix::Identity(3, 3)).norm(),
            1e-14);
  // Without noise a record is one of the vectors, and the shares are the weights.
  const Matrix overlaps = all_points(model, 4096) * source.vectors();
  for (Index i = 0; i < overlaps.rows(); ++i) {
    EXPECT_NEAR(overlaps.row(i).maxCoeff(), 1, 1e-14);
    EXPECT_NEAR(overlaps.row(i).norm(), 1, 1e-14);
  }
  const Vector shares = overlaps.colwise().mean();
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(shares[j], source.weights()[j], 0.012);  // 4 sigma
}

TEST(SyntheticPoints, keep_within_the_norm) {
  PointModel model;
  model.records = 5000;
  model.noise = 2;
  model.max_norm = 0.7;
  const RowMatrix x = all_points(model, 512);
  EXPECT_LE(x.rowwise().norm().maxCoeff(), 0.7);
  EXPECT_GE(x.rowwise().norm().maxCoeff(), 0.7 * (1 - 1e-12));
}

// The tensor that the header states, contracted with u: sum w v (v.u)^2, and for records that are
// not centred also (noise^2/d) (m |u|^2 + 2 u (m.u)).
Matrix stated_moment(const SyntheticPoints& points, const PointModel& model, const Matrix& u) {
  const Matrix overlaps = points.vectors().transpose() * u;
  Matrix y = points.vectors() * points.weights().asDiagonal() * overlaps.array().square().matrix();
  if (model.centred) return y;
  const Vector mean = points.vectors() * points.weights();
  const double trace = model.noise * model.noise / static_cast<double>(model.dim);
  for (Index l = 0; l < u.cols(); ++l) {
    y.col(l) += trace * (mean * u.col(l).squaredNorm() + 2 * u.col(l) * mean.dot(u.col(l)));
  }
  return y;
}

TEST(SyntheticPoints, have_the_third_moment_they_state) {
  for (const bool centred : {false, true}) {
    PointModel model;
    model.dim = 10;
    model.records = 2000000;
    model.noise = 1.5;
    model.centred = centred;
    auto source = std::make_unique<SyntheticPoints>(model);
    SeededRandom random(3);
    const Matrix u = random_unit_block(10, 4, random);
    const Matrix expected = stated_moment(*source, model, u);
    PointModel other = model;  // what it would be with the trace of the noise left out, or put in
    other.centred = !centred;
    const Matrix wrong = stated_moment(*source, other, u);
    StreamOracle oracle(std::move(source), {1, model.records, 1});
    const Matrix found = oracle.contract(u);
    EXPECT_LE((found - expected).norm(), 0.01);
    EXPECT_GE((found - wrong).norm(), 0.2);
  }
}

TEST(SyntheticPoints, mixtures_have_the_means_variance_and_separation_they_claim) {
  PointModel model;
  model.model = PointKind::mixture;
  model.dim = 6;
  model.components = 3;
  model.records = 200000;
  model.separation = 40;
  const SyntheticPoints source(model);
  const double s = model.deviation();
  EXPECT_NEAR(s, 0.5 / std::sqrt(6.0), 1e-15);
  double nearest = 1e300;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < i; ++j) {
      nearest = std::min(nearest, (source.vectors().col(i) - source.vectors().col(j)).norm());
    }
  }
  EXPECT_NEAR(nearest, 40 * s, 1e-12);
  // The means are so far apart that the nearest one is that of a point's own component.
  const RowMatrix x = all_points(model, 4096);
  Matrix sums = Matrix::Zero(6, 3);
  Vector counts = Vector::Zero(3);
  double scatter = 0;
  for (Index n = 0; n < x.rows(); ++n) {
    Index h = 0;
    scatter +=
        (source.vectors().colwise() - x.row(n).transpose()).colwise().squaredNorm().minCoeff(&h);
    sums.col(h) += x.row(n).transpose();
    counts[h] += 1;
  }
  EXPECT_NEAR(scatter / (200000.0 * 6) / (s * s), 1, 0.006);
  for (Index h = 0; h < 3; ++h) {
    EXPECT_LE((sums.col(h) / counts[h] - source.vectors().col(h)).norm(), 0.01 * s * 6);
    EXPECT_NEAR(counts[h] / 200000, source.weights()[h], 0.005);
  }
}

TEST(SyntheticPoints, refuse_models_that_make_no_sense) {
  const auto refused = [](auto change) {
    PointModel model;
    change(model);
    EXPECT_THROW(SyntheticPoints{model}, Error);
  };
  refused([](PointModel& m) { m.components = 51; });
  refused([](PointModel& m) {
    m.model = PointKind::mixture;
    m.centred = true;
  });
  refused([](PointModel& m) {
    m.model = PointKind::mixture;
    m.noise = 0;
  });
  refused([](PointModel& m) { m.weights = {1, 2}; });
  refused([](PointModel& m) { m.weights = {1, 2, 0}; });
}

}  // namespace
}  // namespace sotto
