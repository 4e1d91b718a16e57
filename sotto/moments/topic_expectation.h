// The expectation step of latent Dirichlet allocation (Blei, Ng & Jordan 2003): what the words of a
// document say about its topics, given the topics, and the counts that are expected.
//
// For each document the Dirichlet parameters g of its proportions solve
//   g_t = alpha_t + sum_w c_w phi_wt,   phi_wt ~ exp(digamma(g_t)) mu_wt  (sum over t: 1),
// in a fixed number of rounds. The maximisation step of the topics needs M_wt = sum_n c_nw phi_nwt,
// which is summed word by word from the documents' exp(digamma(g)) alone. One thread computes each
// row: the answer is the same for any number of threads.
// Cost: O(nnz k) per round.
// Privacy: none here. A document's part of M is non-negative and sums to its length; release/
// bounds its norm by the scales below.
#pragma once

#include "sotto/linalg/counts.h"

namespace sotto {

// Dirichlet parameters, one row per document. `parameters` holds the start, see start_parameters(),
// and is improved in place. The topics are stored row by row: V x k, columns sum to one.
void improve_parameters(const CountView& documents, const RowMatrix& topics, const Vector& alpha,
                        int rounds, RowMatrix& parameters);

// alpha + l/k for a document of length l.
RowMatrix start_parameters(const CountView& documents, const Vector& alpha);

// exp(digamma(g)) by columns of each row, relative error below 1e-10.
RowMatrix expected_log_weights(const RowMatrix& parameters);

// Parameters scaled to sum to one: the mean proportions.
RowMatrix mean_proportions(const RowMatrix& parameters);

// M: V x k. Document n counts `scale[n]` times.
RowMatrix expected_counts(const CountView& by_word, const RowMatrix& topics,
                          const RowMatrix& weights, const Vector& scale);

// The Frobenius norm of each document's part of M at scale one, with the rows of M multiplied by
// word_scale.
Vector contribution_norms(const CountView& documents, const RowMatrix& topics,
                          const RowMatrix& weights, const Vector& word_scale);

}  // namespace sotto
