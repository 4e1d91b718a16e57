#include "sotto/complete/private/sums_design.h"

#include <algorithm>
#include <cmath>

namespace sotto::private_sums {
namespace {

constexpr double kShortestStretched = 0.5;  // norm to which features are not stretched

Vector counts(const ObservedEntries& positions, std::size_t mode) {
  Vector count = Vector::Zero(positions.dims[mode]);
  for (const std::int32_t r : positions.index[mode]) count[r] += 1;
  return count;
}

// Features divided by their norm, so that every entry weighs the same.
FactorRows unit_rows(FactorRows table, RatingNoise noise) {
  for (Index i = 0; i < table.rows(); ++i) {
    const double norm =
        noise == RatingNoise::laplace ? table.row(i).lpNorm<1>() : table.row(i).norm();
    table.row(i) /= std::max(norm, kShortestStretched);
  }
  return table;
}

}  // namespace

double Answers::dot(const Answers& other) const {
  double sum = all * other.all + tastes.cwiseProduct(other.tastes).sum();
  for (std::size_t m = 0; m < modes.size(); ++m) sum += modes[m].dot(other.modes[m]);
  return sum;
}

void Answers::combine(double scale, double factor, const Answers& other) {
  all = scale * all + factor * other.all;
  tastes = scale * tastes + factor * other.tastes;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    modes[m] = scale * modes[m] + factor * other.modes[m];
  }
}

RatingWeights rating_weights(const PrivateSumsPlan& plan, const Vector& ratings_of_users,
                             double deviation, RatingNoise noise) {
  // Parts of a rating's budget: of epsilon for Laplace noise, of mu^2 for Gaussian.
  const bool laplace = noise == RatingNoise::laplace;
  const auto part = [&](double coefficient) {
    return laplace ? coefficient : coefficient * coefficient;
  };
  const auto coefficient = [&](double of_budget) {
    return laplace ? of_budget : std::sqrt(of_budget);
  };
  const double entries = ratings_of_users.sum();
  const double all = std::min(plan.most_for_mean, part(deviation / (plan.mean_error * entries)));
  RatingWeights weights;
  weights.all = coefficient(all);
  const Index users = ratings_of_users.size();
  for (Vector* v : {&weights.users, &weights.items, &weights.contexts, &weights.tastes}) {
    v->resize(users);
  }
  for (Index u = 0; u < users; ++u) {
    const double needed = part(deviation / (plan.level_error * std::max(1.0, ratings_of_users[u])));
    const double own = std::clamp(needed, plan.least_for_levels, plan.most_for_levels) * (1 - all);
    const double left = 1 - all - own;
    weights.users[u] = coefficient(own);
    weights.items[u] = coefficient(left * plan.items);
    weights.contexts[u] = coefficient(left * plan.each_context);
    weights.tastes[u] = coefficient(left * plan.tastes);
  }
  return weights;
}

Design::Design(const ObservedEntries& positions, const PrivateSumsPlan& plan, double deviation,
               RatingNoise noise)
    : positions_(positions),
      features_(position_features(positions)),
      plan_(plan),
      weights_(rating_weights(plan, counts(positions, 0), deviation, noise)),
      table_(unit_rows(taste_features(), noise)),
      first_row_(positions.value.size(), 0) {
  asked_table_ = table_;
  if (plan_.taste_count > 0) ask_for_something(asked_table_, positions.index[1]);
  table_ = asked_table_;

  const auto by_entry = [&](const Vector& by_user) {
    std::vector<double> result;
    result.reserve(positions.value.size());
    for (const std::int32_t u : positions.index[0]) result.push_back(by_user[u]);
    return result;
  };
  entry_weights_.emplace_back(positions.value.size(), weights_.all);
  for (std::size_t m = 0; m < positions.dims.size(); ++m) {
    if (asks(m)) entry_weights_.push_back(by_entry(weights_of(m)));
  }
  entry_weights_.push_back(by_entry(weights_.tastes));

  RatingWeights squared = weights_;
  squared.all *= squared.all;
  for (Vector* v : {&squared.users, &squared.items, &squared.contexts, &squared.tastes}) {
    *v = v->cwiseAbs2();
  }
  const Vector ones = Vector::Ones(positions.size());
  squares_ = answers_of(ones, squared, table_.cwiseAbs2());
  own_tastes_ =
      answers_of(ones, weights_, table_.cwiseProduct(FactorRows(taste_features()))).tastes;
}

const Vector& Design::weights_of(std::size_t mode) const {
  return mode == 0 ? weights_.users : mode == 1 ? weights_.items : weights_.contexts;
}

std::vector<SumQuery> Design::queries() const {
  std::vector<SumQuery> queries;
  const auto add = [&](SumQuery query) {
    query.weight = entry_weights_[queries.size()];
    queries.push_back(std::move(query));
  };
  add({"all", 1, first_row_});
  for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
    if (asks(m)) add({"rows", positions_.dims[m], positions_.index[m]});
  }
  if (plan_.taste_count == 0) return queries;
  add({"tastes", positions_.dims[0], positions_.index[0], &asked_table_, positions_.index[1]});
  return queries;
}

Answers Design::answers(const Vector& numbers) const {
  Answers found;
  found.all = numbers[0];
  Index at = 1;
  for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
    const Index rows = asks(m) ? positions_.dims[m] : 0;
    found.modes.emplace_back(numbers.segment(at, rows));
    at += rows;
  }
  const Index users = positions_.dims[0];
  found.tastes = Eigen::Map<const FactorRows>(numbers.data() + at, users, plan_.taste_count);
  return found;
}

Vector Design::entries_of(const Unknowns& theta) const {
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

Unknowns Design::prior_times_transposed(const Vector& v, const Priors& priors) const {
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

  theta.mean *= priors.mean;
  theta.tastes *= priors.tastes;
  theta.item_slope *= priors.item_slope;
  theta.user_slope *= priors.user_slope;
  for (std::size_t m = 0; m < theta.modes.size(); ++m) theta.modes[m] *= priors.modes[m];
  return theta;
}

Vector Design::entries_of(const Answers& q) const {
  Vector v(positions_.size());
  for (Index e = 0; e < positions_.size(); ++e) {
    const std::int32_t u = positions_.row(0, e);
    v[e] = weights_.all * q.all +
           weights_.tastes[u] * table_.row(positions_.row(1, e)).dot(q.tastes.row(u));
    for (std::size_t m = 0; m < q.modes.size(); ++m) {
      if (q.modes[m].size() > 0) {
        v[e] += weights_of(m)[u] * q.modes[m][positions_.index[m][static_cast<std::size_t>(e)]];
      }
    }
  }
  return v;
}

Answers Design::answers_of(const Vector& x, const RatingWeights& weights,
                           const FactorRows& table) const {
  Answers q;
  q.all = weights.all * x.sum();
  Vector weighted(x.size());
  for (std::size_t m = 0; m < positions_.dims.size(); ++m) {
    if (!asks(m)) {
      q.modes.emplace_back();
      continue;
    }
    const Vector& own = m == 0 ? weights.users : m == 1 ? weights.items : weights.contexts;
    for (Index e = 0; e < x.size(); ++e) weighted[e] = own[positions_.row(0, e)] * x[e];
    q.modes.push_back(row_sums(m, weighted));
  }
  q.tastes = FactorRows::Zero(positions_.dims[0], plan_.taste_count);
  for (Index e = 0; e < positions_.size(); ++e) {
    const std::int32_t u = positions_.row(0, e);
    q.tastes.row(u) += weights.tastes[u] * x[e] * table.row(positions_.row(1, e));
  }
  return q;
}

Vector Design::row_sums(std::size_t mode, const Vector& x) const {
  Vector sum = Vector::Zero(positions_.dims[mode]);
  for (Index e = 0; e < positions_.size(); ++e) {
    sum[positions_.index[mode][static_cast<std::size_t>(e)]] += x[e];
  }
  return sum;
}

}  // namespace sotto::private_sums
