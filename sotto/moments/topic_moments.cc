#include "sotto/moments/topic_moments.h"

#include "sotto/base/error.h"

namespace sotto {
namespace {

double second_factor(double a0) { return a0 / (a0 + 1); }
double cross_factor(double a0) { return a0 / (a0 + 2); }
double cube_factor(double a0) { return 2 * a0 * a0 / ((a0 + 1) * (a0 + 2)); }

}  // namespace

TopicMoments::TopicMoments(DocumentSource& documents, const MomentClips& clips, double alpha0,
                           MomentForm form)
    : documents_(documents),
      clips_(clips),
      alpha0_(alpha0),
      unbiased_(form == MomentForm::unbiased),
      totals_(document_totals(documents, clips)) {
  SOTTO_REQUIRE(totals_.third > 0,
                "no document has 3 tokens or more: there is no third moment to decompose");
  SOTTO_REQUIRE_AT(alpha0 >= 0, "`alpha0`", "must not be negative, got {}", alpha0);
  // The unbiased mean cube runs over triples of different documents.
  SOTTO_REQUIRE_AT(!unbiased_ || alpha0 == 0 || totals_.with_words >= 3, "`form`",
                   "unbiased needs 3 documents or more, the corpus has {}; use plug-in",
                   totals_.with_words);
  first_sum_ = weighted_words(documents, {clips, {.first = 1}});
  second_words_ = weighted_words(documents, {clips, {.second = 1}});
}

RowMatrix TopicMoments::products(const WeightFactors& factors, const RowMatrix& block) const {
  return weighted_products(documents_, {clips_, factors}, block);
}

// One sum over the documents: those terms of M1 M1^T that unbiased subtracts have the form of E2.
RowMatrix TopicMoments::second_times(const RowMatrix& block) const {
  double pairs = totals_.first * totals_.first;
  if (unbiased_) pairs -= totals_.first_squared;
  const double factor = second_factor(alpha0_) == 0 ? 0 : second_factor(alpha0_) / pairs;
  RowMatrix product =
      products({.second = 1 / totals_.second, .first_squared = unbiased_ ? factor : 0}, block);
  product -= (second_words_ / totals_.second).asDiagonal() * block;
  if (factor != 0) product -= first_sum_ * (factor * (first_sum_.transpose() * block));
  return product;
}

// a0/(a0+2) over the pairs of documents in E2 (x) M1.
double TopicMoments::cross() const {
  const double pairs = totals_.second * totals_.first - (unbiased_ ? totals_.first_and_second : 0);
  return alpha0_ == 0 ? 0 : cross_factor(alpha0_) / pairs;
}

// 2 a0^2/((a0+1)(a0+2)) over the triples of documents in M1^(x)3.
double TopicMoments::cube() const {
  double triples = totals_.first * totals_.first * totals_.first;
  if (unbiased_) triples += 2 * totals_.first_cubed - 3 * totals_.first * totals_.first_squared;
  return alpha0_ == 0 ? 0 : cube_factor(alpha0_) / triples;
}

// Terms of one document, y (x) y (x) y and -c_i y (x) w_i (x) w_i, are summed with their weights in
// all three: E3, and what unbiased takes out of the other two.
SymmetricTensor TopicMoments::third(const RowMatrix& w) const {
  const double in_cross = unbiased_ ? cross() : 0, in_cube = unbiased_ ? cube() : 0;
  const double mass = 1 / totals_.third;
  PlacementSum sum = weighted_cubes(
      documents_,
      {clips_,
       {.third = mass / 3, .first_and_second = in_cross, .first_cubed = 2.0 / 3.0 * in_cube}},
      w);
  const Vector triples = mass * weighted_words(documents_, {clips_, {.third = 1}});
  const RowMatrix z = products({.third = mass, .first_and_second = in_cross}, w);
  sum.add(RowMatrix((2.0 / 3.0 * triples).asDiagonal() * w - z), w);
  if (alpha0_ == 0) return sum.tensor();
  const Vector s1 = w.transpose() * first_sum_;
  RowMatrix pairs = products({.second = 1}, w);
  pairs -= second_words_.asDiagonal() * w;
  sum.add(-cross() * s1, Matrix(w.transpose() * pairs));
  sum.add(cube() / 3 * s1, Matrix(s1 * s1.transpose()));
  if (unbiased_) {
    sum.add(-in_cube * s1, Matrix(w.transpose() * products({.first_squared = 1}, w)));
  }
  return sum.tensor();
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
