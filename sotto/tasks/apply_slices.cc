#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/decompose/cp_source.h"
#include "sotto/decompose/hals.h"
#include "sotto/decompose/tucker_products.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tasks/apply_kinds.h"
#include "sotto/tasks/decompose.h"
#include "sotto/tasks/input.h"
#include "sotto/tensor/mode_product.h"

namespace sotto {
namespace {

// X = sum_r w_r a_r o b_r o ..: the factors beside the first mode, weights within the last.
struct SavedCp {
  std::vector<Index> dims;  // of the training tensor
  std::vector<Matrix> others;
  bool non_negative = false, missing = false;
};

// A symmetric decomposition has one factor, for all modes.
SavedCp saved_cp(const ResultFolder& folder) {
  SavedCp model;
  const Vector dims = folder.numbers("input/dims"), weights = folder.numbers("weights");
  folder.require_together(dims.size() >= 3 && weights.size() >= 1);
  const bool symmetric = folder.lists("vectors.npy");
  for (Index m = 0; m < dims.size(); ++m) {
    Matrix factor = folder.matrix(symmetric ? "vectors.npy" : fmt::format("factors_{}.npy", m));
    folder.require_together(double(factor.rows()) == dims[m] && factor.cols() == weights.size());
    model.dims.push_back(factor.rows());
    if (m > 0) model.others.push_back(std::move(factor));
  }
  model.others.back() *= weights.asDiagonal();
  model.non_negative = folder.flag("non-negative");
  model.missing = folder.flag("missing") || folder.has_text("mask");
  return model;
}

// A list of entries may name fewer rows than the model has.
AnyTensor over_rows(AnyTensor data, std::vector<Index> dims, const std::string& path) {
  const std::vector<Index> found = dims_of(data);
  dims[0] = found[0];
  const auto* listed = std::get_if<SparseTensor>(&data);
  bool fits = found.size() == dims.size();
  for (std::size_t m = 1; fits && m < dims.size(); ++m) {
    fits = listed != nullptr ? found[m] <= dims[m] : found[m] == dims[m];
  }
  SOTTO_REQUIRE_AT(fits, path, "is {}, which is not slices of the {} of the model",
                   shape_text(found), shape_text(std::vector<Index>(dims.begin() + 1, dims.end())));
  if (listed == nullptr || found == dims) return data;
  return SparseTensor(std::move(dims), {listed->indices().begin(), listed->indices().end()},
                      {listed->values().begin(), listed->values().end()}, Duplicates::refuse);
}

// Rounds of coordinate descent, until nothing moves.
template <class Round>
Matrix until_still(Matrix loadings, Round round) {
  constexpr int kMostRounds = 2000;
  constexpr double kStill = 1e-14;
  for (int n = 0; n < kMostRounds; ++n) {
    const Matrix next = round(loadings);
    const double moved = (next - loadings).cwiseAbs().maxCoeff();
    loadings = next;
    if (moved <= kStill * (1 + loadings.cwiseAbs().maxCoeff())) break;
  }
  return loadings;
}

Matrix non_negative_loadings(CpProblem& problem, const Matrix& start) {
  double ignored = 0;
  return until_still(start, [&](const Matrix& loadings) {
    return problem.solve(0, loadings, Sign::non_negative, ignored);
  });
}

// The new slices, over the rows of a tensor of these dimensions.
AnyTensor read_slices(const ResultFolder& folder, const std::string& path, const ApplyTask& task,
                      const std::vector<Index>& dims, bool missing) {
  return over_rows(tensor_input(path, format_named<TensorFormat>(task), /*is_private=*/false,
                                {missing, folder.flag("sum-repeated"), task.index_base})
                       .open(),
                   dims, path);
}

ApplyResult loadings_of(RowMatrix rows, std::string what) {
  ApplyResult result;
  result.model.what = std::move(what);
  result.input = "slices";
  result.records = rows.rows();
  result.rows_are = "loadings";
  result.rows = std::move(rows);
  return result;
}

ApplyResult apply_cp(const ResultFolder& folder, const std::string& path, const ApplyTask& task) {
  const SavedCp model = saved_cp(folder);
  const AnyTensor slices = read_slices(folder, path, task, model.dims, model.missing);
  const Index records = dims_of(slices)[0], k = model.others[0].cols();
  CpSource source(slices, model.missing);
  CpProblem& problem = source.problem();
  // That of the first mode is what is sought; its place must be filled.
  const Matrix start = Matrix::Zero(records, k);
  problem.place(0, start);
  for (std::size_t m = 0; m < model.others.size(); ++m) {
    problem.place(static_cast<Index>(m) + 1, model.others[m]);
  }
  double ignored = 0;
  return loadings_of(model.non_negative ? non_negative_loadings(problem, start)
                                        : problem.solve(0, start, Sign::any, ignored),
                     fmt::format("{} components of a tensor", k));
}

// ---- Tucker ----

// The least squares of X_(0) = A G_(0) (U_1 (x) U_2 ..)^T for A, by its normal equations.
ApplyResult apply_tucker(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task) {
  SOTTO_REQUIRE_AT(!folder.flag("missing") && !folder.has_text("mask"), folder.path(),
                   "is a Tucker model of a tensor with missing entries, which cannot be applied to "
                   "new slices; a model of `method` cp can");
  const DenseTensor core = folder.tensor("core.npy");
  const Vector dims = folder.numbers("input/dims");
  folder.require_together(dims.size() == core.order());
  std::vector<Matrix> factors, grams;
  std::vector<Index> rows;
  for (Index m = 0; m < core.order(); ++m) {
    factors.push_back(folder.matrix(fmt::format("factors_{}.npy", m)));
    folder.require_together(double(factors.back().rows()) == dims[m] &&
                            factors.back().cols() == core.dims()[m]);
    rows.push_back(factors.back().rows());
    grams.push_back(multiply_transposed(factors.back(), factors.back()));
  }
  const AnyTensor slices = read_slices(folder, path, task, rows, /*missing=*/false);
  std::optional<FibreCache> fibres;
  std::unique_ptr<TuckerProducts> products;
  if (const auto* listed = std::get_if<SparseTensor>(&slices)) {
    products = std::make_unique<SparseTuckerProducts>(fibres.emplace(*listed));
  } else {
    products = std::make_unique<DenseTuckerProducts>(std::get<DenseTensor>(slices));
  }
  for (Index m = 0; m < core.order(); ++m) products->place(m, factors[m]);
  const Matrix open = unfolding(core, 0);
  const Matrix right = products->contracted(0) * open.transpose();
  const Matrix normal = Matrix(unfolding(mode_products(core, grams, 0), 0)) * open.transpose();
  RowMatrix loadings = solve_semidefinite(normal, right.transpose()).transpose();
  if (folder.flag("non-negative")) {
    loadings = until_still(loadings.cwiseMax(0.0),
                           [&](const Matrix& found) { return hals(right, normal, found); });
  }
  return loadings_of(std::move(loadings),
                     fmt::format("a Tucker core of {}", shape_text(core.dims())));
}

}  // namespace

ApplyResult apply_slices(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task) {
  const auto method = folder.named<TensorMethod>("options/method");
  SOTTO_REQUIRE_AT(
      method != TensorMethod::eigenpairs, folder.path(),
      "is a result of `method` eigenpairs, which is not a decomposition of the tensor");
  return method == TensorMethod::tucker ? apply_tucker(folder, path, task)
                                        : apply_cp(folder, path, task);
}

}  // namespace sotto
