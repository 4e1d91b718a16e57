#include "sotto/decompose/tucker.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/decompose/cp_source.h"
#include "sotto/decompose/hals.h"
#include "sotto/decompose/tucker_products.h"
#include "sotto/decompose/tucker_start.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/mode_product.h"

namespace sotto {
namespace {

// ---- the model ----

Factors transposed(const Factors& factors) {
  Factors result;
  for (const Matrix& u : factors) result.emplace_back(u.transpose());
  return result;
}

// Calls visit(i, slice of X^) for each row i of the first mode.
template <class Visit>
void for_each_slice(const TuckerModel& model, Visit visit) {
  // The core expanded in all modes but the first: r_0 slices.
  const DenseTensor open = mode_products(model.core, transposed(model.factors), 0);
  const Index ranks = open.dims()[0], size = open.size() / ranks;
  const Eigen::Map<const Matrix> slices(open.values().data(), size, ranks);
  const Index rows = model.factors[0].rows();
  parallel_for(rows, {0, size * rows > 100000},
               [&](Index i) { visit(i, Vector(slices * model.factors[0].row(i).transpose())); });
}

double squared_residual_of(const TuckerModel& model, const DenseTensor& x,
                           const DenseTensor* mask) {
  Vector sums = Vector::Zero(x.dims()[0]);
  for_each_slice(model, [&](Index i, const Vector& slice) {
    Vector gap = Eigen::Map<const Vector>(x.values().data() + i * slice.size(), slice.size());
    gap -= slice;
    if (mask != nullptr) {
      gap.array() *=
          Eigen::Map<const Eigen::ArrayXd>(mask->values().data() + i * slice.size(), slice.size());
    }
    sums[i] = gap.squaredNorm();
  });
  return sums.sum();
}

// A matrix r x (product of the others) as the core it is an unfolding of.
DenseTensor fold_core(const RowMatrix& unfolded, Index mode, const std::vector<Index>& ranks) {
  DenseTensor core(ranks);
  std::vector<Index> at(ranks.size(), 0);
  for (Index p = 0; p < core.size(); ++p) {
    Index column = 0;
    for (Index m = 0; m < std::ssize(ranks); ++m) {
      if (m != mode) column = column * ranks[m] + at[m];
    }
    core.values()[p] = unfolded(at[mode], column);
    for (Index m = std::ssize(ranks) - 1; m >= 0 && ++at[m] == ranks[m]; --m) at[m] = 0;
  }
  return core;
}

double inner_product(const DenseTensor& a, const DenseTensor& b) {
  return Eigen::Map<const Vector>(a.values().data(), a.size())
      .dot(Eigen::Map<const Vector>(b.values().data(), b.size()));
}

// ---- one sweep ----

// The r leading left singular vectors of a matrix in memory, through its smaller gram.
Matrix leading_left_vectors(const RowMatrix& y, Index r) {
  const DenseTensor as_tensor({y.rows(), y.cols()},
                              std::vector<double>(y.data(), y.data() + y.size()));
  return leading_mode_basis(as_tensor, 0, r);
}

// The best basis in the span of U, G U and G^2 U, G = Y Y^T. It captures no less of Y than U, and
// in the limit of the sweeps what the leading vectors do. Those take the eigenvectors of a matrix
// as large as a mode, which cost more than the sweep itself.
Matrix improved_basis(const RowMatrix& y, const Matrix& u) {
  const Index r = u.cols();
  const Eigen::Map<const Matrix> yt(y.data(), y.cols(), y.rows());
  Matrix span(u.rows(), 3 * r);
  span.leftCols(r) = u;
  for (Index n = 1; n < 3; ++n) {
    auto next = span.middleCols(n * r, r);
    next = multiply_transposed(yt, multiply(yt, span.middleCols((n - 1) * r, r)));
    for (Index j = 0; j < r; ++j) {
      const double length = next.col(j).norm();
      if (length > 0) next.col(j) /= length;
    }
  }
  const Matrix q = householder_basis(span);
  const Matrix projected = multiply(yt, q);
  return multiply(q, leading_eigenpairs(multiply_transposed(projected, projected), r).vectors);
}

Matrix better_basis(const RowMatrix& y, const Matrix& u, bool first_sweep) {
  constexpr Index kPaysFrom = 6;  // rows and columns of Y, in ranks
  const bool pays = std::min(y.rows(), y.cols()) >= kPaysFrom * u.cols();
  return pays && !first_sweep ? improved_basis(y, u) : leading_left_vectors(y, u.cols());
}

// HOOI: every factor in turn the best for the others; returns |X|^2 - |G|^2.
double orthogonal_sweep(TuckerProducts& products, TuckerModel& model, bool first_sweep) {
  const Index last = products.order() - 1;
  for (Index m = 0; m <= last; ++m) {
    const RowMatrix y = products.contracted(m);
    model.factors[m] = better_basis(y, model.factors[m], first_sweep);
    products.place(m, model.factors[m]);
    if (m == last) model.core = fold_core(model.factors[m].transpose() * y, m, model.core.dims());
  }
  return products.squared_norm() - squared_norm(model.core.values());
}

// min over G >= 0 of |X - G x_m U_m|^2 given B = X x_m U_m^T, by accelerated projected gradients
// (Beck & Teboulle 2009) from where the core stands.
DenseTensor non_negative_core(const DenseTensor& b, const std::vector<Matrix>& grams,
                              DenseTensor core) {
  constexpr int kSteps = 20;
  double steepest = 1;
  for (const Matrix& gram : grams) steepest *= leading_eigenpairs(gram, 1).values[0];
  if (!(steepest > 0)) return core;
  DenseTensor ahead = core;
  double momentum = 1;
  for (int n = 0; n < kSteps; ++n) {
    const DenseTensor image = mode_products(ahead, grams);
    DenseTensor next = ahead;
    for (Index p = 0; p < next.size(); ++p) {
      next.values()[p] =
          std::max(0.0, ahead.values()[p] - (image.values()[p] - b.values()[p]) / steepest);
    }
    const double later = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    for (Index p = 0; p < next.size(); ++p) {
      ahead.values()[p] =
          next.values()[p] + (momentum - 1) / later * (next.values()[p] - core.values()[p]);
    }
    core = std::move(next);
    momentum = later;
  }
  return core;
}

// Unit columns; their lengths move into the core.
void move_lengths_to_core(TuckerModel& model) {
  Factors scales;
  for (Matrix& u : model.factors) {
    Vector lengths = u.colwise().norm();
    for (Index r = 0; r < u.cols(); ++r) {
      if (lengths[r] > 0) u.col(r) /= lengths[r];
    }
    scales.emplace_back(lengths.asDiagonal());
  }
  model.core = mode_products(model.core, scales);
}

double non_negative_sweep(TuckerProducts& products, TuckerModel& model) {
  const Index last = products.order() - 1;
  std::vector<Matrix> grams = grams_of(model.factors);
  DenseTensor projected = model.core;
  for (Index m = 0; m <= last; ++m) {
    const RowMatrix y = products.contracted(m), g = unfolding(model.core, m);
    const RowMatrix with_grams = unfolding(mode_products(model.core, grams, m), m);
    model.factors[m] = hals(y * g.transpose(), with_grams * g.transpose(), model.factors[m]);
    products.place(m, model.factors[m]);
    grams[m] = model.factors[m].transpose() * model.factors[m];
    if (m == last) projected = fold_core(model.factors[m].transpose() * y, m, model.core.dims());
  }
  const auto error = [&](const DenseTensor& core) {
    return products.squared_norm() - 2 * inner_product(projected, core) +
           inner_product(core, mode_products(core, grams));
  };
  DenseTensor core = non_negative_core(projected, grams, model.core);
  if (error(core) <= error(model.core)) model.core = std::move(core);
  const double reached = error(model.core);
  move_lengths_to_core(model);
  for (Index m = 0; m <= last; ++m) products.place(m, model.factors[m]);
  return reached;
}

// ---- the fit ----

struct TuckerGround {
  std::unique_ptr<TuckerProducts> products;
  std::unique_ptr<FibreCache> fibres;
  DenseTensor* filled = nullptr;        // with the model at missing places
  const DenseTensor* mask = nullptr;    // null where all entries are known
  const DenseTensor* values = nullptr;  // null for a sparse tensor
  double squared_norm = 0;              // of the known entries
};

// Puts the model at the missing places and returns the squared error at the others.
double fill_missing(const TuckerModel& model, TuckerGround& ground) {
  Vector sums = Vector::Zero(ground.filled->dims()[0]);
  for_each_slice(model, [&](Index i, const Vector& slice) {
    double* x = ground.filled->values().data() + i * slice.size();
    const double* known = ground.mask->values().data() + i * slice.size();
    for (Index j = 0; j < slice.size(); ++j) {
      if (known[j] == 0) {
        x[j] = slice[j];
      } else {
        sums[i] += (x[j] - slice[j]) * (x[j] - slice[j]);
      }
    }
  });
  static_cast<DenseTuckerProducts&>(*ground.products).refresh();
  return sums.sum();
}

double sweep_once(TuckerGround& ground, TuckerModel& model, bool non_negative, bool first) {
  const double error = non_negative ? non_negative_sweep(*ground.products, model)
                                    : orthogonal_sweep(*ground.products, model, first);
  return ground.mask != nullptr ? fill_missing(model, ground) : error;
}

void place_factors(TuckerProducts& products, const Factors& factors) {
  for (Index m = 0; m < products.order(); ++m) products.place(m, factors[m]);
}

// The first sweep finds the core, which a non-negative one needs to start from.
TuckerModel model_from(Factors factors, const TuckerOptions& options) {
  TuckerModel model{DenseTensor(options.ranks), std::move(factors)};
  if (options.non_negative) {
    for (Matrix& u : model.factors) u = u.cwiseAbs();
    std::fill(model.core.values().begin(), model.core.values().end(), 1.0);
  }
  return model;
}

TuckerModel start_model(const TuckerGround& ground, const TuckerOptions& options) {
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const DenseTensor* dense = ground.filled != nullptr ? ground.filled : ground.values;
  return model_from(dense != nullptr ? sequential_bases(*dense, options.ranks).bases
                                     : random_bases(ground.products->dims(), options.ranks, seed),
                    options);
}

// The scale of a core of ones that fits best, so that the first sweep starts near.
void scale_core(TuckerProducts& products, TuckerModel& model) {
  const Index last = products.order() - 1;
  const DenseTensor projected = fold_core(
      model.factors[last].transpose() * products.contracted(last), last, model.core.dims());
  const DenseTensor image = mode_products(model.core, grams_of(model.factors));
  const double scale = inner_product(projected, model.core) / inner_product(image, model.core);
  for (double& g : model.core.values()) g *= scale;
}

// A sketch of a tensor whose spectra decay slowly may lead to a poor place: the first sweep on the
// tensor itself then gains much. The exact truncation gets a sweep, too, and the better one stays.
double sweep_after_compression(TuckerGround& ground, const TuckerOptions& options,
                               TuckerModel& model) {
  constexpr double kMuch = 0.01;  // of what the model explains, or of what it does not
  const double explained = squared_norm(model.core.values());
  const double error = sweep_once(ground, model, false, false);
  const double gain = ground.squared_norm - explained - error;
  if (gain <= kMuch * std::min(explained, error)) return error;
  TuckerModel exact = start_model(ground, options);
  place_factors(*ground.products, exact.factors);
  const double other = sweep_once(ground, exact, false, true);
  if (other >= error) {
    place_factors(*ground.products, model.factors);
    return error;
  }
  model = std::move(exact);
  return other;
}

// When sweeps have come to their end: two of them in turn gain no more than the tolerance, or one
// gains no more than ten times that and a hundredth of the one before.
class TuckerEnd {
 public:
  TuckerEnd(const TuckerOptions& options, double squared_norm)
      : tolerance_(options.tolerance), squared_norm_(squared_norm) {}
  bool reached(double gain, double error) {
    // The difference |X|^2 - |G|^2 is no more exact than this.
    constexpr double kRounding = 1e-14;
    const double small = tolerance_ * error + kRounding * squared_norm_;
    quiet_ = gain <= small ? quiet_ + 1 : 0;
    const bool falls_fast = gain <= 10 * small && std::abs(gain) <= 0.01 * before_;
    before_ = gain;
    return tolerance_ > 0 && (quiet_ >= 2 || falls_fast);
  }

 private:
  double tolerance_, squared_norm_, before_ = 0;
  int quiet_ = 0;
};

// `given`: factors to start from, or null.
TuckerFit iterate_tucker(TuckerGround& ground, const TuckerOptions& options, const Factors* given,
                         const ProgressCallback& progress) {
  std::optional<TuckerModel> compressed;
  if (given == nullptr && ground.values != nullptr && ground.mask == nullptr &&
      !options.non_negative) {
    compressed = compressed_fit(*ground.values, options);
  }
  TuckerModel model = compressed         ? *compressed
                      : given != nullptr ? model_from(*given, options)
                                         : start_model(ground, options);
  place_factors(*ground.products, model.factors);
  if (options.non_negative) scale_core(*ground.products, model);
  TuckerFit fit{DenseTensor({1}), {}, {}, 0, Status::iteration_limit, {}};
  TuckerEnd end(options, ground.squared_norm);
  std::optional<double> before;
  if (compressed) before = ground.squared_norm - squared_norm(model.core.values());
  for (; fit.iterations < options.iterations && fit.status != Status::converged; ++fit.iterations) {
    const bool first = fit.iterations == 0;
    const double error =
        std::max(0.0, first && compressed ? sweep_after_compression(ground, options, model)
                                          : sweep_once(ground, model, options.non_negative, first));
    fit.error_history.push_back(std::sqrt(error / ground.squared_norm));
    if (!report_progress(progress, {"factors", fit.iterations + 1, options.iterations})) {
      fit.status = Status::stopped;
      break;
    }
    if (before && end.reached(*before - error, error)) fit.status = Status::converged;
    before = error;
  }
  if (options.tolerance == 0 && fit.status != Status::stopped) fit.status = Status::completed;
  fit.measures.squared_error = before.value_or(0);
  // A small error is computed anew: as a difference of squared norms it would have few digits.
  constexpr double kFewDigits = 1e-6;
  if (ground.values != nullptr &&
      (ground.mask != nullptr || fit.measures.squared_error < kFewDigits * ground.squared_norm)) {
    fit.measures.squared_error = squared_residual_of(model, *ground.values, ground.mask);
  }
  fit.measures.squared_norm = ground.squared_norm;
  fit.core = std::move(model.core);
  fit.factors = std::move(model.factors);
  return fit;
}

// The first value of a missing place: the mean of the known entries.
void fill_with_mean(const CpSource& source, DenseTensor& filled) {
  double sum = 0;
  for (const double x : source.filled()->values()) sum += x;
  const double mean = sum / static_cast<double>(source.observed());
  for (Index p = 0; p < filled.size(); ++p) {
    if (source.mask()->values()[p] == 0) filled.values()[p] = mean;
  }
}

// `given`: factors to start from, or null.
TuckerFit fit_from(const AnyTensor& tensor, const TuckerOptions& options, const Factors* given,
                   const ProgressCallback& progress) {
  const std::optional<double> known_norm =
      check_fit_input(tensor, options.missing, options.non_negative && !options.negative_entries);
  check_tucker_ranks(dims_of(tensor), options.ranks);
  TuckerGround ground;
  Index observed = 1;
  if (const auto* sparse = std::get_if<SparseTensor>(&tensor)) {
    SOTTO_REQUIRE_AT(!options.missing, "`missing`",
                     "Tucker models of a list of observed entries are what `sotto complete` fits");
    for (const Index d : sparse->dims()) observed *= d;
    ground.fibres = std::make_unique<FibreCache>(*sparse);
    ground.products = std::make_unique<SparseTuckerProducts>(*ground.fibres);
    ground.squared_norm = ground.products->squared_norm();
    TuckerFit fit = iterate_tucker(ground, options, given, progress);
    fit.measures.observed = observed;
    return fit;
  }
  CpSource source(tensor, options.missing, known_norm);
  ground.values = source.filled();
  ground.mask = source.mask();
  ground.squared_norm = source.problem().squared_norm();
  std::optional<DenseTensor> filled;
  if (ground.mask != nullptr) {
    filled.emplace(*source.filled());
    fill_with_mean(source, *filled);
    ground.filled = &*filled;
  }
  ground.products = ground.filled != nullptr
                        ? std::make_unique<DenseTuckerProducts>(*ground.filled)
                        : std::make_unique<DenseTuckerProducts>(*ground.values, known_norm);
  TuckerFit fit = iterate_tucker(ground, options, given, progress);
  fit.measures.observed = source.observed();
  return fit;
}

}  // namespace

void check_tucker_ranks(const std::vector<Index>& dims, const std::vector<Index>& ranks) {
  SOTTO_REQUIRE_AT(ranks.size() == dims.size(), "`ranks`",
                   "a tensor of {} needs {} ranks, one a mode; got {}", shape_text(dims),
                   dims.size(), ranks.size());
  double all = 1;
  for (const Index r : ranks) all *= static_cast<double>(r);
  for (std::size_t m = 0; m < dims.size(); ++m) {
    SOTTO_REQUIRE_AT(ranks[m] >= 1 && ranks[m] <= dims[m], "`ranks`",
                     "mode {}, counted from 0, has {} rows and allows ranks 1 to {}, not {}", m,
                     dims[m], dims[m], ranks[m]);
    SOTTO_REQUIRE_AT(
        static_cast<double>(ranks[m]) * static_cast<double>(ranks[m]) <= all, "`ranks`",
        "rank {} of mode {}, counted from 0, is more than the product of the others", ranks[m], m);
  }
}

TuckerFit fit_tucker(const AnyTensor& tensor, const TuckerOptions& options,
                     const ProgressCallback& progress) {
  return fit_from(tensor, options, nullptr, progress);
}

TuckerFit refine_tucker(const AnyTensor& tensor, const Factors& start, TuckerOptions options) {
  const std::vector<Index> dims = dims_of(tensor);
  SOTTO_REQUIRE_AT(start.size() == dims.size(), "`start`",
                   "a tensor of {} needs {} factors, one a mode; got {}", shape_text(dims),
                   dims.size(), start.size());
  options.ranks.clear();
  for (std::size_t m = 0; m < dims.size(); ++m) {
    SOTTO_REQUIRE_AT(start[m].rows() == dims[m], "`start`",
                     "the factor of mode {}, counted from 0, must have {} rows, got {}", m, dims[m],
                     start[m].rows());
    options.ranks.push_back(start[m].cols());
  }
  check_tucker_ranks(dims, options.ranks);
  Factors bases = start;
  for (Matrix& u : bases) {
    if (!options.non_negative) u = orthonormal_columns(u);
  }
  return fit_from(tensor, options, &bases, {});
}

}  // namespace sotto
