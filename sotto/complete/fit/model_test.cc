#include "sotto/complete/fit/model.h"

#include <gtest/gtest.h>

#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/fit/testing/small_problem.h"
#include "sotto/complete/kernels/cp_entry.h"
#include "sotto/complete/kernels/tucker_entry.h"

namespace sotto {
namespace {

const std::vector<std::vector<Index>> shapes = {
    {4, 3, 5}, {3, 4, 2, 3}, {2, 3, 2, 2, 3}, {6, 5, 1}};

TEST(CompletionModel, predicts_what_its_definition_says) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    for (const auto& dims : shapes) {
      for (const Index rank : {1, 3, 5}) {
        const CompletionModel model = random_model(kind, rank, dims, 3);
        const ObservedEntries entries = random_entries(dims, 0.8, 4);
        const std::vector<double> all = model.predict(entries);
        for (Index e = 0; e < entries.size(); ++e) {
          const double low_rank = naive_low_rank(model, entries, e);
          EXPECT_NEAR(model.low_rank(entries, e), low_rank, 1e-12);
          const double expected = low_rank + model.biases.predict(entries, e);
          EXPECT_NEAR(model.predict(entries, e), expected, 1e-12);
          EXPECT_EQ(all[static_cast<std::size_t>(e)], model.predict(entries, e));
        }
      }
    }
  }
}

TEST(CompletionModel, unknown_rows_leave_the_known_biases_or_the_mean) {
  CompletionModel model = random_model(LowRank::cp, 2, {3, 3, 3}, 1);
  ObservedEntries entries({3, 3, 3});
  entries.append(std::vector<std::int32_t>{1, kUnknownRow, 2}, 0);
  const double known = 0.3 + model.biases.rows[0][1] + model.biases.rows[2][2];
  EXPECT_DOUBLE_EQ(model.predict(entries, 0), known);
  EXPECT_DOUBLE_EQ(model.predict(entries)[0], known);
  model.unknown_value = 7;
  EXPECT_EQ(model.predict(entries, 0), 7);
  model.range = {1, 5};
  EXPECT_EQ(model.predict(entries, 0), 5);
}

// d x^ / d parameter by central differences, which are exact for a function linear in it.
double slope_of(double& parameter, const CompletionModel& moved, const ObservedEntries& entries) {
  const double before = parameter;
  parameter = before + 1;
  const double above = naive_low_rank(moved, entries, 0);
  parameter = before - 1;
  const double below = naive_low_rank(moved, entries, 0);
  parameter = before;
  return (above - below) / 2;
}

template <int O, int S>
void check_slopes(LowRank kind, const std::vector<Index>& dims, Index rank) {
  CompletionModel model = random_model(kind, rank, dims, 9);
  ASSERT_EQ(model.stride(), S);
  const ObservedEntries entries = random_entries(dims, 0.9, 2);
  std::array<const double*, O> rows;
  for (std::size_t m = 0; m < O; ++m) {
    rows[m] = model.factors[m].data() + model.stride() * entries.index[m][0];
  }
  std::array<Pack<S>, O> slope;
  TuckerEntry<O, S> tucker(rank);
  if (kind == LowRank::cp) {
    slope = CpEntry<O, S>(rows).slope;
  } else {
    EXPECT_NEAR(tucker.predict(rows, model.core.data()), naive_low_rank(model, entries, 0), 1e-12);
    tucker.slopes(rows, model.core.data(), slope);
  }
  for (std::size_t m = 0; m < O; ++m) {
    double found[S];
    slope[m].store(found);
    for (Index r = 0; r < S; ++r) {
      double& x = model.factors[m](entries.index[m][0], r);
      const double expected = r < rank ? slope_of(x, model, entries) : 0;
      EXPECT_NEAR(found[r], expected, 1e-11) << "mode " << m << " place " << r;
    }
  }
  if (kind == LowRank::cp) return;
  FactorRows moved = model.core;
  tucker.step_core(rows, 0.5, 2, moved.data());
  for (Index q = 0; q < moved.rows(); ++q) {
    for (Index r = 0; r < rank; ++r) {
      const double expected = slope_of(model.core(q, r), model, entries);
      EXPECT_NEAR(moved(q, r), 0.5 * model.core(q, r) + 2 * expected, 1e-11);
    }
    for (Index r = rank; r < S; ++r) EXPECT_EQ(moved(q, r), 0);
  }
}

TEST(CompletionModel, slopes_of_an_entry_are_the_derivatives) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    check_slopes<3, 8>(kind, {4, 3, 5}, 5);
    check_slopes<4, 8>(kind, {3, 4, 2, 3}, 5);
    check_slopes<5, 4>(kind, {2, 3, 2, 2, 3}, 3);
  }
  check_slopes<5, 8>(LowRank::cp, {2, 3, 2, 2, 3}, 6);  // a core would have 6^5 numbers
}

TEST(CompletionModel, refuses_impossible_shapes) {
  Start start;
  start.centre = {0, 0, 0};
  EXPECT_THROW(start_model(LowRank::cp, 0, {3, 3, 3}, start), Error);
  EXPECT_THROW(start_model(LowRank::cp, 65, {3, 3, 3}, start), Error);
  start.centre.assign(5, 0);
  EXPECT_THROW(start_model(LowRank::tucker, 17, {3, 3, 3, 3, 3}, start), Error);
}

TEST(Biases, satisfy_their_normal_equations) {
  const ObservedEntries entries = random_entries({9, 8, 4}, 0.5, 7);
  const std::vector<double> shrink = {3, 2, 10};
  const Biases biases = fit_biases(entries, shrink, 300);
  for (Index m = 0; m < 3; ++m) {
    Vector left = -shrink[static_cast<std::size_t>(m)] * biases.rows[static_cast<std::size_t>(m)];
    for (Index e = 0; e < entries.size(); ++e) {
      left[entries.row(m, e)] += entries.at(e) - biases.predict(entries, e);
    }
    EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(BiScaling, restores_values_and_standardises_full_slices) {
  ObservedEntries entries({30, 25, 2});
  SeededRandom random(3);
  Matrix line = Matrix::NullaryExpr(30, 4, [&] { return random.normal(); });
  for (std::int32_t i = 0; i < 30; ++i) {
    for (std::int32_t j = 0; j < 25; ++j) {
      for (std::int32_t k = 0; k < 2; ++k) {
        const double scale = std::exp(0.5 * line(i, 0) + 0.3 * line(j, 1));
        const std::int32_t rows[] = {i, j, k};
        entries.append(rows, 5 + 2 * line(i, 2) - line(j, 3) + scale * random.normal());
      }
    }
  }
  const BiScaling scaling(entries);
  const ObservedEntries scaled = scaling.scaled(entries);
  for (Index e = 0; e < entries.size(); ++e) {
    EXPECT_NEAR(scaling.restore(entries, e, scaled.at(e)), entries.at(e), 1e-11);
  }
  for (Index mode = 0; mode < 2; ++mode) {
    const Index lines = entries.dims[static_cast<std::size_t>(mode)];
    Matrix mean = Matrix::Zero(lines, 2), square = mean;
    for (Index e = 0; e < entries.size(); ++e) {
      mean(entries.row(mode, e), entries.row(2, e)) += scaled.at(e);
      square(entries.row(mode, e), entries.row(2, e)) += scaled.at(e) * scaled.at(e);
    }
    const auto across = static_cast<double>(entries.size() / (2 * lines));
    EXPECT_LT(mean.cwiseAbs().maxCoeff() / across, 1e-3);
    EXPECT_NEAR(square.minCoeff() / across, 1, 1e-3);
    EXPECT_NEAR(square.maxCoeff() / across, 1, 1e-3);
  }
  const BiScaling stored(scaling.numbers());
  for (Index e = 0; e < entries.size(); ++e) {
    EXPECT_EQ(stored.restore(entries, e, 0.7), scaling.restore(entries, e, 0.7));
  }
  ObservedEntries elsewhere({30, 25, 2});
  elsewhere.append(std::vector<std::int32_t>{kUnknownRow, kUnknownRow, 1}, 0);
  EXPECT_NEAR(scaling.restore(elsewhere, 0, 0), 5, 0.6);  // the mean of all values
}

TEST(Scores, are_those_computed_by_hand) {
  ObservedEntries test({2, 3, 1});
  test.append(std::vector<std::int32_t>{0, 0, 0}, 5);
  test.append(std::vector<std::int32_t>{0, 1, 0}, 3);
  test.append(std::vector<std::int32_t>{0, 2, 0}, 1);
  test.append(std::vector<std::int32_t>{1, kUnknownRow, 0}, 4);
  const std::vector<double> predicted = {2, 3, 1.5, 4};
  const CompletionScores found = score(test, predicted, 1, 5);
  EXPECT_DOUBLE_EQ(found.rmse, std::sqrt((9 + 0.25) / 4));
  EXPECT_DOUBLE_EQ(found.mae, 3.5 / 4);
  EXPECT_EQ(found.unknown, 1);
  // The predicted order is 3, 5, 1 with gains 2, 4, 0. The second user has one entry and does not
  // count.
  const double expected = (2 + 4 / std::log2(3.0)) / (4 + 2 / std::log2(3.0));
  EXPECT_DOUBLE_EQ(found.ndcg10.value(), expected);
  EXPECT_DOUBLE_EQ(found.precision10.value(), 1.0 / 3);  // 5 is good, 3 and 1 are not
  EXPECT_THROW(score(ObservedEntries({1, 1, 1}), {}, 0, 1), Error);
  EXPECT_FALSE(
      score(test.select(std::vector<std::int32_t>{3}), std::vector<double>{1}, 0, 1).ndcg10);
}

TEST(Scores, ten_places_count) {
  ObservedEntries test({1, 12, 1});
  std::vector<double> predicted;
  for (std::int32_t j = 0; j < 12; ++j) {
    test.append(std::vector<std::int32_t>{0, j, 0}, j == 11 ? 1 : 0);
    predicted.push_back(-j);
  }
  EXPECT_EQ(score(test, predicted, 0, 1).ndcg10.value(), 0);
  EXPECT_EQ(score(test, predicted, 0, 1).precision10.value(), 0);
}

}  // namespace
}  // namespace sotto
