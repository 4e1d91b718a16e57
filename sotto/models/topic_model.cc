#include "sotto/models/topic_model.h"

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/power.h"
#include "sotto/linalg/krylov.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/simplex.h"
#include "sotto/moments/document_sums.h"
#include "sotto/moments/expectation_sums.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// The moments have errors of about a percent; more digits of their eigenvectors are meaningless.
constexpr double kSubspaceTolerance = 1e-4;

// Rounds of the expectation step: the first time, and between two maximisations, where the
// parameters continue from their last values.
constexpr int kFirstRounds = 5;
constexpr int kLaterRounds = 2;

// The maximisation step: topics from smoothed counts, alpha from the topics' shares of the tokens.
TopicModel maximise(const RowMatrix& counts, double smoothing, double alpha_sum) {
  const Vector mass = counts.colwise().sum();
  TopicModel model;
  model.topics = counts.array() + smoothing;
  model.topics.array().rowwise() /= model.topics.array().colwise().sum();
  // No topic's share may become zero: it could never come back.
  const Vector share = (mass / mass.sum()).cwiseMax(0.01 / static_cast<double>(mass.size()));
  model.alpha = share * (alpha_sum / share.sum());
  return model;
}

}  // namespace

OptionTable TopicOptions::table() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return OptionTable()
      .integer("topics", 'k', topics, {1, 100000}, "number of topics")
      .required()
      .choice("model", model, "lda: a document mixes topics; single: each document has one")
      .real("alpha0", 0, alpha0, {0, 1e6, true},
            "lda: sum of the Dirichlet parameters; small: few topics a document")
      .choice("clip", clip,
              "clip documents whose moments are longer than the median to that length (none "
              "given: median); not with `epsilon`")
      .choice("form", form,
              "unbiased: products of means over different documents; plug-in: products of means "
              "over all documents (none given: unbiased); not with `epsilon`")
      .integer("refine", 0, refine, {0, 100000},
               "expectation-maximisation steps after the moments (none given: 5; with `epsilon`, "
               "where each is a release, 3 or none)")
      .real("smoothing", 0, smoothing, {0, 1e6, true}, "counts added to every word in these steps")
      .integer("starts", 'L', starts, {1, 1000000}, "random starts for each component")
      .integer("iterations", 'R', iterations, {1, 1000000}, "power iterations for each component")
      .integer("seed", 0, seed, {0, most}, "seed of the random starts");
}

TopicWhitening topic_whitening(const Eigenpairs& pairs) {
  const Vector root = pairs.values.cwiseSqrt();
  return {pairs.vectors * root.cwiseInverse().asDiagonal(), pairs.vectors * root.asDiagonal()};
}

Decomposition decompose_whitened(const SymmetricTensor& third, const TopicOptions& options,
                                 const ProgressCallback& progress) {
  PowerOptions power;
  power.components = third.dim();
  power.starts = options.starts;
  power.iterations = options.iterations;
  power.seed = options.seed;
  TensorOracle oracle(third);
  Decomposition found = robust_power_method(oracle, power, progress);
  throw_if_stopped(found.status == Status::stopped);  // a part of the components is no model
  return found;
}

TopicModel recover_topics(const Decomposition& whitened, const Matrix& unwhiten, double alpha0) {
  const Vector& lambda = whitened.weights;
  const Matrix columns = unwhiten * whitened.vectors() * (lambda * (alpha0 + 2) / 2).asDiagonal();
  TopicModel model;
  model.topics = project_columns(columns);
  const Vector share = 4 * (alpha0 + 1) / ((alpha0 + 2) * lambda.array()).square().max(1e-300);
  model.alpha = share * ((alpha0 > 0 ? alpha0 : 1) / share.sum());
  return model;
}

TopicFit fit_topics(DocumentSource& documents, const TopicOptions& options,
                    const ProgressCallback& progress) {
  const Index k = options.topics, words = documents.words();
  SOTTO_REQUIRE_AT(k <= words, "`topics`", "cannot exceed the {} words of the vocabulary, got {}",
                   words, k);
  const MomentClips clips =
      options.public_clip() == DocumentClip::median ? median_norms(documents) : MomentClips{};
  const TopicMoments moments(documents, clips, options.concentration(), options.public_form());
  KrylovOptions krylov;
  krylov.tolerance = kSubspaceTolerance;
  krylov.seed = static_cast<std::uint64_t>(options.seed);
  const Eigenpairs pairs = largest_eigenpairs(
      [&](const RowMatrix& block) {
        continue_or_throw(progress, {"second moment", 0, 0});
        return moments.second_times(block);
      },
      words, k, krylov);
  const Index rank = (pairs.values.array() > kRankTolerance * pairs.values[0]).count();
  SOTTO_REQUIRE_AT(pairs.values[0] > 0 && rank >= k, "`topics`",
                   "{} topics need a second moment of that rank, this corpus has numerical rank {}",
                   k, pairs.values[0] > 0 ? rank : 0);
  const TopicWhitening whitening = topic_whitening(pairs);
  TopicFit fit;
  fit.second_spectrum = pairs.values;
  fit.totals = moments.totals();
  fit.whitened = decompose_whitened(moments.third(whitening.whiten), options, progress);
  continue_or_throw(progress, {"topics", 0, 0});
  fit.spectral = recover_topics(fit.whitened, whitening.unwhiten, options.concentration());
  fit.model = refine_topics(documents, fit.spectral, options, moments.totals().entries, progress);
  return fit;
}

TopicFit fit_topics(const Corpus& corpus, const TopicOptions& options,
                    const ProgressCallback& progress) {
  LocalDocuments documents(&corpus);
  return fit_topics(documents, options, progress);
}

TopicModel refine_topics(DocumentSource& documents, TopicModel model, const TopicOptions& options,
                         double entries, const ProgressCallback& progress) {
  const double alpha_sum = model.alpha.sum();
  const std::int64_t steps = options.public_steps();
  std::vector<TopicStep> made;
  for (std::int64_t step = 0; step < steps; ++step) {
    continue_or_throw(progress, {"refinement", step, steps});
    // A word with probability zero in a topic may return: the smallest probability is that of the
    // smoothing.
    RowMatrix topics = model.topics;
    if (step == 0) {
      const double mass = entries / static_cast<double>(topics.cols());
      topics.array() += options.smoothing / mass;
    }
    RowMatrix counts;
    if (options.single_topic()) {
      counts = single_topic_counts(documents, topics, model.alpha);
    } else {
      made.push_back({std::move(topics), model.alpha, step == 0 ? kFirstRounds : kLaterRounds});
      counts = expected_counts(documents, made);
    }
    model = maximise(counts, options.smoothing, alpha_sum);
  }
  return model;
}

RowMatrix infer_proportions(const Corpus& corpus, const TopicModel& model, int rounds) {
  return topic_shares(corpus.view(), {model.topics, model.alpha, DocumentModel::lda, rounds});
}

RowMatrix single_topic_proportions(const Corpus& corpus, const TopicModel& model) {
  return responsibilities(corpus.view(), model.topics, model.alpha);
}

RowMatrix topic_proportions(const Corpus& corpus, const TopicModel& model,
                            DocumentModel documents) {
  return topic_shares(corpus.view(), {model.topics, model.alpha, documents});
}

RowMatrix topic_proportions(DocumentSource& documents, const TopicModel& model,
                            DocumentModel kind) {
  return topic_shares(documents, {model.topics, model.alpha, kind});
}

}  // namespace sotto
