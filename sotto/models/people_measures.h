// How well the factors of a tensor of people fit it, for people who may be looked at.
//
// Counts: the perplexity of an event, exp(- mean of log sum_t a_pt prod_m f_m[j_m, t]), with the
// proportions a_p of the person whose event it is. For comparison that of the margins: every person
// is the same, and the modes are independent of each other. Every distribution is mixed with 1e-6
// of the uniform one, so that no event is impossible.
// Real values: the share of the sum of squares that X_p = sum_t a_pt b_t o c_t o .. explains.
// Cost: O(cells k). Privacy: none.
#pragma once

#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

struct EventPerplexity {
  double model = 1, margins = 1;
};

// Columns of `factors`, which belong to the modes beside the people, sum to one; so do the rows of
// `proportions`.
EventPerplexity event_perplexity(const SparseTensor& events, const std::vector<Matrix>& factors,
                                 const RowMatrix& proportions);

double explained_share(const SparseTensor& values, const std::vector<Matrix>& factors,
                       const RowMatrix& loadings);

}  // namespace sotto
