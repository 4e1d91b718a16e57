#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sotto/io/read_points.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/moments/mixture_expectation.h"
#include "sotto/tasks/apply_kinds.h"
#include "sotto/tasks/point_columns.h"

namespace sotto {
namespace {

// One row a point, from rows_of(points). Block after block, as a training run does it: its numbers
// to the last digit.
template <class RowsOf>
ApplyResult rows_of_points(const ResultFolder& folder, const std::string& path,
                           const ApplyTask& task, Index dim, RowsOf rows_of) {
  const std::vector<std::string> columns = saved_columns(folder, dim);
  PointFileOptions file;
  file.format = format_named<PointFormat>(task);
  file.header = task.header;
  file.dtype = task.dtype;
  file.separator = task.separator;
  file.decimal = task.decimal;
  file.drop_columns = task.drop_columns;
  file.id_column = task.id_column;
  file.index_base = task.index_base;
  const bool raw = file.format == PointFormat::raw || file.dtype != RawNumbers::automatic;
  if (raw) file.dim = dim;
  const Points points = open_points(path, file).open(callers_own_data());
  SOTTO_REQUIRE_AT(points->dim() == dim, path,
                   "has points of dimension {}; the model has dimension {}", points->dim(), dim);
  require_same_columns(*points, columns);
  std::vector<RowMatrix> blocks;
  const Index records =
      for_point_blocks(*points, [&](const PointBlock& block) { blocks.push_back(rows_of(block)); });
  SOTTO_REQUIRE_AT(records > 0, path, "has no points");
  ApplyResult result;
  result.input = "points";
  result.ids = points->ids();
  result.records = records;
  result.rows.resize(records, blocks[0].cols());
  Index row = 0;
  for (const RowMatrix& block : blocks) {
    result.rows.middleRows(row, block.rows()) = block;
    row += block.rows();
  }
  return result;
}

GaussianMixture saved_mixture(const ResultFolder& folder) {
  GaussianMixture mixture{folder.matrix("means.npy"), folder.weights()};
  const Index d = mixture.dim(), k = mixture.components();
  folder.require_together(k == mixture.weights.size() && mixture.weights.minCoeff() >= 0);
  // Results of earlier versions do not name the kind.
  if (!folder.find("options/covariance").is_null()) {
    mixture.kind = folder.named<CovarianceKind>("options/covariance");
  }
  if (mixture.kind == CovarianceKind::common) {
    mixture.variance = folder.number("variance");
    folder.require_together(mixture.variance >= 0);
    return mixture;
  }
  const DenseTensor saved = folder.tensor("covariances.npy");
  const Index size = covariance_size(mixture.kind, d);
  folder.require_together(std::ssize(saved.values()) == k * size && saved.dims()[0] == k);
  mixture.covariances = Eigen::Map<const Matrix>(saved.values().data(), size, k);
  return mixture;
}

}  // namespace

ApplyResult apply_mixture(const ResultFolder& folder, const std::string& path,
                          const ApplyTask& task) {
  const GaussianMixture mixture = saved_mixture(folder);
  double log_likelihood = 0;
  ApplyResult result = rows_of_points(folder, path, task, mixture.dim(), [&](const PointBlock& x) {
    log_likelihood += log_likelihoods(x, mixture).sum();
    return responsibilities(x, mixture);
  });
  // Without a variance a point is impossible, or its density is infinite.
  if (mixture.kind != CovarianceKind::common || mixture.variance > 0) {
    result.log_likelihood = log_likelihood / static_cast<double>(result.records);
  }
  result.model.what =
      fmt::format("{} components of dimension {}", mixture.components(), mixture.dim());
  result.rows_are = "proportions";
  return result;
}

// The least squares of x = sum_r c_r v_r.
ApplyResult apply_stream(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task) {
  const Matrix vectors = folder.matrix("vectors.npy");
  folder.require_together(vectors.cols() == folder.numbers("weights").size() &&
                          static_cast<double>(vectors.rows()) == folder.number("input/dim"));
  const RowMatrix inverse = pseudo_inverse(vectors).transpose();
  ApplyResult result = rows_of_points(folder, path, task, vectors.rows(), [&](const PointBlock& x) {
    return RowMatrix(
        x.is_sparse ? scores(x, inverse)
                    : multiply_transposed_narrow(
                          Eigen::Map<const Matrix>(x.dense.data(), x.dim(), x.rows()), inverse));
  });
  result.model.what = fmt::format("{} components of dimension {}", vectors.cols(), vectors.rows());
  result.rows_are = "loadings";
  return result;
}

}  // namespace sotto
