#include "sotto/complete/private/sums.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/complete/private/position_features.h"

namespace sotto {
namespace {

// Tuned on MovieLens latest-small and on generated ratings (docs/published-claims.md).
constexpr double kSquareShare = 0.02;
constexpr double kUserPart = 0.4, kItemPart = 0.5, kContextPart = 0.1;  // of the share of the sums
constexpr double kMostForTastes = 0.4;
constexpr Index kMostTastes = 5;
constexpr double kUsualCount = 60;  // ratings of a user
// Prior variances, in variances of a rating.
constexpr double kUserVariance = 0.12, kItemVariance = 0.05, kContextVariance = 0.01;
constexpr double kTasteVariance = 0.02, kMeanVariance = 0.02;
constexpr double kMostForSlopes = 0.08;  // per slope; larger noise lowers it
constexpr double kLeastError = 0.3;
constexpr double kShortestStretched =
    0.5;  // norm to which the features of an item are not stretched
constexpr double kLeastCoefficient = 1e-9;
constexpr int kMostSteps = 300;
constexpr int kLaplaceRounds = 1;
constexpr double kTolerance = 1e-5;

// All unknowns of the model, or the same numbers with another meaning.
struct Unknowns {
  double mean = 0;
  std::vector<Vector> modes;
  Vector item_slope;
  double user_slope = 0;
  FactorRows tastes;  // users x tastes
};

// All released sums but that of squares, or the same numbers with another meaning.
struct Answers {
  std::vector<Vector> modes;  // empty where nothing is released
  FactorRows tastes;

  double dot(const Answers& other) const {
    double sum = tastes.cwiseProduct(other.tastes).sum();
    for (std::size_t m = 0; m < modes.size(); ++m) sum += modes[m].dot(other.modes[m]);
    return sum;
  }
  // this = scale * this + factor * other
  void combine(double scale, double factor, const Answers& other) {
    tastes = scale * tastes + factor * other.tastes;
    for (std::size_t m = 0; m < modes.size(); ++m) {
      modes[m] = scale * modes[m] + factor * other.modes[m];
    }
  }
  // Applies f(this, other) number by number.
  template <class F>
  Answers with(const Answers& other, F f) const {
    Answers result = *this;
    result.tastes = tastes.binaryExpr(other.tastes, f);
    for (std::size_t m = 0; m < modes.size(); ++m) {
      result.modes[m] = modes[m].binaryExpr(other.modes[m], f);
    }
    return result;
  }
  Answers divided_by(const Answers& other) const {
    return with(other, [](double a, double b) { return a / b; });
  }
  Answers times(const Answers& other) const {
    return with(other, [](double a, double b) { return a * b; });
  }
};

// The variances that D and s are shares of.
struct Variances {
  double rating = 1;
  double error = 1;
};

double prior_of(std::size_t mode) {
  return mode == 0 ? kUserVariance : mode == 1 ? kItemVariance : kContextVariance;
}

// Z and Q: how the unknowns predict an entry, and how entries enter the released sums.
class Design {
 public:
  Design(const ObservedEntries& positions, const PrivateSumsPlan& plan)
      : positions_(positions), features_(position_features(positions)), plan_(plan) {}

  Index size() const { return positions_.size(); }
  const PositionFeatures& features() const { return features_; }
  auto taste_features() const { return features_.items.leftCols(plan_.taste_count); }

  // Coefficients of the taste sums: features divided by their norm, so that every entry weighs the
  // same.
  Matrix taste_table(RatingNoise noise) const {
    Matrix table = taste_features();
    for (Index i = 0; i < table.rows(); ++i) {
      const double norm =
          noise == RatingNoise::laplace ? table.row(i).lpNorm<1>() : table.row(i).norm();
      table.row(i) /= std::max(norm, kShortestStretched);
    }
    ask_for_something(table, positions_.index[1]);
    return table;
  }

  // Z theta.
  Vector entries_of(const Unknowns& theta) const {
    const Vector item = features_.items * theta.item_slope;
    const FactorRows taste = taste_features();
    Vector x(positions_.size());
    for (Index e = 0; e < positions_.size(); ++e) {
      const std::int32_t u = positions_.row(0, e), i = positions_.row(1, e);
      x[e] = theta.mean + item[i] + theta.user_slope * features_.users[u] +
             taste.row(i).dot(theta.tastes.row(u));
      for (std::size_t m = 0; m < theta.modes.size(); ++m) {
        x[e] += theta.modes[m][positions_.index[m][static_cast<std::size_t>(e)]];
      }
    }
    return x;
  }

  // D Z^T v.
  Unknowns prior_times_transposed(const Vector& v, const Variances& variances) const {
    const FactorRows taste = taste_features();
    Unknowns theta;
    theta.mean = v.sum();
    theta.tastes = FactorRows::Zero(positions_.dims[0], plan_.taste_count);
    for (std::size_t m = 0; m < positions_.dims.size(); ++m) theta.modes.push_back(row_sums(m, v));
    for (Index e = 0; e < positions_.size(); ++e) {
      theta.tastes.row(positions_.row(0, e)) += v[e] * taste.row(positions_.row(1, e));
    }
    theta.item_slope = features_.items.transpose() * theta.modes[1];
    theta.user_slope = features_.users.dot(theta.modes[0]);

    const double one = variances.rating;
    theta.mean *= kMeanVariance * one;
    theta.tastes *= kTasteVariance * one;
    theta.item_slope *= plan_.slope_variance * one;
    theta.user_slope *= plan_.slope_variance * one;
    for (std::size_t m = 0; m < theta.modes.size(); ++m) {
      theta.modes[m] *= plan_.modes[m] > 0 ? prior_of(m) * one : 0;
    }
    return theta;
  }

  // Q q.
  Vector entries_of(const Answers& q, const FactorRows& table) const {
    Vector v = Vector::Zero(positions_.size());
    for (Index e = 0; e < positions_.size(); ++e) {
      v[e] = table.row(positions_.row(1, e)).dot(q.tastes.row(positions_.row(0, e)));
      for (std::size_t m = 0; m < q.modes.size(); ++m) {
        if (q.modes[m].size() > 0) {
          v[e] += q.modes[m][positions_.index[m][static_cast<std::size_t>(e)]];
        }
      }
    }
    return v;
  }

  // Q^T x.
  Answers answers_of(const Vector& x, const FactorRows& table) const {
    Answers q;
    for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
      q.modes.push_back(plan_.modes[m] > 0 ? row_sums(m, x) : Vector());
    }
    q.tastes = FactorRows::Zero(positions_.dims[0], plan_.taste_count);
    for (Index e = 0; e < positions_.size(); ++e) {
      q.tastes.row(positions_.row(0, e)) += x[e] * table.row(positions_.row(1, e));
    }
    return q;
  }

  Vector row_sums(std::size_t mode, const Vector& x) const {
    Vector sum = Vector::Zero(positions_.dims[mode]);
    for (Index e = 0; e < positions_.size(); ++e) {
      sum[positions_.index[mode][static_cast<std::size_t>(e)]] += x[e];
    }
    return sum;
  }

 private:
  const ObservedEntries& positions_;
  PositionFeatures features_;
  PrivateSumsPlan plan_;
};

// The posterior mean of the unknowns, by conjugate gradients on the released sums.
class Posterior {
 public:
  Posterior(const Design& design, const FactorRows& table, const Variances& variances)
      : design_(design), table_(table), variances_(variances), signal_(signal()) {}

  // `noise`: the variance V of the noise in each sum.
  Unknowns mean(const Answers& released, const Answers& noise) const {
    Answers scaling = signal_;
    scaling.combine(1, 1, noise);
    Answers left = released, found = released;
    found.combine(0, 0, released);
    Answers direction = left.divided_by(scaling);
    double length = left.dot(direction);
    const double enough = kTolerance * kTolerance * length;
    for (int step = 0; step < kMostSteps && length > enough; ++step) {
      const Answers image = apply(direction, noise);
      const double along = length / direction.dot(image);
      found.combine(1, along, direction);
      left.combine(1, -along, image);
      const Answers scaled = left.divided_by(scaling);
      const double before = length;
      length = left.dot(scaled);
      direction.combine(length / before, 1, scaled);
    }
    return design_.prior_times_transposed(design_.entries_of(found, table_), variances_);
  }

  // Laplace noise counts as normal noise of another variance, which depends on the distance d of a
  // sum from what the model predicts. For a signal of variance m far below the noise, E[signal | d]
  // = m sign(d) / scale, smoothed over sqrt(m). So the noise counts as scale * |d|, on average half
  // its variance, and never for more than its variance.
  Answers worth(const Answers& released, const Unknowns& theta, const Answers& noise) const {
    Answers distance = released;
    distance.combine(1, -1, design_.answers_of(design_.entries_of(theta), table_));
    const Answers reach =
        distance.times(distance).with(signal_, [](double d2, double m) { return d2 + m * M_PI_2; });
    return noise.with(reach, [](double v, double r) { return std::min(v, std::sqrt(v / 2 * r)); });
  }

 private:
  // Q^T (Z D Z^T + s I) Q q + V q.
  Answers apply(const Answers& q, const Answers& noise) const {
    const Vector v = design_.entries_of(q, table_);
    const Vector x = design_.entries_of(design_.prior_times_transposed(v, variances_));
    Answers result = design_.answers_of(x + variances_.error * v, table_);
    result.combine(1, 1, q.times(noise));
    return result;
  }

  // About the diagonal of that matrix without V: a row's own unknown, and everything else as if
  // independent from entry to entry.
  Answers signal() const {
    const Vector ones = Vector::Ones(design_.size());
    const double one = variances_.rating;
    Answers result = design_.answers_of(ones, table_);
    for (std::size_t m = 0; m < result.modes.size(); ++m) {
      const auto count = result.modes[m].array();
      result.modes[m] = count * count * (prior_of(m) * one) + count * one;
    }
    const FactorRows own = table_.cwiseProduct(FactorRows(design_.taste_features()));
    const FactorRows square = table_.cwiseAbs2();
    const FactorRows owned = design_.answers_of(ones, own).tastes;
    result.tastes =
        kTasteVariance * one * owned.cwiseAbs2() + one * design_.answers_of(ones, square).tastes;
    return result;
  }

  const Design& design_;
  const FactorRows& table_;
  Variances variances_;
  Answers signal_;
};

// The model in the form of its kind: tastes times features; the factors of contexts are 1.
CompletionModel as_model(const Unknowns& theta, const Design& design,
                         const ObservedEntries& positions, LowRank kind, Index rank) {
  Start start;
  start.centre.assign(positions.dims.size(), 0);
  start.spread = start.core_spread = 0;
  CompletionModel model = start_model(kind, rank, positions.dims, start);
  const Index tastes = theta.tastes.cols();
  model.factors[0].leftCols(tastes) = theta.tastes;
  model.factors[1].leftCols(tastes) = design.taste_features();
  model.unknown_factors.assign(model.factors.size(), Vector::Zero(model.stride()));
  model.unknown_factors[1].head(tastes) = design.features().new_item.head(tastes);
  const bool cp = kind == LowRank::cp;
  for (std::size_t m = 2; m < model.factors.size(); ++m) {
    model.factors[m].leftCols(cp ? rank : 1).setOnes();
    model.unknown_factors[m].head(cp ? rank : 1).setOnes();
  }
  if (!cp) {
    Index later = 1;
    for (Index m = 3; m < model.order(); ++m) later *= rank;
    model.core.setZero();
    for (Index r = 0; r < rank; ++r) model.core((r * rank + r) * later, 0) = 1;
  }
  model.biases.mean = theta.mean;
  model.biases.rows = theta.modes;
  model.biases.rows[0] += theta.user_slope * design.features().users;
  model.biases.rows[1] += design.features().items * theta.item_slope;
  model.biases.unknown.assign(positions.dims.size(), 0);
  model.biases.unknown[0] = theta.user_slope * design.features().new_user;
  model.biases.unknown[1] = design.features().new_item.dot(theta.item_slope);
  return model;
}

// Names of the releases in plans and certificates.
std::string sums_of_mode(std::size_t mode) {
  return "sums of the ratings of each row of mode " + std::to_string(mode);
}
constexpr const char* kTasteSums = "sums of the ratings of each user times features of the items";
constexpr const char* kSquareSum = "sum of squares";

struct Found {
  Answers sums, noise;  // noise: variances
  double squares = 0;
};

Found release_all(const ObservedEntries& positions, const PrivateSumsPlan& plan,
                  const Matrix& table, RatingSums& sums) {
  Found found;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    found.sums.modes.emplace_back();
    found.noise.modes.emplace_back();
    if (!(plan.modes[m] > 0)) continue;
    const Noisy<Matrix> rows =
        sums.release({sums_of_mode(m), positions.dims[m], positions.index[m]}, plan.modes[m])
            .value();
    found.sums.modes[m] = rows.value;
    found.noise.modes[m] = Vector::Constant(positions.dims[m], rows.variance);
  }
  const Noisy<Matrix> tastes =
      sums.release({kTasteSums, positions.dims[0], positions.index[0], &table, positions.index[1]},
                   plan.tastes)
          .value();
  found.sums.tastes = tastes.value;
  found.noise.tastes = FactorRows::Constant(positions.dims[0], plan.taste_count, tastes.variance);
  const std::vector<std::int32_t> all(positions.value.size(), 0);
  const SumQuery squares{kSquareSum, 1, all, nullptr, {}, 2};
  found.squares = sums.release(squares, plan.squares).value().value(0, 0);
  return found;
}

// The mean of all values, less the middle of the range. The sums of every mode add up to it; they
// are weighted by their noise, against a prior of a quarter of the range.
double overall_mean(const Found& found, double n, double width) {
  double weighted = 0, weights = 16 / (width * width);
  for (std::size_t m = 0; m < found.sums.modes.size(); ++m) {
    if (found.sums.modes[m].size() == 0) continue;
    const double weight = n * n / found.noise.modes[m].sum();
    weighted += weight * found.sums.modes[m].sum() / n;
    weights += weight;
  }
  return std::clamp(weighted / weights, -width / 2, width / 2);
}

}  // namespace

void ask_for_something(Matrix& table, std::span<const std::int32_t> used) {
  const bool has_some = std::any_of(used.begin(), used.end(), [&](std::int32_t r) {
    return table.row(r).cwiseAbs().maxCoeff() > kLeastCoefficient;
  });
  if (!has_some) table.col(0).setOnes();
}

std::vector<double> PrivateSumsPlan::shares() const {
  std::vector<double> result{squares};
  for (const double share : modes) {
    if (share > 0) result.push_back(share);
  }
  if (taste_count > 0) result.push_back(tastes);
  return result;
}

PrivateSumsPlan plan_private_sums(const RatingShape& shape, double epsilon, Index rank) {
  SOTTO_REQUIRE(shape.ratings > 0, "there are no entries to learn from");
  const auto& dims = shape.dims;
  PrivateSumsPlan plan;
  plan.squares = kSquareShare;
  const Index features = 1 + std::min({kMaxPositionVectors, dims[0], dims[1]});
  plan.taste_count = std::min({rank, features, kMostTastes});
  const double strength = epsilon * std::sqrt(static_cast<double>(shape.ratings) /
                                              (kUsualCount * static_cast<double>(dims[0])));
  plan.tastes = kMostForTastes * strength / (1 + strength);
  plan.slope_variance = kMostForSlopes * strength / (1 + strength);

  const auto contexts = static_cast<double>(
      std::count_if(dims.begin() + 2, dims.end(), [](Index dim) { return dim > 1; }));
  double parts = 0;
  for (std::size_t m = 0; m < dims.size(); ++m) {
    double part = m == 0 ? kUserPart : m == 1 ? kItemPart : kContextPart / contexts;
    if (dims[m] == 1 && m > 0) part = 0;
    plan.modes.push_back(part);
    parts += part;
    if (part > 0) plan.values += dims[m];
  }
  for (double& share : plan.modes) share *= (1 - plan.squares - plan.tastes) / parts;
  plan.values += 1 + dims[0] * plan.taste_count;
  return plan;
}

std::vector<PlannedRelease> planned_releases(const PrivateSumsPlan& plan,
                                             const RatingPlan& settings, const RatingShape& shape) {
  std::vector<PlannedRelease> releases;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    if (!(plan.modes[m] > 0)) continue;
    releases.push_back(planned_sum({sums_of_mode(m), shape.dims[m], plan.modes[m]}, settings));
  }
  PlannedSum tastes{kTasteSums, shape.dims[0], plan.tastes, plan.taste_count};
  tastes.has_coefficients = true;
  releases.push_back(planned_sum(tastes, settings));
  releases.push_back(planned_sum({kSquareSum, 1, plan.squares, 1, 2}, settings));
  return releases;
}

PrivateSumsFit fit_private_sums(const ObservedEntries& positions, const PrivateSumsPlan& plan,
                                LowRank kind, Index rank, RatingSums& sums) {
  const Design design(positions, plan);
  const FactorRows table = design.taste_table(sums.plan().noise);
  Found found = release_all(positions, plan, table, sums);

  // The mean has hardly any noise; the rest is learnt around it.
  const auto n = static_cast<double>(positions.size());
  const double width = sums.plan().bounds.width();
  const double mean = overall_mean(found, n, width);
  Variances variances;
  variances.rating =
      std::clamp(found.squares / n - mean * mean, width * width / 400, width * width / 4);
  const double explained = kUserVariance + kItemVariance + kContextVariance +
                           kTasteVariance * static_cast<double>(plan.taste_count);
  variances.error = std::max(kLeastError, 1 - explained) * variances.rating;
  found.sums.combine(1, -mean, design.answers_of(Vector::Ones(positions.size()), table));

  const Posterior posterior(design, table, variances);
  Unknowns theta = posterior.mean(found.sums, found.noise);
  if (sums.plan().noise == RatingNoise::laplace) {
    for (int round = 0; round < kLaplaceRounds; ++round) {
      theta = posterior.mean(found.sums, posterior.worth(found.sums, theta, found.noise));
    }
  }
  theta.mean += mean + sums.plan().bounds.middle();
  CompletionModel model = as_model(theta, design, positions, kind, rank);
  model.range = std::pair(sums.plan().bounds.low, sums.plan().bounds.high);
  return {std::move(model), variances.rating};
}

}  // namespace sotto
