#include "sotto/models/private_topics.h"

#include <algorithm>
#include <utility>

#include "sotto/models/private_topics_estimate.h"

namespace sotto {
namespace {

// Shorter documents have no triples, or too few: the pair moment gets the share of the third.
constexpr double kLengthForTriples = 5;
// Rounds on the variational parameters within an expectation step.
constexpr int kExpectationRounds = 8;

// The releases of one run. What each one asks for depends on the releases before it.
class TopicReleases {
 public:
  TopicReleases(PrivateDocuments& documents, const PrivateTopicPlan& plan,
                const TopicOptions& options, Vector background, const ProgressCallback& progress)
      : documents_(documents),
        plan_(plan),
        progress_(progress),
        shares_(plan.shares),
        steps_(plan.steps),
        mechanism_(plan.mechanism),
        estimate_(plan.shape.words, options, std::move(background)) {}

  PrivateTopicFit run() {
    release_first();
    release_second();
    TopicModel model = mechanism_ == TopicMechanism::pairs ? topics_from_pairs() : release_third();
    documents_.keep_words({});
    for (std::int64_t step = 0; step < steps_; ++step) model = release_step(model, step);
    return {std::move(model), {}, estimate_.frequencies(), core_, steps_};
  }

 private:
  double strength() const {
    return estimate_.expected_strength(documents_.documents(), plan_.mu_of(shares_.second));
  }

  // Words of a document, from the released mass of the first moment under weights by length.
  double length_shown() const {
    const double root = estimate_.first_mass() / -plan_.first_rule;
    return root > 0 ? 6 * root * root : 0;
  }

  void release_first() {
    continue_or_throw(progress_, {"first moment", 0, 0});
    estimate_.take_first(
        documents_.first_moment(plan_.first_rule, plan_.mu_of(shares_.first)).value());
    if (plan_.may_skip_steps && !plan_.topics_stand_out(strength())) {
      shares_.second += shares_.steps;
      shares_.steps = 0;
      steps_ = 0;
    }
    if (plan_.flat && length_shown() < kLengthForTriples) {
      mechanism_ = TopicMechanism::pairs;
      shares_.second += shares_.third;
      shares_.third = 0;
    }
    core_ = plan_.core_for(strength());
  }

  void release_second() {
    continue_or_throw(progress_, {"second moment", 0, 0});
    CoreWords core = estimate_.most_frequent(core_);
    documents_.keep_words(core);
    estimate_.take_second(
        documents_.second_moment(plan_.moment_rule, plan_.mu_of(shares_.second)).value(),
        std::move(core));
  }

  TopicModel topics_from_pairs() {
    continue_or_throw(progress_, {"topics", 0, 0});
    return estimate_.topics_from_pairs();
  }

  TopicModel release_third() {
    continue_or_throw(progress_, {"third moment", 0, 0});
    const PrivateTopicEstimate::TripleBasis basis = estimate_.triple_basis();
    const Noisy<SymmetricTensor> third =
        documents_.third_moment(basis.q, plan_.moment_rule, plan_.mu_of(shares_.third)).value();
    return estimate_.topics_from_triples(basis, third, progress_);
  }

  TopicModel release_step(const TopicModel& model, std::int64_t step) {
    continue_or_throw(progress_, {"expectation step", step, steps_});
    const double mu = plan_.mu_of(shares_.of_step(step, steps_));
    return estimate_.take_counts(documents_
                                     .expected_counts(model.topics, model.alpha, kExpectationRounds,
                                                      estimate_.step_scale(), mu)
                                     .value(),
                                 model);
  }

  PrivateDocuments& documents_;
  const PrivateTopicPlan& plan_;
  const ProgressCallback& progress_;
  TopicBudget shares_;
  std::int64_t steps_;
  TopicMechanism mechanism_;  // without a third moment where documents are short
  Index core_ = 0;
  PrivateTopicEstimate estimate_;
};

}  // namespace

PrivateTopicFit fit_private_topics(Sensitive<Documents> data, const PrivateTopicPlan& plan,
                                   const TopicOptions& options, const WordCounts* background,
                                   PrivateRun& run, const ProgressCallback& progress) {
  PrivateTopicPlan known = plan;
  if (plan.shape.words == 0) {
    data = select_vocabulary(std::move(data), plan.vocabulary(), run);
    known.shape = public_shape(data);
    require_words(plan.topics, known.shape.words);
    if (known.core) known.core = std::min<std::int64_t>(*known.core, known.shape.words);
  }
  std::vector<std::string> words = public_words(data);
  PrivateDocuments documents(std::move(data), run);
  Vector expected = background != nullptr ? background_of(*background, words) : Vector();
  PrivateTopicFit fit =
      TopicReleases(documents, known, options, std::move(expected), progress).run();
  fit.vocabulary = std::move(words);
  return fit;
}

}  // namespace sotto
