// Factors of slices of real numbers, X_p = sum_t a_pt b_t o c_t o .. + noise, from what was
// released about people: post-processing alone. The counterpart of people_factors_estimate.h.
//
//   1. norms of rows, from them a core for each mode;
//   2. Gram matrix of each mode on its core: leading eigenvectors U_m;
//   3. second moment of the slices in the space of these, X_p(U_1, U_2, ..): its leading k-space is
//      spanned by the compressed b_t o c_t o .., as a tensor of rank k with a mixing of its own,
//      which alternating least squares finds;
//   4. alternating steps: a person's loadings are solved from the current factors and the slice,
//      nothing is released for that; the normal equations of all modes are released as sums.
//      Steps are averaged by their precision.
// Where factors must not be negative, each estimate is drawn to what is not, before the next
// question is asked.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/models/people_factors_plan.h"
#include "sotto/moments/slice_sums.h"
#include "sotto/release/noisy.h"

namespace sotto {

// What loadings are solved from, given the factor of each mode: the inverse has a small ridge, so
// that factors which are nearly the same do not take loadings apart.
SliceFactors slice_factors(const std::vector<Matrix>& modes);

class SliceEstimate {
 public:
  SliceEstimate(const PublicPeopleShape& shape, const PeopleOptions& options);

  void take_norms(const Noisy<Vector>& norms);
  // Rows of the mode whose Gram matrix is released, the largest ones in increasing order.
  const std::vector<std::int32_t>& core(std::size_t mode) const { return core_[mode]; }
  Index core() const;

  void take_gram(std::size_t mode, const Noisy<Matrix>& gram);
  const std::vector<RowMatrix>& bases() const { return bases_; }
  void take_moment(const Noisy<Matrix>& moment);

  // In place of moments.
  void start_at_random();

  SliceFactors factors() const { return slice_factors(modes_); }
  // Earlier steps keep the share `decay` of their weight.
  void take_equations(const Noisy<Vector>& equations, double decay);

  const std::vector<Matrix>& modes() const { return modes_; }  // columns of norm one
  const Vector& weights() const { return weights_; }           // shares of the loadings' squares

 private:
  Matrix cross_grams(std::size_t but) const;
  void finish_factor(Matrix& factor) const;  // norms, signs

  std::vector<Index> dims_, offset_;
  PeopleOptions options_;
  std::vector<std::vector<std::int32_t>> core_;
  std::vector<RowMatrix> bases_;
  std::vector<Matrix> modes_;
  std::vector<Matrix> sum_;  // of the steps, by precision
  std::vector<Vector> precision_;
  Vector weights_;
};

}  // namespace sotto
