#include "sotto/complete/private/noisy_ratings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/base/random.h"
#include "sotto/complete/private/matrix_model.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

constexpr Index kLeastSamples = 50, kMostSamples = 200;
constexpr Index kMostEntriesSampled = 200'000'000;  // over all samples, unless they are too few
constexpr Index kMostKept = 40;                     // samples of the factors
constexpr double kMostNumbersKept = 5e7;            // in all of them
// In variances of a rating. From columns too small for their ratings to tell, none grows.
constexpr double kFirstEffects = 0.01, kFirstColumn = 0.1, kFirstError = 0.5;
// The sums of squares that the priors of variances stand for, as if of three rows.
constexpr double kLeastEffect = 1e-3, kLeastColumn = 1e-2;
constexpr Index kEntryBlock = 4096;  // entries for which a thread draws at a time
constexpr std::uint64_t kSampleStream = 53;
// When a low-rank part stands out: columns of this variance, with this error, in squared widths of
// the range. Of generated ratings (docs/completion.md).
constexpr double kUsualColumn = 0.0035, kUsualError = 0.01, kEnoughToStandOut = 4.6;
constexpr double kLittleNoise = 0.3;  // of that error
// What a column counts where there are contexts with which it may change.
constexpr double kColumnAcrossContexts = 0.4;
// The error that the noise may leave in the mean, in widths of the range, and what it may cost.
constexpr double kErrorOfMean = 0.0007, kLeastForSum = 0.002, kMostForSum = 0.15;
constexpr const char* kSumOfRatings = "sum of all ratings";
constexpr const char* kEveryRating = "every rating";

// Gamma(shape, 1) for a shape above 1 (Marsaglia & Tsang 2000).
double gamma_above_one(double shape, SeededRandom& random) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// The variance of `count` normal numbers with this sum of squares. The prior is that of three more
// numbers, with the sum `prior`.
double sampled_variance(double squares, double count, double prior, SeededRandom& random) {
  return (squares + prior) / (2 * gamma_above_one((count + 1) / 2 + 1, random));
}

// Inverse Gaussian (Michael, Schucany & Haas 1976).
double inverse_gaussian(double mean, double shape, SeededRandom& random) {
  const double z = random.normal(), y = z * z * mean / (2 * shape);
  const double x = mean / (1 + y + std::sqrt(y * (2 + y)));
  return random.uniform() * (mean + x) <= mean ? x : mean * mean / x;
}

// The normal equations of one row: precision * row = target, precision = L L^T.
class RowPosterior {
 public:
  explicit RowPosterior(Index size) : matrix_(size, size), target_(size) {}

  void start(const Vector& prior) {
    matrix_.setZero();
    matrix_.diagonal() = prior;
    target_.setZero();
  }
  void add(const double* slope, double value, double weight) {
    const Index size = target_.size();
    for (Index c = 0; c < size; ++c) {
      const double part = weight * slope[c];
      double* column = matrix_.data() + c * size;
      for (Index r = c; r < size; ++r) column[r] += part * slope[r];
      target_[c] += part * value;
    }
  }
  // Replaces the target by the posterior mean, and returns a sample around it.
  Vector sample(SeededRandom& random) {
    factor();
    const Index size = target_.size();
    for (Index i = 0; i < size; ++i) {  // L y = target
      double left = target_[i];
      for (Index j = 0; j < i; ++j) left -= matrix_(i, j) * target_[j];
      target_[i] = left / matrix_(i, i);
    }
    Vector drawn(size);
    for (Index i = 0; i < size; ++i) drawn[i] = target_[i] + random.normal();
    solve_transposed(target_);
    solve_transposed(drawn);
    return drawn;
  }
  const Vector& mean() const { return target_; }

 private:
  void factor() {
    const Index size = target_.size();
    for (Index c = 0; c < size; ++c) {
      double own = matrix_(c, c);
      for (Index j = 0; j < c; ++j) own -= matrix_(c, j) * matrix_(c, j);
      own = std::sqrt(own);
      matrix_(c, c) = own;
      for (Index r = c + 1; r < size; ++r) {
        double x = matrix_(r, c);
        for (Index j = 0; j < c; ++j) x -= matrix_(r, j) * matrix_(c, j);
        matrix_(r, c) = x / own;
      }
    }
  }
  void solve_transposed(Vector& x) const {
    for (Index i = x.size(); i-- > 0;) {
      for (Index j = i + 1; j < x.size(); ++j) x[i] -= matrix_(j, i) * x[j];
      x[i] /= matrix_(i, i);
    }
  }

  Matrix matrix_;  // the lower triangle
  Vector target_;
};

class Sampler {
 public:
  // `rating`: about the variance of a rating without noise.
  Sampler(const ObservedEntries& positions, const NoisyRatings& ratings, double rating, Index rank)
      : positions_(positions),
        values_(Eigen::Map<const Vector>(ratings.value.data(), std::ssize(ratings.value))),
        noise_scale_(ratings.noise_scale),
        mean_of_values_(ratings.mean),
        variance_of_mean_(ratings.mean_deviation * ratings.mean_deviation),
        rating_(rating),
        rank_(rank),
        error_(kFirstError * rating),
        noise_of_entries_(Vector::Constant(values_.size(), 2 * noise_scale_ * noise_scale_)) {
    SeededRandom random = next_random();
    for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
      rows_.emplace_back(positions_, static_cast<Index>(m));
      effects_.emplace_back(Vector::Zero(positions_.dims[m]));
      effect_variance_.push_back(kFirstEffects * rating);
    }
    for (std::size_t m = 0; m < 2; ++m) {
      column_variance_[m] = Vector::Constant(rank, std::sqrt(kFirstColumn * rating));
      // A last column of ones: what the effect of the other mode's row is multiplied by.
      factors_[m] = FactorRows::Ones(positions_.dims[m], rank + 1);
      for (Index i = 0; i < positions_.dims[m]; ++i) {
        for (Index k = 0; k < rank; ++k) {
          factors_[m](i, k) = std::sqrt(column_variance_[m][k]) * random.normal();
        }
      }
    }
    means_ = factors_[0];
    effect_means_ = effects_;
  }

  void sweep() {
    sample_mean();
    for (std::size_t m = positions_.dims.size(); m-- > 0;) {
      if (positions_.dims[m] == 1) continue;
      if (m < 2) {
        sample_rows(m);
      } else {
        sample_effects(m);
      }
      sample_variances(m);
    }
    sample_noise();
  }

  double mean() const { return mean_; }
  // Of the users, and of later modes, the means given the others; of the items a sample.
  Vector effects(std::size_t mode) const { return effect_means_[mode]; }
  FactorRows users() const { return means_.leftCols(rank_); }
  FactorRows items() const { return factors_[1].leftCols(rank_); }

 private:
  SeededRandom next_random() { return SeededRandom(kSampleStream, draws_++ << 32); }

  double predicted(Index e) const {
    double x = mean_;
    for (std::size_t m = 0; m < effects_.size(); ++m) x += effect(m, e);
    return x + factors_[0]
                   .row(positions_.row(0, e))
                   .head(rank_)
                   .dot(factors_[1].row(positions_.row(1, e)).head(rank_));
  }
  double effect(std::size_t mode, Index e) const {
    return effects_[mode][positions_.row(static_cast<Index>(mode), e)];
  }
  // What the mean and the effects of the other modes leave.
  double left_for(std::size_t mode, Index e) const {
    double x = values_[e] - mean_;
    for (std::size_t m = 0; m < effects_.size(); ++m) x -= m == mode ? 0 : effect(m, e);
    return x;
  }
  double weight(Index e) const { return 1 / (error_ + noise_of_entries_[e]); }

  // From the entries and from the mean of all values, as if their errors were independent: they
  // share the error of the model, which hardly counts wherever the noise does.
  void sample_mean() {
    SeededRandom random = next_random();
    double sum = 0, weights = 0, others = 0;
    for (Index e = 0; e < values_.size(); ++e) {
      const double other = predicted(e) - mean_;
      others += other;
      sum += weight(e) * (values_[e] - other);
      weights += weight(e);
    }
    const auto n = static_cast<double>(values_.size());
    const double of_sum = 1 / (error_ / n + variance_of_mean_);
    sum += of_sum * (mean_of_values_ - others / n);
    weights += of_sum;
    mean_ = sum / weights + random.normal() / std::sqrt(weights);
  }

  // A row of users or items with its effect.
  void sample_rows(std::size_t mode) {
    const std::size_t other = 1 - mode;
    const std::uint64_t stream = draws_++ << 32;
    Vector prior(rank_ + 1);
    prior << column_variance_[mode].cwiseInverse(), 1 / effect_variance_[mode];
    parallel_for_with(
        positions_.dims[mode], {16, values_.size() > 10000},
        [&] { return RowPosterior(rank_ + 1); },
        [&](RowPosterior& row, Index i) {
          row.start(prior);
          for (const std::int32_t e : rows_[mode].of(i)) {
            row.add(factors_[other].row(positions_.row(static_cast<Index>(other), e)).data(),
                    left_for(mode, e), weight(e));
          }
          SeededRandom random(kSampleStream, stream + static_cast<std::uint64_t>(i) + 1);
          const Vector drawn = row.sample(random);
          factors_[mode].row(i).head(rank_) = drawn.head(rank_).transpose();
          effects_[mode][i] = drawn[rank_];
          effect_means_[mode][i] = row.mean()[rank_];
          if (mode == 0) means_.row(i).head(rank_) = row.mean().head(rank_).transpose();
        });
  }

  void sample_effects(std::size_t mode) {
    const std::uint64_t stream = draws_++ << 32;
    parallel_for(positions_.dims[mode], {16, values_.size() > 10000}, [&](Index i) {
      double sum = 0, weights = 1 / effect_variance_[mode];
      for (const std::int32_t e : rows_[mode].of(i)) {
        sum += weight(e) * (values_[e] - predicted(e) + effects_[mode][i]);
        weights += weight(e);
      }
      SeededRandom random(kSampleStream, stream + static_cast<std::uint64_t>(i) + 1);
      effect_means_[mode][i] = sum / weights;
      effects_[mode][i] = sum / weights + random.normal() / std::sqrt(weights);
    });
  }

  void sample_variances(std::size_t mode) {
    SeededRandom random = next_random();
    const auto rows = static_cast<double>(positions_.dims[mode]);
    effect_variance_[mode] =
        sampled_variance(effects_[mode].squaredNorm(), rows, kLeastEffect * rating_, random);
    if (mode > 1) return;
    for (Index k = 0; k < rank_; ++k) {
      column_variance_[mode][k] = sampled_variance(factors_[mode].col(k).squaredNorm(), rows,
                                                   kLeastColumn * std::sqrt(rating_), random);
    }
  }

  // The error of every entry given what is left of its value, and from it its noise.
  void sample_noise() {
    const std::uint64_t stream = draws_++ << 32;
    const Index blocks = (values_.size() + kEntryBlock - 1) / kEntryBlock;
    std::vector<double> squares(static_cast<std::size_t>(blocks));
    parallel_for(blocks, {1, values_.size() > 10000}, [&](Index b) {
      SeededRandom random(kSampleStream, stream + static_cast<std::uint64_t>(b) + 1);
      double sum = 0;
      for (Index e = b * kEntryBlock; e < std::min(values_.size(), (b + 1) * kEntryBlock); ++e) {
        const double left = values_[e] - predicted(e);
        const double share = error_ / (error_ + noise_of_entries_[e]);
        const double error =
            share * left + std::sqrt(share * noise_of_entries_[e]) * random.normal();
        sum += error * error;
        noise_of_entries_[e] = variance_of_noise(left - error, random);
      }
      squares[static_cast<std::size_t>(b)] = sum;
    });
    double sum = 0;
    for (const double s : squares) sum += s;
    SeededRandom random = next_random();
    error_ =
        sampled_variance(sum, static_cast<double>(values_.size()), kFirstError * rating_, random);
  }

  // Of the entry with this noise. Its inverse is inverse Gaussian.
  double variance_of_noise(double noise, SeededRandom& random) const {
    const double mean = 1 / (noise_scale_ * std::max(std::abs(noise), 1e-9 * noise_scale_));
    return 1 / inverse_gaussian(mean, 1 / (noise_scale_ * noise_scale_), random);
  }

  const ObservedEntries& positions_;
  Vector values_;
  double noise_scale_, mean_of_values_, variance_of_mean_, rating_;
  Index rank_;

  std::vector<RowEntries> rows_;
  double mean_ = 0;
  std::vector<Vector> effects_, effect_means_;
  std::vector<double> effect_variance_;
  FactorRows factors_[2];
  FactorRows means_;  // of the users' rows
  Vector column_variance_[2];
  double error_;
  Vector noise_of_entries_;
  std::uint64_t draws_ = 0;
};

// The mean of the products of pairs of factors, cut to a rank by subspace iteration.
class MeanProduct {
 public:
  void add(FactorRows users, FactorRows items) {
    users_.push_back(std::move(users));
    items_.push_back(std::move(items));
  }

  std::pair<FactorRows, FactorRows> cut(Index rank) const {
    const Index users = users_[0].rows(), items = items_[0].rows();
    const Index block = std::min({rank + 4, users, items});
    SeededRandom random(kSampleStream, 1);
    Matrix basis(items, block);
    for (double& x : basis.reshaped()) x = random.normal();
    Matrix image;
    for (int n = 0; n < 10; ++n) {
      image = householder_basis(product(users_, items_, basis));
      basis = product(items_, users_, image);
      if (n < 9) basis = householder_basis(basis);
    }
    const Index kept = std::min(rank, block);
    const Matrix turn = ascending_eigenpairs(basis.transpose() * basis).vectors.rightCols(kept);
    return {image * turn, basis * turn};
  }

 private:
  static Matrix product(const std::vector<FactorRows>& left, const std::vector<FactorRows>& right,
                        const Matrix& block) {
    Matrix sum = Matrix::Zero(left[0].rows(), block.cols());
    for (std::size_t n = 0; n < left.size(); ++n) sum += left[n] * (right[n].transpose() * block);
    return sum / static_cast<double>(left.size());
  }

  std::vector<FactorRows> users_, items_;
};

// The number of samples to keep after half as many that are not.
Index sample_count(Index entries) {
  return std::clamp(kMostEntriesSampled / entries, kLeastSamples, kMostSamples);
}

}  // namespace

bool prefers_noisy_ratings(const RatingShape& shape, double epsilon) {
  const double noise = 1 / (epsilon * epsilon);  // Laplace noise is worth half its variance
  if (shape.positions_tell.value_or(true) && noise > kLittleNoise * kUsualError) return false;
  const auto users = static_cast<double>(shape.dims[0]), items = static_cast<double>(shape.dims[1]);
  const double across = static_cast<double>(shape.ratings) / std::sqrt(users * items);
  const bool may_change =
      !shape.positions_tell.value_or(true) &&
      std::any_of(shape.dims.begin() + 2, shape.dims.end(), [](Index rows) { return rows > 1; });
  const double column = kUsualColumn * (may_change ? kColumnAcrossContexts : 1);
  return column * across >= kEnoughToStandOut * (noise + kUsualError);
}

NoisyRatingsPlan plan_noisy_ratings(const RatingShape& shape, double epsilon) {
  SOTTO_REQUIRE(shape.ratings > 0, "there are no entries to learn from");
  NoisyRatingsPlan plan;
  const double wanted =
      std::sqrt(2.0) / (kErrorOfMean * epsilon * static_cast<double>(shape.ratings));
  plan.sum = std::clamp(wanted, kLeastForSum, kMostForSum);
  plan.ratings = 1 - plan.sum;
  plan.values = 1 + shape.ratings;
  return plan;
}

std::vector<PlannedRelease> planned_releases(const NoisyRatingsPlan& plan,
                                             const RatingPlan& settings, const RatingShape& shape) {
  return {planned_sum({kSumOfRatings, 1, plan.sum}, settings),
          planned_sum({kEveryRating, shape.ratings, plan.ratings}, settings)};
}

NoisyRatings release_noisy_ratings(const NoisyRatingsPlan& plan, RatingSums& sums) {
  const std::int64_t n = plan.values - 1;
  std::vector<std::int32_t> row(static_cast<std::size_t>(n), 0);
  const Noisy<Matrix> all = sums.release({kSumOfRatings, 1, row}, plan.sum).value();
  std::iota(row.begin(), row.end(), 0);
  const Noisy<Matrix> each = sums.release({kEveryRating, n, row}, plan.ratings).value();
  const double middle = sums.plan().bounds.middle();
  NoisyRatings found;
  found.value.reserve(row.size());
  for (Index e = 0; e < n; ++e) found.value.push_back(each.value(e, 0) + middle);
  found.noise_scale = each.deviation / std::sqrt(2.0);
  found.mean = all.value(0, 0) / static_cast<double>(n) + middle;
  found.mean_deviation = all.deviation / static_cast<double>(n);
  return found;
}

CompletionModel fit_noisy_ratings(const ObservedEntries& positions, const NoisyRatings& ratings,
                                  const ValueBounds& bounds, LowRank kind, Index rank) {
  const Eigen::Map<const Vector> noisy(ratings.value.data(), std::ssize(ratings.value));
  const double width = bounds.width();
  const double spread = (noisy.array() - noisy.mean()).square().mean();
  const double rating = std::clamp(spread - 2 * ratings.noise_scale * ratings.noise_scale,
                                   width * width / 400, width * width / 4);
  Sampler sampler(positions, ratings, rating, rank);

  const auto& dims = positions.dims;
  const Index samples = sample_count(positions.size());
  const auto numbers = static_cast<double>((dims[0] + dims[1]) * rank);
  const auto kept = std::clamp(static_cast<Index>(kMostNumbersKept / numbers), Index{1}, kMostKept);
  for (Index n = 0; n < samples / 2; ++n) sampler.sweep();
  CompletionModel model = matrix_model(kind, rank, dims);
  MeanProduct product;
  for (Index n = 1; n <= samples; ++n) {
    sampler.sweep();
    const double share = 1 / static_cast<double>(samples);
    model.biases.mean += share * sampler.mean();
    for (std::size_t m = 0; m < dims.size(); ++m) {
      model.biases.rows[m] += share * sampler.effects(m);
    }
    if (n % (samples / kept) == 0) product.add(sampler.users(), sampler.items());
  }
  const auto [users, items] = product.cut(rank);
  model.factors[0].leftCols(users.cols()) = users;
  model.factors[1].leftCols(items.cols()) = items;
  model.range = std::pair(bounds.low, bounds.high);
  return model;
}

}  // namespace sotto
