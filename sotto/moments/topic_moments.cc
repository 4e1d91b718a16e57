#include "sotto/moments/topic_moments.h"

#include "sotto/base/error.h"

namespace sotto {
namespace {

double second_factor(double a0) { return a0 / (a0 + 1); }
double cross_factor(double a0) { return a0 / (a0 + 2); }
double cube_factor(double a0) { return 2 * a0 * a0 / ((a0 + 1) * (a0 + 2)); }

}  // namespace

TopicMoments::TopicMoments(const DocumentMoments& raw, double alpha0, MomentForm form)
    : raw_(raw),
      alpha0_(alpha0),
      unbiased_(form == MomentForm::unbiased),
      first_sum_(raw.first_sum()),
      mean_(first_sum_ / raw.first_mass()) {
  SOTTO_REQUIRE(raw.third_mass() > 0,
                "no document has 3 tokens or more: there is no third moment to decompose");
  SOTTO_REQUIRE_AT(alpha0 >= 0, "`alpha0`", "must not be negative, got {}", alpha0);
  // The unbiased mean cube runs over triples of different documents.
  const Index used = (raw.first_weights().array() > 0).count();
  SOTTO_REQUIRE_AT(!unbiased_ || alpha0 == 0 || used >= 3, "`form`",
                   "unbiased needs 3 documents or more, the corpus has {}; use plug-in", used);
}

Vector TopicMoments::repeated_pairs() const {
  return (raw_.first_weights().array() / raw_.lengths().array().max(1.0)).square();
}

RowMatrix TopicMoments::second_times(const RowMatrix& block) const {
  RowMatrix product = raw_.second_sum_times(block) / raw_.second_mass();
  const double factor = second_factor(alpha0_);
  if (factor == 0) return product;
  RowMatrix outer = first_sum_ * (first_sum_.transpose() * block);
  double pairs = raw_.first_mass() * raw_.first_mass();
  if (unbiased_) {
    outer -=
        multiply(raw_.by_word().view(), repeated_pairs(), multiply(raw_.corpus().view(), block));
    pairs -= raw_.first_weights().squaredNorm();
  }
  return product - factor / pairs * outer;
}

SymmetricTensor TopicMoments::third(const RowMatrix& w) const {
  const RowMatrix y = multiply(raw_.corpus().view(), w);
  PlacementSum sum(w.cols());
  raw_.add_third(w, y, 1 / raw_.third_mass(), sum);
  if (alpha0_ > 0) {
    add_cross_term(w, y, sum);
    add_mean_cube(w, y, sum);
  }
  return sum.tensor();
}

// - a0/(a0+2) placements(E2 (x) M1)
void TopicMoments::add_cross_term(const RowMatrix& w, const RowMatrix& y, PlacementSum& sum) const {
  const Vector s1 = w.transpose() * first_sum_;
  const Matrix s2 = w.transpose() * raw_.second_sum_times(w);
  double pairs = raw_.second_mass() * raw_.first_mass();
  Vector same;  // a_n b_n / (l (l)_2)
  if (unbiased_) {
    const auto both = raw_.second_weights().cwiseProduct(raw_.first_weights());
    pairs -= both.sum();
    const auto l = raw_.lengths().array().max(2.0);
    same = both.array() / (l.square() * (l - 1));
  }
  const double factor = cross_factor(alpha0_) / pairs;
  sum.add(-factor * s1, s2);
  if (!unbiased_) return;
  // P2 (x) P1 in k dimensions is (y y^T - sum_i c_i w_i w_i^T) (x) y / (l (l)_2).
  sum.add(factor * same.asDiagonal() * y, y);
  sum.add(RowMatrix(-factor * multiply(raw_.by_word().view(), same, y)), w);
}

// 2 a0^2/((a0+1)(a0+2)) M1^(x)3
void TopicMoments::add_mean_cube(const RowMatrix& w, const RowMatrix& y, PlacementSum& sum) const {
  const Vector s1 = w.transpose() * first_sum_;
  const Vector& b = raw_.first_weights();
  double triples = raw_.first_mass() * raw_.first_mass() * raw_.first_mass();
  if (unbiased_) triples += 2 * b.array().cube().sum() - 3 * raw_.first_mass() * b.squaredNorm();
  const double factor = cube_factor(alpha0_) / triples;
  sum.add(factor / 3 * s1, Matrix(s1 * s1.transpose()));
  if (!unbiased_) return;
  const Vector pairs = repeated_pairs();
  sum.add(-factor * s1, Matrix(y.transpose() * pairs.asDiagonal() * y));
  const Vector cubes = (b.array() / raw_.lengths().array().max(1.0)).cube();
  sum.add(2.0 / 3.0 * factor * cubes.asDiagonal() * y, y);
}

SymmetricTensor topic_third_moment(const SymmetricTensor& e3, const Matrix& e2, const Vector& e1,
                                   double alpha0) {
  PlacementSum rest(e1.size());
  rest.add(-cross_factor(alpha0) * e1, e2);
  rest.add(cube_factor(alpha0) / 3 * e1, Matrix(e1 * e1.transpose()));
  SymmetricTensor m3 = rest.tensor();
  m3.add_scaled(1, e3);
  return m3;
}

}  // namespace sotto
