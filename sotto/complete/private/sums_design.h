// The linear model of private sums: how its unknowns predict ratings (Z), and how ratings enter the
// released sums (Q). Everything here is a function of public positions.
//
// The weight of a rating, at most 1 in all (L1 norm for Laplace noise, L2 for Gaussian), is divided
// by the number of ratings of its user. The level of a user is to be known to a fixed share of what
// levels differ by: few ratings need a large weight for that and many a small one, and what a
// rating has left goes to the item, the contexts and the tastes. The sum of all ratings has a small
// weight of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sotto/complete/fit/model.h"
#include "sotto/complete/private/position_features.h"
#include "sotto/complete/private/sums.h"
#include "sotto/release/rating_sums.h"

namespace sotto::private_sums {

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
  double all = 0;
  std::vector<Vector> modes;  // empty where nothing is released
  FactorRows tastes;

  double dot(const Answers& other) const;
  // this = scale * this + factor * other
  void combine(double scale, double factor, const Answers& other);
  // Applies f(this, other) number by number.
  template <class F>
  Answers with(const Answers& other, F f) const {
    Answers result = *this;
    result.all = f(all, other.all);
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

// Prior variances: of the unknowns of each block (D), and of what they leave (s).
struct Priors {
  double mean = 0;
  std::vector<double> modes;              // 0 for a mode without sums
  double item_slope = 0, user_slope = 0;  // of each
  double tastes = 0;
  double error = 0;
};

// What a rating of a user weighs in the sums of each kind.
struct RatingWeights {
  double all = 0;
  Vector users, items, contexts, tastes;  // by user
};
// `deviation`: of the noise, in widths of the range, for coefficients of norm 1.
RatingWeights rating_weights(const PrivateSumsPlan& plan, const Vector& ratings_of_users,
                             double deviation, RatingNoise noise);

class Design {
 public:
  Design(const ObservedEntries& positions, const PrivateSumsPlan& plan, double deviation,
         RatingNoise noise);

  Index size() const { return positions_.size(); }
  const PositionFeatures& features() const { return features_; }
  const PrivateSumsPlan& plan() const { return plan_; }
  auto taste_features() const { return features_.items.leftCols(plan_.taste_count); }

  // What is released together, and the released numbers as answers.
  std::vector<SumQuery> queries() const;
  Answers answers(const Vector& numbers) const;

  Vector entries_of(const Unknowns& theta) const;                                        // Z theta
  Unknowns prior_times_transposed(const Vector& v, const Priors& priors) const;          // D Z^T v
  Vector entries_of(const Answers& q) const;                                             // Q q
  Answers answers_of(const Vector& x) const { return answers_of(x, weights_, table_); }  // Q^T x
  // The sums of the squares of the coefficients of each answer.
  const Answers& squares() const { return squares_; }
  // For each taste sum, the sum of its coefficients times the features of its own taste.
  const FactorRows& own_tastes() const { return own_tastes_; }

 private:
  Answers answers_of(const Vector& x, const RatingWeights& weights, const FactorRows& table) const;
  Vector row_sums(std::size_t mode, const Vector& x) const;
  const Vector& weights_of(std::size_t mode) const;
  bool asks(std::size_t mode) const { return plan_.asks[mode]; }

  const ObservedEntries& positions_;
  PositionFeatures features_;
  PrivateSumsPlan plan_;
  RatingWeights weights_;
  FactorRows table_;    // of the taste sums: features of an item divided by their norm
  Matrix asked_table_;  // the same
  std::vector<std::vector<double>> entry_weights_;  // of the queries
  std::vector<std::int32_t> first_row_;
  Answers squares_;
  FactorRows own_tastes_;
};

}  // namespace sotto::private_sums
