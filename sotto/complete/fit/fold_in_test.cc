#include "sotto/complete/fit/fold_in.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/fit/testing/small_problem.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

const std::vector<Index> kFoldInDims{30, 8, 4};
constexpr double kFoldInVariance = 0.3;

// Entries of one new user: the row of the first mode is not looked at.
ObservedEntries own_entries(std::uint64_t seed) {
  ObservedEntries own = random_entries({1, 8, 4}, 0.3, seed);
  own.dims = kFoldInDims;
  return own;
}

// What the row multiplies, by the definition of the model.
Vector slopes(const CompletionModel& model, const ObservedEntries& own, Index entry) {
  Vector z(model.rank + 1);
  z[0] = 1;
  CompletionModel unit = model;
  for (Index r = 0; r < model.rank; ++r) {
    unit.factors[0].setZero();
    unit.factors[0](0, r) = 1;
    z[r + 1] = naive_low_rank(unit, own, entry);
  }
  return z;
}

TEST(FoldIn, minimises_what_it_says) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    const CompletionModel model = random_model(kind, 3, kFoldInDims, 5);
    const ObservedEntries own = own_entries(6);
    Matrix rows(30, 4);
    rows << model.biases.rows[0], model.factor(0);
    const Vector mean = rows.colwise().mean();
    const Matrix centred = rows.rowwise() - mean.transpose();
    const Matrix precision = pseudo_inverse(centred.transpose() * centred / 30);
    Matrix normal = precision;
    Vector right = precision * mean;
    for (Index e = 0; e < own.size(); ++e) {
      const Vector z = slopes(model, own, e);
      const double others = model.biases.mean + model.biases.rows[1][own.row(1, e)] +
                            model.biases.rows[2][own.row(2, e)];
      normal += z * z.transpose() / kFoldInVariance;
      right += z * (own.at(e) - others) / kFoldInVariance;
    }
    const Vector expected = pseudo_inverse(normal) * right;
    EXPECT_LT((FoldIn(model, kFoldInVariance).row(own) - expected).norm(), 1e-10);
  }
}

TEST(FoldIn, a_user_without_entries_is_the_average_one) {
  const CompletionModel model = random_model(LowRank::cp, 3, kFoldInDims, 5);
  EXPECT_LT((FoldIn(model, 1).row(ObservedEntries(kFoldInDims)) - mean_row(model, 0)).norm(),
            1e-12);
}

TEST(FoldIn, many_exact_entries_give_back_the_row_of_a_user) {
  const CompletionModel model = random_model(LowRank::cp, 3, kFoldInDims, 7);
  ObservedEntries own(kFoldInDims);
  for (std::int32_t i = 0; i < 8; ++i) {
    for (std::int32_t t = 0; t < 4; ++t) own.append(std::vector<std::int32_t>{11, i, t}, 0);
  }
  own.value = model.predict(own);
  const Vector row = FoldIn(model, 1e-10).row(own);
  EXPECT_NEAR(row[0], model.biases.rows[0][11], 1e-6);
  EXPECT_LT((row.tail(3) - model.factor(0).row(11).transpose()).norm(), 1e-6);
  // And the prediction follows from the row.
  const CompletionModel more = with_rows(model, 0, {row});
  ObservedEntries place({31, 8, 4});
  place.append(std::vector<std::int32_t>{30, 2, 3}, 0);
  own.index[0].assign(own.value.size(), 11);
  EXPECT_NEAR(more.predict(place, 0), own.at(2 * 4 + 3), 1e-6);
}

TEST(FoldIn, the_mean_row_predicts_the_mean) {
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    const CompletionModel model = random_model(kind, 3, kFoldInDims, 5);
    const CompletionModel more = with_rows(model, 2, {mean_row(model, 2)});
    ObservedEntries places({30, 8, 5});
    for (const std::int32_t t : {0, 1, 2, 3, 4}) {
      places.append(std::vector<std::int32_t>{3, 1, t}, 0);
    }
    const std::vector<double> found = more.predict(places);
    EXPECT_NEAR(found[4], (found[0] + found[1] + found[2] + found[3]) / 4, 1e-12);
  }
}

TEST(FoldIn, refuses_scaled_slices) {
  CompletionModel model = random_model(LowRank::cp, 3, kFoldInDims, 5);
  model.scaling = std::make_shared<const BiScaling>(random_entries(kFoldInDims, 0.5, 1));
  EXPECT_THROW(FoldIn(model, 1), Error);
}

}  // namespace
}  // namespace sotto
