// The moments whose components are the topics: latent Dirichlet allocation with known a0 = sum of
// alpha, and the single-topic model, a0 = 0 (Anandkumar et al. 2012, 2014).
//
//   M1 = E1,   M2 = E2 - a0/(a0+1) M1 M1^T = sum_i alpha_i / (a0 (a0+1)) mu_i mu_i^T,
//   M3 = E3 - a0/(a0+2) placements(E2 (x) M1) + 2 a0^2/((a0+1)(a0+2)) M1^(x)3
//      = sum_i 2 alpha_i / (a0 (a0+1)(a0+2)) mu_i^(x)3.
//
// Two forms. Plug-in takes products of means. Unbiased takes sums over different documents:
//   M1 M1^T    by  (S1 S1^T - sum_n b_n^2 P1 P1^T) / (B^2 - sum b_n^2),
//   E2 (x) M1  by  (S2 (x) S1 - sum_n a_n b_n P2 (x) P1) / (A B - sum a_n b_n),
//   M1^(x)3    by  (S1^(x)3 - placements(sum_n b_n^2 P1 P1^T (x) S1) + 2 sum_n b_n^3 P1^(x)3)
//                  / (B^3 - 3 B sum b_n^2 + 2 sum b_n^3),
// where b and a are the weights of P1 and P2, B and A their sums, S1 and S2 the weighted sums.
// (Esmaeili & Huang 2018 print the plug-in coefficients and the signs of these forms differently,
// eqs. 3, 13 and 14; topic_moments_test.cc decides by enumeration.)
//
// Everything is implicit: products of M2 with blocks and M3(W,W,W), each one sum over the documents
// or a few.
// Privacy: none here.
#pragma once

#include "sotto/moments/document_sums.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

class TopicMoments {
 public:
  // Borrows the documents, and asks for sums over them. Refuses documents none of which is long
  // enough.
  TopicMoments(DocumentSource& documents, const MomentClips& clips, double alpha0, MomentForm form);

  Vector first() const { return first_sum_ / totals_.first; }
  RowMatrix second_times(const RowMatrix& block) const;  // M2 B
  SymmetricTensor third(const RowMatrix& w) const;       // M3(W,W,W)
  const DocumentTotals& totals() const { return totals_; }

 private:
  RowMatrix products(const WeightFactors& factors, const RowMatrix& block) const;
  // What the three terms of M3 have in common.
  double cross() const;
  double cube() const;

  DocumentSource& documents_;
  MomentClips clips_;
  double alpha0_;
  bool unbiased_;
  DocumentTotals totals_;
  Vector first_sum_;     // S1
  Vector second_words_;  // sum_n a_n c_n / (l)_2, the diagonal that P2 lacks
};

// The same M3 from released or given raw moments in k dimensions, plug-in form: e3 = E3(W,W,W),
// e2 = W^T E2 W, e1 = W^T E1.
SymmetricTensor topic_third_moment(const SymmetricTensor& e3, const Matrix& e2, const Vector& e1,
                                   double alpha0);

}  // namespace sotto
