#include "sotto/complete/fit/fold_in.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Bias and factors of the rows of a mode.
Matrix learnt_rows(const CompletionModel& model, Index mode) {
  const auto m = static_cast<std::size_t>(mode);
  Matrix rows(model.factors[m].rows(), model.rank + 1);
  rows.col(0) = model.biases.rows[m];
  rows.rightCols(model.rank) = model.factor(mode);
  return rows;
}

}  // namespace

FoldIn::FoldIn(const CompletionModel& model, double error_variance)
    : model_(model), probe_(model), error_variance_(error_variance) {
  SOTTO_REQUIRE(!model.scaling,
                "the model scales slices by what it was learnt from: it cannot place a row that "
                "was not there");
  SOTTO_REQUIRE(error_variance > 0, "an error variance above 0 is needed, got {}", error_variance);
  Matrix rows = learnt_rows(model, 0);
  mean_ = rows.colwise().mean();
  rows.rowwise() -= mean_.transpose();
  const Eigenpairs spread =
      ascending_eigenpairs(multiply_transposed(rows, rows) / double(rows.rows()));
  root_ = with_spectrum(spread.vectors, spread.values.cwiseMax(0.0).cwiseSqrt());
  probe_.factors[0] = FactorRows::Identity(model.rank, model.stride());
}

Vector FoldIn::row(const ObservedEntries& own) const {
  const Index rank = model_.rank;
  Matrix gram = Matrix::Identity(rank + 1, rank + 1) * error_variance_;
  Vector right = Vector::Zero(rank + 1), z(rank + 1);
  ObservedEntries one = own;
  for (Index e = 0; e < own.size(); ++e) {
    double y = own.at(e);
    if (model_.range) y = std::clamp(y, model_.range->first, model_.range->second);
    bool known = true;
    y -= model_.biases.mean;
    for (Index m = 1; m < model_.order() && known; ++m) {
      known = own.row(m, e) != kUnknownRow;
      if (known) y -= model_.biases.rows[static_cast<std::size_t>(m)][own.row(m, e)];
    }
    if (!known) continue;
    z[0] = 1;
    for (Index r = 0; r < rank; ++r) {
      one.index[0][static_cast<std::size_t>(e)] = static_cast<std::int32_t>(r);
      z[r + 1] = probe_.low_rank(one, e);
    }
    const Vector w = root_ * z;
    gram.selfadjointView<Eigen::Lower>().rankUpdate(w);
    right += (y - z.dot(mean_)) * w;
  }
  return mean_ + root_ * solve_positive_definite(gram, right);
}

CompletionModel with_rows(CompletionModel model, Index mode, const std::vector<Vector>& rows) {
  FactorRows& factor = model.factors[static_cast<std::size_t>(mode)];
  Vector& biases = model.biases.rows[static_cast<std::size_t>(mode)];
  const Index before = factor.rows(), added = std::ssize(rows);
  factor.conservativeResize(before + added, Eigen::NoChange);
  factor.bottomRows(added).setZero();
  biases.conservativeResize(before + added);
  for (Index n = 0; n < added; ++n) {
    const Vector& row = rows[static_cast<std::size_t>(n)];
    biases[before + n] = row[0];
    factor.row(before + n).head(model.rank) = row.tail(model.rank);
  }
  return model;
}

Vector mean_row(const CompletionModel& model, Index mode) {
  return learnt_rows(model, mode).colwise().mean();
}

}  // namespace sotto
