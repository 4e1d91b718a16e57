#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sotto/models/people_factors.h"
#include "sotto/tasks/apply_kinds.h"
#include "sotto/tasks/input.h"

namespace sotto {
namespace {

PeopleModel saved_people(const ResultFolder& folder) {
  const Vector dims = folder.numbers("input/dims");
  PeopleModel model;
  model.weights = folder.weights();
  folder.require_together(dims.size() >= 2 && model.weights.minCoeff() >= 0 &&
                          model.weights.sum() > 0);
  for (Index m = 0; m < dims.size(); ++m) {
    model.factors.push_back(folder.matrix(fmt::format("factors_{}.npy", m + 1)));
    const Matrix& factor = model.factors.back();
    folder.require_together(double(factor.rows()) == dims[m] &&
                            factor.cols() == model.weights.size());
  }
  return model;
}

PeopleOptions saved_people_options(const ResultFolder& folder, const PeopleModel& model) {
  PeopleOptions options;
  options.values = folder.named<PeopleValues>("options/values");
  if (options.values == PeopleValues::real) return options;
  options.alpha0 = folder.number("options/alpha0");
  folder.require(options.alpha0 > 0, "has no number options/alpha0 above 0");
  for (const Matrix& factor : model.factors) folder.require_together(factor.minCoeff() >= 0);
  return options;
}

// The slices over the rows of the model. A file may name fewer: the shape of a list of entries is
// that of the rows that occur.
SparseTensor slices_over(AnyTensor data, const PeopleModel& model, const std::string& path) {
  const bool listed = std::holds_alternative<SparseTensor>(data);
  const SparseTensor tensor = listed ? std::get<SparseTensor>(std::move(data))
                                     : SparseTensor::from_dense(std::get<DenseTensor>(data));
  std::vector<Index> dims{tensor.dims()[0]};
  for (const Matrix& factor : model.factors) dims.push_back(factor.rows());
  bool fits = tensor.dims().size() == dims.size();
  for (std::size_t m = 1; fits && m < dims.size(); ++m) {
    fits = listed ? tensor.dims()[m] <= dims[m] : tensor.dims()[m] == dims[m];
  }
  SOTTO_REQUIRE_AT(fits, path, "is {}, which is not people by the {} of the model",
                   shape_text(tensor.dims()),
                   shape_text(std::vector<Index>(dims.begin() + 1, dims.end())));
  return {std::move(dims),
          {tensor.indices().begin(), tensor.indices().end()},
          {tensor.values().begin(), tensor.values().end()},
          Duplicates::refuse};
}

}  // namespace

ApplyResult apply_people(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task) {
  const PeopleModel model = saved_people(folder);
  const PeopleOptions options = saved_people_options(folder, model);
  const SparseTensor people =
      slices_over(tensor_input(path, format_named<TensorFormat>(task), /*is_private=*/false,
                               {.index_base = task.index_base})
                      .open(),
                  model, path);
  ApplyResult result;
  result.model.what = fmt::format("{} components of a tensor of people", model.weights.size());
  result.input = "people";
  result.records = people.dims()[0];
  result.rows_are = "loadings";
  result.rows = at_place(path, [&] { return person_loadings(people, model, options); });
  return result;
}

}  // namespace sotto
