#include "sotto/models/people_measures.h"

#include <cmath>

namespace sotto {
namespace {

constexpr double kUniformEvents = 1e-6;

// prod_m f_m[j_m, t] for each t, times the person's row.
double value_at(const SparseTensor& tensor, Index entry, const std::vector<Matrix>& factors,
                const RowMatrix& loadings) {
  const auto index = tensor.index(entry);
  Eigen::RowVectorXd product = loadings.row(index[0]);
  for (std::size_t m = 0; m < factors.size(); ++m) {
    product.array() *= factors[m].row(index[m + 1]).array();
  }
  return product.sum();
}

// The share of all events in each row of each mode beside the people.
std::vector<Vector> margins_of(const SparseTensor& events) {
  std::vector<Vector> margins;
  for (Index m = 1; m < events.order(); ++m) {
    margins.push_back(Vector::Zero(events.dims()[static_cast<std::size_t>(m)]));
  }
  double all = 0;
  for (Index e = 0; e < events.nnz(); ++e) {
    const double count = events.values()[static_cast<std::size_t>(e)];
    const auto index = events.index(e);
    for (std::size_t m = 0; m < margins.size(); ++m) margins[m][index[m + 1]] += count;
    all += count;
  }
  for (Vector& margin : margins) margin /= all;
  return margins;
}

}  // namespace

EventPerplexity event_perplexity(const SparseTensor& events, const std::vector<Matrix>& factors,
                                 const RowMatrix& proportions) {
  const std::vector<Vector> margins = margins_of(events);
  double cells = 1, by_model = 0, by_margins = 0, all = 0;
  for (const Vector& margin : margins) cells *= static_cast<double>(margin.size());
  const auto mixed = [&](double p) { return (1 - kUniformEvents) * p + kUniformEvents / cells; };
  for (Index e = 0; e < events.nnz(); ++e) {
    const double count = events.values()[static_cast<std::size_t>(e)];
    const auto index = events.index(e);
    double independent = 1;
    for (std::size_t m = 0; m < margins.size(); ++m) independent *= margins[m][index[m + 1]];
    by_model += count * std::log(mixed(value_at(events, e, factors, proportions)));
    by_margins += count * std::log(mixed(independent));
    all += count;
  }
  if (all == 0) return {};
  return {std::exp(-by_model / all), std::exp(-by_margins / all)};
}

// |X - X^|^2 = |X|^2 - 2 X . X^ + |X^|^2, where |X^|^2 = sum_p a_p^T (F_1^T F_1 * F_2^T F_2 ..)
// a_p.
double explained_share(const SparseTensor& values, const std::vector<Matrix>& factors,
                       const RowMatrix& loadings) {
  double square = 0, product = 0;
  for (Index e = 0; e < values.nnz(); ++e) {
    const double x = values.values()[static_cast<std::size_t>(e)];
    square += x * x;
    product += x * value_at(values, e, factors, loadings);
  }
  Matrix gram = Matrix::Ones(loadings.cols(), loadings.cols());
  for (const Matrix& factor : factors) gram.array() *= (factor.transpose() * factor).array();
  const double model = (loadings * gram).cwiseProduct(loadings).sum();
  return square > 0 ? (2 * product - model) / square : 0;
}

}  // namespace sotto
