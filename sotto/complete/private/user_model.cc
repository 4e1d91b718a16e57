#include "sotto/complete/private/user_model.h"
#include "sotto/linalg/spectral.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

double time_effect(const UserModel& model, std::int32_t time) {
  return time == kUnknownRow || model.times.size() == 0 ? 0 : model.times[time];
}

}  // namespace

OwnTaste solve_user(const UserModel& model, std::span<const OwnRating> own) {
  const Index rank = model.factors.cols();
  const double level = std::sqrt(model.level_variance);
  Matrix gram = Matrix::Identity(rank + 1, rank + 1) * model.error_variance;
  Vector right = Vector::Zero(rank + 1), row(rank + 1);
  for (const OwnRating& rating : own) {
    row[0] = level;
    row.tail(rank) = model.factors.row(rating.item);
    const double value = std::clamp(rating.value, model.bounds.low, model.bounds.high);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(row);
    right +=
        (value - model.mean - model.effects[rating.item] - time_effect(model, rating.time)) * row;
  }
  const Vector found = solve_positive_definite(gram, right);
  return {level * found[0], found.tail(rank)};
}

double predict(const UserModel& model, const OwnTaste& user, std::int32_t item, std::int32_t time) {
  double x = model.mean + user.level + time_effect(model, time);
  if (item != kUnknownRow) x += model.effects[item] + model.factors.row(item).dot(user.taste);
  return std::clamp(x, model.bounds.low, model.bounds.high);
}

}  // namespace sotto
