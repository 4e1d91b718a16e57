// Topics from moments: latent Dirichlet allocation and the single-topic model (Anandkumar et al.
// 2012, 2014), by a spectral start and a few expectation-maximisation steps.
//
// Spectral start: the top k eigenpairs of M2 whiten; M3(W,W,W) is k x k x k and orthogonal; its
// components lambda_i v_i map back to the topics by B = (W^T)^+:
//   mu_i = (a0 + 2)/2 lambda_i B v_i,   alpha_i / a0 = 4 (a0 + 1) / ((a0 + 2) lambda_i)^2
// (a0 = 0, single topic: w_i = 1/lambda_i^2). Documents are clipped at the median norm, which makes
// the moments robust; docs/topics.md has the measurements.
// Cost: O(nnz k) per product, O((N + V) k^3) once, O(k^4) for the power method; never V^3.
// Privacy: none here; fit_private_topics (private_topics.h) does the same from released moments.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/result.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/topic_options.h"
#include "sotto/moments/topic_moments.h"

namespace sotto {

struct TopicFit {
  TopicModel model;
  TopicModel spectral;     // before refinement
  Vector second_spectrum;  // the k eigenvalues of M2 that were used
  Decomposition whitened;  // components of M3(W,W,W)
  DocumentTotals totals;
};

// Refuses, naming its numerical rank, an M2 with fewer than k positive eigenvalues.
TopicFit fit_topics(DocumentSource& documents, const TopicOptions& options,
                    const ProgressCallback& progress = {});
TopicFit fit_topics(const Corpus& corpus, const TopicOptions& options,
                    const ProgressCallback& progress = {});

// W = U S^(-1/2) and B = U S^(1/2) of the k largest eigenpairs.
struct TopicWhitening {
  RowMatrix whiten;
  Matrix unwhiten;
};
TopicWhitening topic_whitening(const Eigenpairs& pairs);

// The topics behind the components of M3(W,W,W); columns are projected on the simplex.
TopicModel recover_topics(const Decomposition& whitened, const Matrix& unwhiten, double alpha0);

// The robust power method on a k x k x k tensor, with enough starts for k components.
Decomposition decompose_whitened(const SymmetricTensor& third, const TopicOptions& options,
                                 const ProgressCallback& progress = {});

// Expectation-maximisation from a model, `steps` times. Topics are smoothed by `smoothing` counts
// per word, and alpha is rescaled to the expected shares of the topics. The documents have so many
// `entries`, different words each.
TopicModel refine_topics(DocumentSource& documents, TopicModel model, const TopicOptions& options,
                         double entries, const ProgressCallback& progress = {});

// Mean proportions of the topics in each document: N x k.
RowMatrix infer_proportions(const Corpus& corpus, const TopicModel& model, int rounds = 50);
// The same when each document has one topic: the probability of each topic.
RowMatrix single_topic_proportions(const Corpus& corpus, const TopicModel& model);
// The one of these two that fits the model of the documents.
RowMatrix topic_proportions(const Corpus& corpus, const TopicModel& model, DocumentModel documents);
RowMatrix topic_proportions(DocumentSource& documents, const TopicModel& model, DocumentModel kind);

}  // namespace sotto
