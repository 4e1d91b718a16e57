#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sotto/decompose/cp_source.h"
#include "sotto/tasks/apply_kinds.h"
#include "sotto/tasks/decompose.h"
#include "sotto/tasks/input.h"

namespace sotto {
namespace {

// X = sum_r w_r a_r o b_r o ..: the factors beside the first mode, weights within the last.
struct SavedCp {
  std::vector<Index> dims;  // of the training tensor
  std::vector<Matrix> others;
  bool non_negative = false, missing = false;
};

SavedCp saved_cp(const ResultFolder& folder) {
  const auto method = folder.named<TensorMethod>("options/method");
  SOTTO_REQUIRE_AT(method == TensorMethod::cp, folder.path(),
                   "is a result of `method` {}; of decompositions, those of cp can be applied and "
                   "those of `unit` person",
                   name_of(method));
  SavedCp model;
  const Vector dims = folder.numbers("input/dims"), weights = folder.numbers("weights");
  folder.require_together(dims.size() >= 3 && weights.size() >= 1);
  for (Index m = 0; m < dims.size(); ++m) {
    Matrix factor = folder.matrix(fmt::format("factors_{}.npy", m));
    folder.require_together(double(factor.rows()) == dims[m] && factor.cols() == weights.size());
    model.dims.push_back(factor.rows());
    if (m > 0) model.others.push_back(std::move(factor));
  }
  model.others.back() *= weights.asDiagonal();
  model.non_negative = folder.flag("non-negative");
  model.missing = folder.flag("missing") || !folder.find("options/mask").empty();
  return model;
}

// A list of entries may name fewer rows than the model has.
AnyTensor over_rows(AnyTensor data, const SavedCp& model, const std::string& path) {
  std::vector<Index> dims = model.dims;
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

// Coordinate descent, until nothing moves.
Matrix non_negative_loadings(CpProblem& problem, Matrix loadings) {
  constexpr int kMostRounds = 2000;
  constexpr double kStill = 1e-14;
  double ignored = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const Matrix next = problem.solve(0, loadings, Sign::non_negative, ignored);
    const double moved = (next - loadings).cwiseAbs().maxCoeff();
    loadings = next;
    if (moved <= kStill * (1 + loadings.cwiseAbs().maxCoeff())) break;
  }
  return loadings;
}

}  // namespace

ApplyResult apply_cp(const ResultFolder& folder, const std::string& path, const ApplyTask& task) {
  const SavedCp model = saved_cp(folder);
  const AnyTensor slices =
      over_rows(tensor_input(path, format_named<TensorFormat>(task), /*is_private=*/false,
                             {model.missing, folder.flag("sum-repeated"), task.index_base})
                    .open(),
                model, path);
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
  ApplyResult result;
  result.model.what = fmt::format("{} components of a tensor", k);
  result.input = "slices";
  result.records = records;
  result.rows_are = "loadings";
  result.rows = model.non_negative ? non_negative_loadings(problem, start)
                                   : problem.solve(0, start, Sign::any, ignored);
  return result;
}

}  // namespace sotto
