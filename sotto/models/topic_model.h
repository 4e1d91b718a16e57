// Topics from moments: latent Dirichlet allocation and the single-topic model (Anandkumar et al.
// 2012, 2014), a spectral start and a few expectation-maximisation steps from it.
//
// Spectral: the top k eigenpairs of M2 whiten, M3(W,W,W) is k x k x k and orthogonal, its
// components lambda_i v_i map back to the topics by B = (W^T)^+:
//   mu_i = (a0 + 2)/2 lambda_i B v_i,   alpha_i / a0 = 4 (a0 + 1) / ((a0 + 2) lambda_i)^2
// (a0 = 0, single topic: w_i = 1/lambda_i^2). Documents are clipped at the median norm, which makes
// the moments robust; docs/topics.md has the measurements.
// Cost: O(nnz k) a product, O((N + V) k^3) once, O(k^4) for the power method; never V^3.
// Privacy: none here; fit_private_topics (private_topics.h) does the same from released moments.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/result.h"
#include "sotto/linalg/spectral.h"
#include "sotto/moments/document_model.h"
#include "sotto/moments/topic_moments.h"

namespace sotto {

struct TopicModel {
  Matrix topics;  // V x k, columns sum to one
  Vector alpha;   // k: Dirichlet parameters, or (single topic) the probabilities of the topics
};

enum class DocumentClip { median, none };
constexpr auto enum_names(DocumentClip) {
  return std::to_array<EnumName<DocumentClip>>(
      {{DocumentClip::median, "median"}, {DocumentClip::none, "none"}});
}

// What is not given is chosen: a private run chooses otherwise, and has neither clip nor form.
struct TopicOptions {
  std::int64_t topics = 0;
  DocumentModel model = DocumentModel::lda;
  double alpha0 = 1;  // LDA only
  std::optional<DocumentClip> clip;
  std::optional<MomentForm> form;
  std::optional<std::int64_t> refine;  // expectation-maximisation steps
  double smoothing = 0.1;
  std::int64_t starts = 32;
  std::int64_t iterations = 100;
  std::int64_t seed = 0;

  OptionTable table();
  bool single_topic() const { return model == DocumentModel::single; }
  double concentration() const { return single_topic() ? 0 : alpha0; }
  // Without privacy.
  DocumentClip public_clip() const { return clip.value_or(DocumentClip::median); }
  MomentForm public_form() const { return form.value_or(MomentForm::unbiased); }
  std::int64_t public_steps() const { return refine.value_or(5); }
};

struct TopicFit {
  TopicModel model;
  TopicModel spectral;     // before refinement
  Vector second_spectrum;  // the k eigenvalues of M2 that were used
  Decomposition whitened;  // components of M3(W,W,W)
};

// Refuses, naming its numerical rank, an M2 with fewer than k positive eigenvalues.
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

// Robust power method on a k x k x k tensor, enough starts for k components.
Decomposition decompose_whitened(const SymmetricTensor& third, const TopicOptions& options,
                                 const ProgressCallback& progress = {});

// Expectation-maximisation from a model: `steps` times, topics smoothed by `smoothing` counts a
// word, alpha rescaled to the expected shares of the topics.
TopicModel refine_topics(const DocumentMoments& documents, TopicModel model,
                         const TopicOptions& options, const ProgressCallback& progress = {});

// Mean proportions of the topics in each document: N x k.
RowMatrix infer_proportions(const Corpus& corpus, const TopicModel& model, int rounds = 50);
// The same when each document has one topic: the probability of each.
RowMatrix single_topic_proportions(const Corpus& corpus, const TopicModel& model);
// Whichever of the two the documents are modelled by.
RowMatrix topic_proportions(const Corpus& corpus, const TopicModel& model, DocumentModel documents);

}  // namespace sotto
