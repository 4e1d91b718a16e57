#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sotto/complete/fit/als.h"
#include "sotto/complete/fit/sgd.h"
#include "sotto/complete/fit/testing/small_problem.h"
#include "sotto/complete/kernels/blocks.h"
#include "sotto/complete/kernels/row_system.h"
#include "sotto/linalg/spectral.h"
#include "sotto/linalg/testing/threads.h"

namespace sotto {
namespace {

TEST(Blocks, blocks_of_a_stratum_share_no_row_and_strata_hold_every_entry_once) {
  for (const auto& dims : std::vector<std::vector<Index>>{{50, 40, 30}, {300, 200, 1}}) {
    const ObservedEntries entries = random_entries(dims, 0.6, 1);
    const BlockPlan plan(entries);
    EXPECT_GE(plan.parts(), 2);
    BlockedRecords<3> records(entries, plan);
    std::size_t seen = 0;
    for (Index s = 0; s < plan.strata(); ++s) {
      std::set<std::pair<int, std::int32_t>> taken;
      for (Index j = 0; j < plan.parts(); ++j) {
        std::set<std::pair<int, std::int32_t>> mine;
        for (const Record<3>& record : records.block(plan.block_in(s, j))) {
          for (int m = 0; m < 3; ++m) {
            if (dims[static_cast<std::size_t>(m)] > 1) mine.emplace(m, record.row[m]);
          }
          ++seen;
        }
        for (const auto& row : mine) EXPECT_TRUE(taken.insert(row).second);
      }
    }
    EXPECT_EQ(seen, entries.value.size());
  }
  EXPECT_EQ(BlockPlan(random_entries({20, 20, 20}, 0.1, 1)).blocks(), 1);
  EXPECT_EQ(BlockPlan(random_entries({200, 200, 3}, 0.5, 1)).parts(), 1);
}

TEST(Blocks, a_shuffle_is_a_permutation_that_moves_every_item_everywhere) {
  std::vector<std::vector<int>> count(5, std::vector<int>(5, 0));
  SeededRandom random(3);
  for (int n = 0; n < 20000; ++n) {
    std::vector<int> items = {0, 1, 2, 3, 4};
    shuffle(std::span(items), random);
    for (std::size_t at = 0; at < 5; ++at) ++count[at][static_cast<std::size_t>(items[at])];
  }
  for (const auto& row : count) {
    for (const int c : row) EXPECT_NEAR(c, 4000, 250);  // four deviations
  }
}

SgdSettings settings_for(std::size_t order) {
  SgdSettings settings;
  settings.step = 0.01;
  settings.lambda.assign(order, 0.3);
  settings.lambda[1] = 0.7;
  settings.centre.assign(order, 0);
  settings.centre.back() = 1;
  settings.core_lambda = 0.2;
  settings.core_centre = 1;
  settings.train_biases = true;
  settings.bias_shrink.assign(order, 0.5);
  settings.seed = 5;
  return settings;
}

// There is one entry, so that the order does not matter. The update is written out.
TEST(Sgd, one_update_is_the_gradient_step) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    const std::vector<Index> dims = {2, 3, 2};
    ObservedEntries entries(dims);
    entries.append(std::vector<std::int32_t>{1, 2, 0}, 2.5);
    const CompletionModel before = random_model(kind, 3, dims, 8);
    CompletionModel after = before;
    const SgdSettings s = settings_for(3);
    const double squared = make_sgd(entries, s, after)->epoch();
    const double error =
        2.5 - before.biases.predict(entries, 0) - naive_low_rank(before, entries, 0);
    EXPECT_NEAR(squared, error * error, 1e-12);
    for (std::size_t m = 0; m < 3; ++m) {
      const Index i = entries.index[m][0];
      for (Index r = 0; r < 3; ++r) {
        CompletionModel moved = before;
        moved.factors[m](i, r) += 1;
        const double slope = naive_low_rank(moved, entries, 0) - naive_low_rank(before, entries, 0);
        const double x = before.factors[m](i, r);
        EXPECT_NEAR(after.factors[m](i, r),
                    x + 2 * s.step * (error * slope - s.lambda[m] * (x - s.centre[m])), 1e-12);
      }
      const double b = before.biases.rows[m][i];
      EXPECT_NEAR(after.biases.rows[m][i], b + 2 * s.step * (error - 0.5 * b), 1e-12);
    }
    for (Index q = 0; kind == LowRank::tucker && q < 9; ++q) {
      for (Index r = 0; r < 3; ++r) {
        CompletionModel moved = before;
        moved.core(q, r) += 1;
        const double slope = naive_low_rank(moved, entries, 0) - naive_low_rank(before, entries, 0);
        const double g = before.core(q, r), centre = q == 4 * r ? 1 : 0;
        EXPECT_NEAR(after.core(q, r), g + 2 * s.step * (error * slope - 0.2 * (g - centre)), 1e-12);
      }
    }
  }
}

TEST(Sgd, penalties_count_once_a_row_or_once_an_entry) {
  const std::vector<Index> dims = {2, 3, 2};
  ObservedEntries entries(dims);
  entries.append(std::vector<std::int32_t>{0, 0, 0}, 0);
  entries.append(std::vector<std::int32_t>{0, 1, 1}, 0);
  // With every other mode 0 the prediction and its slopes are 0: only the penalty moves a row.
  CompletionModel start = random_model(LowRank::cp, 2, dims, 8);
  start.biases = Biases::constant(entries);
  start.factors[1].setZero();
  start.factors[2].setZero();
  SgdSettings s = settings_for(3);
  s.train_biases = false;
  s.centre.assign(3, 0);
  for (const bool once : {true, false}) {
    s.penalised = once ? Penalised::once_a_row : Penalised::once_an_entry;
    CompletionModel after = start;
    make_sgd(entries, s, after)->epoch();
    const double pull = 2 * s.step * s.lambda[0] * (once ? 0.5 : 1);
    EXPECT_NEAR(after.factors[0](0, 0), start.factors[0](0, 0) * (1 - pull) * (1 - pull), 1e-14);
  }
}

bool same(const CompletionModel& a, const CompletionModel& b) {
  return a.factors == b.factors && a.core == b.core && a.biases.rows == b.biases.rows;
}

// Runs `make` on one and on three threads.
template <class Make>
void expect_same_for_threads(LowRank kind, const ObservedEntries& entries, Make make) {
  const auto solve = [&] {
    CompletionModel model = random_model(kind, 3, entries.dims, 2);
    const auto solver = make(model);
    for (int n = 0; n < 3; ++n) solver->epoch();
    return model;
  };
  EXPECT_TRUE(same(on_threads(1, solve), on_threads(3, solve)));
}

TEST(Solvers, the_result_is_the_same_for_any_number_of_threads) {
  const ObservedEntries entries = random_entries({30, 25, 20}, 0.7, 6);
  EXPECT_GT(BlockPlan(entries).parts(), 1);
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    expect_same_for_threads(kind, entries, [&](CompletionModel& model) {
      return make_sgd(entries, settings_for(3), model);
    });
    expect_same_for_threads(kind, entries, [&](CompletionModel& model) {
      AlsSettings s{{{1, 1, 1}, {0, 0, 1}, 0.1, 1, true, {1, 1, 1}}, kind == LowRank::cp};
      return make_als(entries, s, model);
    });
  }
}

double objective(const ObservedEntries& entries, const AlsSettings& s,
                 const CompletionModel& model) {
  double sum = 0;
  for (Index e = 0; e < entries.size(); ++e) {
    const double error = entries.at(e) - model.predict(entries, e);
    sum += error * error;
  }
  for (std::size_t m = 0; m < s.lambda.size(); ++m) {
    if (model.holds(static_cast<Index>(m))) continue;
    const auto rows = model.factors[m].leftCols(model.rank);
    sum += s.lambda[m] * (rows.array() - s.centre[m]).square().sum();
    if (s.train_biases) sum += s.bias_shrink[m] * model.biases.rows[m].squaredNorm();
  }
  if (model.kind == LowRank::tucker) {
    FactorRows core = model.core;
    const Index step = superdiagonal_step(model.rank, model.order());
    for (Index r = 0; r < model.rank; ++r) core(r * step, r) -= s.core_centre;
    sum += s.core_lambda * core.squaredNorm();
  }
  return sum;
}

// A row with fewer entries than numbers has many solutions; for a row without entries everything is
// one.
TEST(Als, without_penalties_descends_and_stays_finite) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    const std::vector<Index> dims = {9, 8, 4};
    ObservedEntries entries = random_entries({8, 7, 4}, 0.15, 11);
    entries.dims = dims;  // the last user and the last item have no entries
    AlsSettings s;
    s.lambda.assign(3, 0);
    s.centre = {0.25, 0, 0.5};
    s.core_lambda = 0;
    s.train_biases = true;
    s.bias_shrink.assign(3, 0.6);
    CompletionModel model = random_model(kind, 3, dims, 4);
    const auto solver = make_als(entries, s, model);
    double before = objective(entries, s, model);
    for (int n = 0; n < 30; ++n) {
      EXPECT_TRUE(std::isfinite(solver->epoch()));
      const double now = objective(entries, s, model);
      EXPECT_LE(now, before * (1 + 1e-6));
      before = now;
    }
    for (const FactorRows& factor : model.factors) EXPECT_TRUE(factor.allFinite());
    EXPECT_TRUE(model.core.allFinite());
    EXPECT_EQ(model.factors[0].row(8).head(3), Eigen::RowVectorXd::Constant(3, 0.25));
    s.variational = true;
    EXPECT_THROW(make_als(entries, s, model), Error);
    s.variational = false;
    s.lambda[1] = -1;
    EXPECT_THROW(make_als(entries, s, model), Error);
  }
}

TEST(Als, descends_and_ends_where_no_coordinate_solved_last_improves) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    for (const auto& dims : std::vector<std::vector<Index>>{{6, 5, 4}, {7, 6, 1}, {4, 3, 3, 3}}) {
      const ObservedEntries entries = random_entries(dims, 0.7, 11);
      AlsSettings s;
      s.lambda.assign(dims.size(), 0.8);
      s.centre.assign(dims.size(), 0);
      s.centre.back() = 0.5;
      s.core_lambda = 0.4;
      s.core_centre = 0.3;
      s.train_biases = true;
      s.bias_shrink.assign(dims.size(), 0.6);
      CompletionModel model = random_model(kind, 2, dims, 4);
      const auto solver = make_als(entries, s, model);
      double before = objective(entries, s, model), error = 0;
      for (int n = 0; n < 30; ++n) {
        error = solver->epoch();
        const double now = objective(entries, s, model);
        EXPECT_LE(now, before * (1 + 1e-12));
        before = now;
      }
      double squared = 0;
      for (Index e = 0; e < entries.size(); ++e) {
        squared += std::pow(entries.at(e) - model.predict(entries, e), 2);
      }
      EXPECT_NEAR(error, squared, 1e-9 * squared);
      const auto expect_flat = [&](double& x) {
        const double kept = x, h = 1e-4;
        x = kept + h;
        const double above = objective(entries, s, model);
        x = kept - h;
        const double below = objective(entries, s, model);
        x = kept;
        EXPECT_NEAR((above - below) / (2 * h), 0, 1e-6);
      };
      const std::size_t last = dims.back() == 1 ? dims.size() - 2 : dims.size() - 1;
      for (Index i = 0; kind == LowRank::cp && i < dims[last]; ++i) {
        for (Index r = 0; r < 2; ++r) expect_flat(model.factors[last](i, r));
        expect_flat(model.biases.rows[last][i]);
      }
      for (Index q = 0; q < model.core.rows(); ++q) {
        for (Index r = 0; r < 2; ++r) expect_flat(model.core(q, r));
      }
    }
  }
}

// Eliminating the bias must not change the joint solution, nor the covariance of the row.
TEST(RowSystem, solves_row_and_bias_together) {
  SeededRandom random(2);
  RowSystem<4> system(3);
  Matrix joint = Matrix::Zero(4, 4);
  Vector right = Vector::Zero(4);
  for (int n = 0; n < 9; ++n) {
    Vector h = Vector::Zero(4);
    for (int r = 0; r < 3; ++r) h[r] = random.normal();
    const double t = random.normal();
    system.add(Pack<4>::load(h.data()), t);
    Vector with_one = h;
    with_one[3] = 1;
    joint += with_one * with_one.transpose();
    right += with_one * t;
  }
  joint.diagonal() += Eigen::Vector4d(0.7, 0.7, 0.7, 2);
  right.head(3).array() += 0.7 * 0.4;
  const RowSolution found = system.solve({0.7, 0.4, true, 2}, true);
  const Matrix inverse = pseudo_inverse(joint);
  const Vector expected = inverse * right;
  EXPECT_TRUE(found.row.isApprox(expected.head(3), 1e-12));
  EXPECT_NEAR(found.bias, expected[3], 1e-12);
  EXPECT_TRUE(found.covariance.isApprox(inverse.topLeftCorner(3, 3), 1e-11));
}

// The variational update of one mode by its definition, with full second moments.
TEST(Variational, one_mode_is_the_posterior_given_the_others) {
  const std::vector<Index> dims = {5, 4, 3};
  const ObservedEntries entries = random_entries(dims, 0.8, 3);
  AlsSettings s{{{0.9, 0.8, 0.7}, {0, 0, 1}, 1, 0, false, {}}, true};
  const CompletionModel start = random_model(LowRank::cp, 2, dims, 6);
  CompletionModel model = start;
  make_als(entries, s, model)->epoch();

  double noise = 0;
  for (Index e = 0; e < entries.size(); ++e) {
    noise += std::pow(entries.at(e) - start.biases.predict(entries, e), 2);
  }
  noise /= static_cast<double>(entries.size());
  std::vector<std::vector<Matrix>> second(3);
  std::vector<Matrix> mean(3);
  for (std::size_t m = 0; m < 3; ++m) {
    mean[m] = start.factors[m].leftCols(2);
    for (Index i = 0; i < dims[m]; ++i) {
      second[m].push_back(mean[m].row(i).transpose() * mean[m].row(i));
    }
  }
  for (std::size_t m = 0; m < 3; ++m) {
    for (Index i = 0; i < dims[m]; ++i) {
      Matrix precision = s.lambda[m] * Matrix::Identity(2, 2);
      Vector right = Vector::Constant(2, s.lambda[m] * s.centre[m]);
      for (Index e = 0; e < entries.size(); ++e) {
        if (entries.index[m][static_cast<std::size_t>(e)] != i) continue;
        Matrix moment = Matrix::Ones(2, 2);
        Vector h = Vector::Ones(2);
        for (std::size_t n = 0; n < 3; ++n) {
          if (n == m) continue;
          const auto r = static_cast<std::size_t>(entries.index[n][static_cast<std::size_t>(e)]);
          moment = moment.cwiseProduct(second[n][r]);
          h = h.cwiseProduct(mean[n].row(static_cast<Index>(r)).transpose());
        }
        precision += moment;
        right += h * (entries.at(e) - start.biases.predict(entries, e));
      }
      const Matrix inverse = pseudo_inverse(precision);
      mean[m].row(i) = (inverse * right).transpose();
      second[m][static_cast<std::size_t>(i)] =
          mean[m].row(i).transpose() * mean[m].row(i) + noise * inverse;
    }
    EXPECT_TRUE(model.factor(static_cast<Index>(m)).isApprox(mean[m], 1e-10)) << m;
  }
}

TEST(Solvers, refuse_settings_that_do_not_fit) {
  const ObservedEntries entries = random_entries({4, 4, 4}, 0.5, 3);
  CompletionModel cp = random_model(LowRank::cp, 2, entries.dims, 1);
  EXPECT_THROW(make_als(entries, {{{-1, 1, 1}, {0, 0, 0}}}, cp), Error);
  EXPECT_THROW(make_als(entries, {{{1, 1}, {0, 0}}}, cp), Error);
  CompletionModel tucker = random_model(LowRank::tucker, 11, entries.dims, 1);
  EXPECT_THROW(make_als(entries, {{{1, 1, 1}, {0, 0, 0}}}, tucker), Error);
  EXPECT_THROW(make_als(entries, {{{1, 1, 1}, {0, 0, 0}}, true}, tucker), Error);
}

}  // namespace
}  // namespace sotto
