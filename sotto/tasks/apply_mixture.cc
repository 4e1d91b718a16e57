#include <fmt/format.h>

#include <vector>

#include "sotto/io/read_points.h"
#include "sotto/moments/mixture_expectation.h"
#include "sotto/tasks/apply_kinds.h"

namespace sotto {
namespace {

GaussianMixture saved_mixture(const ResultFolder& folder) {
  GaussianMixture mixture{folder.matrix("means.npy"), folder.weights(), folder.number("variance")};
  folder.require_together(mixture.components() == mixture.weights.size() &&
                          mixture.weights.minCoeff() >= 0 && mixture.variance >= 0);
  return mixture;
}

}  // namespace

ApplyResult apply_mixture(const ResultFolder& folder, const std::string& path,
                          const ApplyTask& task) {
  const GaussianMixture mixture = saved_mixture(folder);
  PointFileOptions file;
  file.format = format_named<PointFormat>(task);
  file.header = task.header;
  file.dtype = task.dtype;
  file.separator = task.separator;
  file.decimal = task.decimal;
  file.drop_columns = task.drop_columns;
  file.index_base = task.index_base;
  const bool raw = file.format == PointFormat::raw || file.dtype != RawNumbers::automatic;
  if (raw) file.dim = mixture.dim();
  const Points points = open_points(path, file).open(callers_own_data());
  SOTTO_REQUIRE_AT(points->dim() == mixture.dim(), path,
                   "has points of dimension {}, the mixture is of dimension {}", points->dim(),
                   mixture.dim());
  // Block after block, as the training run does it: its numbers to the last digit.
  std::vector<RowMatrix> blocks;
  const Index records = for_record_blocks(*points, kNoBound, [&](const RowMatrix& x) {
    blocks.push_back(responsibilities(x, mixture));
  });
  SOTTO_REQUIRE_AT(records > 0, path, "has no points");
  ApplyResult result;
  result.model.what =
      fmt::format("{} components of dimension {}", mixture.components(), mixture.dim());
  result.input = "points";
  result.records = records;
  result.rows_are = "proportions";
  result.rows.resize(records, mixture.components());
  Index row = 0;
  for (const RowMatrix& block : blocks) {
    result.rows.middleRows(row, block.rows()) = block;
    row += block.rows();
  }
  return result;
}

}  // namespace sotto
