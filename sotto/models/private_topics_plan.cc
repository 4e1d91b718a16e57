#include "sotto/models/private_topics_plan.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/models/least_epsilon.h"

namespace sotto {
namespace {

constexpr std::int64_t kLargestCore = 4096;  // its square is kept in memory and factored
constexpr std::int64_t kCoreWordsOfTopic = 10;
// For triples: the directions of the third moment per topic.
constexpr Index kWideOfTopic = 2;
constexpr std::int64_t kChosenTopicSteps = 3;
// The variance of the ratio of a word's probability in a topic to its frequency: a gamma law of
// shape 0.4, about as topics of real corpora differ (docs/planning.md).
constexpr double kTopicVariance = 1 / 0.4;
// A later step starts from better topics, so it gets a larger share.
constexpr double kStepGrowth = 1.3;
// The forecast: topics are told apart from where on mu reaches
// kTopicMu k (V / N)^kTopicPower / l, for documents of l words. Fitted to generated corpora
// (docs/planning.md), as are the factors for topics that share few or many words. Real corpora lay
// between kTopicRange times less and more.
constexpr double kTopicMu = 2.1, kTopicPower = 0.6, kTopicRange = 4;
double factor_of(SharedWords shared) {
  return shared == SharedWords::few ? 0.22 : shared == SharedWords::many ? 2.9 : 1;
}
constexpr double kDocumentsOfTopic = 10;  // with fewer there are no topics without privacy, either
constexpr double kUnknownWords = 1e4;     // of a vocabulary that is to be chosen
constexpr double kFrequentWords = 15;     // of it, which are about as frequent as the first
// Choosing the words: its shares of the budget and of delta, and the most numbers it may release.
constexpr double kVocabularyShare = 0.1;
constexpr double kVocabularyDelta = 0.1;
constexpr std::int64_t kMostValues = std::int64_t{1} << 33;

// Few words and much data: moments without bias. Documents repeat few words often, so the fewer the
// words, the flatter the weights by length must be: the factor of `words` words, fitted to 10 to
// 100 words (docs/topics.md).
constexpr std::int64_t kFewWords = 100;
double flat_weight(double words) { return std::clamp(0.15 * std::pow(words / 20, 1.3), 0.05, 1.0); }
// The largest noise of the third moment over the part of a topic in it at which it is used. A topic
// is taken to have the norm sqrt(4/V), a document ten words.
constexpr double kMostThirdNoise = 0.006;
// Below this noise, weights become flatter as the noise does, down to a third: what clipping leaves
// of the bias falls with the noise.
constexpr double kNoiseOfBias = 4e-4;
constexpr double kFlattest = 1.0 / 3;
constexpr TopicBudget kFlatShares{0, 0.1, 0.4, 0.5, 0};

double third_noise_over_topic(const PrivateTopicPlan& plan) {
  const auto words = static_cast<double>(plan.shape.words);
  const double noise =
      std::sqrt(2 / kFlatShares.third) / (static_cast<double>(plan.shape.documents) * plan.mu);
  const double mass = flat_weight(words) * std::sqrt(10.0 * 9 * 8 / 6);
  return noise * static_cast<double>(plan.topics) / (mass * std::pow(4 / words, 1.5));
}

// Where the third moment stands out of its noise, all three moments are taken without bias, and
// there are no expectation steps, which have a bias of their own. By public numbers alone.
void take_flat_moments_where_they_pay(PrivateTopicPlan& plan, const TopicOptions& options,
                                      const DocumentPrivacyOptions& privacy) {
  const bool open = privacy.mechanism == TopicMechanism::automatic && !options.single_topic() &&
                    !options.refine && !privacy.core && plan.shape.words > 0 &&
                    plan.shape.words <= kFewWords;
  if (!open) return;
  const double noise = third_noise_over_topic(plan);
  if (noise > kMostThirdNoise) return;
  plan.mechanism = TopicMechanism::triples;
  plan.shares = kFlatShares;
  plan.steps = 0;
  plan.may_skip_steps = false;
  plan.core = plan.shape.words;
  plan.flat = true;
  const double flatter = std::clamp(std::sqrt(noise / kNoiseOfBias), kFlattest, 1.0);
  plan.first_rule = plan.moment_rule = by_length(flatter * flat_weight(double(plan.shape.words)));
}

TopicBudget topic_budget_of(const PrivateTopicPlan& plan) {
  TopicBudget shares;
  if (plan.mechanism == TopicMechanism::triples) shares = {0, 0.1, 0.3, 0.2, 0.4};
  if (plan.steps == 0) {
    const double rest = shares.second + shares.third;
    shares.second += shares.steps * shares.second / rest;
    shares.third += shares.steps * shares.third / rest;
    shares.steps = 0;
  }
  if (plan.shape.words > 0) return shares;
  for (double* share : {&shares.first, &shares.second, &shares.third, &shares.steps}) {
    *share *= 1 - kVocabularyShare;
  }
  shares.vocabulary = kVocabularyShare;
  return shares;
}

double words_of(const PublicCorpusShape& shape) {
  return shape.words > 0 ? static_cast<double>(shape.words) : kUnknownWords;
}

// Words that are in at least `threshold` of the documents, which have `length` words each.
double chosen_words(double threshold, double documents, double length) {
  if (threshold >= documents) return 0;
  const double frequency = -std::log1p(-threshold / documents) / length;
  const double total = std::log((kUnknownWords + kFrequentWords) / kFrequentWords);
  return std::clamp(1 / (frequency * total) - kFrequentWords, 0.0, kUnknownWords);
}

std::int64_t pairs_of_words(std::int64_t n) { return n * (n + 1) / 2; }
std::int64_t triples_of_words(std::int64_t n) { return n * (n + 1) * (n + 2) / 6; }

// The most numbers that the whole run may release. The cost of sampling them is set aside.
std::int64_t most_topic_values(const PrivateTopicPlan& plan) {
  if (plan.shape.words == 0) return kMostValues;
  const std::int64_t core =
      plan.core.value_or(std::min<std::int64_t>(plan.shape.words, kLargestCore));
  return plan.shape.words + pairs_of_words(core) +
         triples_of_words(kWideOfTopic * plan.topics + 1) +
         plan.steps * plan.shape.words * plan.topics;
}

// Noise of a release whose share is fixed.
PlannedRelease planned_document_release(const PrivateTopicPlan& plan, const char* what,
                                        std::int64_t values, double share) {
  PlannedRelease release;
  release.what = what;
  release.mechanism = "gaussian";
  release.values = values;
  release.share = share;
  release.noise = document_noise(plan.shape.documents, plan.mu_of(share));
  return release;
}

std::vector<PlannedRelease> planned_topic_releases(const PrivateTopicPlan& plan) {
  const std::int64_t words = plan.shape.words;
  const bool core_known = plan.core && words > 0;
  std::vector<PlannedRelease> list;
  if (words == 0) {
    list.push_back(planned_document_release(plan, kVocabularyRelease, 0, plan.shares.vocabulary));
    list.back().noise = vocabulary_noise(plan.vocabulary(), plan.shape.documents).deviation;
  }
  list.push_back(planned_document_release(plan, kFirstMomentRelease, words, plan.shares.first));
  list.push_back(planned_document_release(
      plan, kSecondMomentRelease, core_known ? pairs_of_words(*plan.core) : 0, plan.shares.second));
  // When steps or the third moment are left out their share goes here, and there is less noise.
  if (plan.may_skip_steps || plan.flat) list.back().noise.reset();
  if (plan.mechanism == TopicMechanism::triples) {
    const Index dims = third_dimensions(plan.topics, plan.core.value_or(plan.core_for(0)));
    list.push_back(planned_document_release(
        plan, kThirdMomentRelease, words > 0 ? triples_of_words(dims) : 0, plan.shares.third));
  }
  for (std::int64_t step = 0; step < plan.steps; ++step) {
    list.push_back(planned_document_release(plan, kExpectedCountsRelease, words * plan.topics,
                                            plan.shares.of_step(step, plan.steps)));
  }
  return list;
}

}  // namespace

double TopicBudget::of_step(std::int64_t step, std::int64_t steps_in_all) const {
  double sum = 0;
  for (std::int64_t s = 0; s < steps_in_all; ++s) sum += std::pow(kStepGrowth, double(s));
  return steps * std::pow(kStepGrowth, double(step)) / sum;
}

double PrivateTopicPlan::mu_of(double share) const { return mu * std::sqrt(share) * (1 - 0x1p-40); }

VocabularyPlan PrivateTopicPlan::vocabulary() const {
  return {mu_of(shares.vocabulary), vocabulary_delta};
}

Index PrivateTopicPlan::core_for(double strength) const {
  if (core) return *core;
  const std::int64_t most = std::min<std::int64_t>(kLargestCore, shape.words);
  const std::int64_t least = std::min<std::int64_t>(kCoreWordsOfTopic * topics, most);
  const double wanted = std::min(kWordsForStrength * strength, double(most));
  return std::max(least, static_cast<std::int64_t>(wanted));
}

// The topics b_t differ from the frequencies f by v |f|^2 on average, so E[(b - f)(b - f)^T] has
// k - 1 eigenvalues of about v |f|^2 / k. `strength` is |f|^2 over the edge of the noise for one
// word; in a core of n words that edge is sqrt(n) times as large.
bool PrivateTopicPlan::topics_stand_out(double strength) const {
  const auto n = static_cast<double>(core_for(strength));
  return strength * kTopicVariance >= static_cast<double>(topics) * std::sqrt(n);
}

Index third_directions(Index topics, Index core) { return std::min(kWideOfTopic * topics, core); }

Index third_dimensions(Index topics, Index core) {
  return std::min(third_directions(topics, core) + 1, core);
}

OptionTable DocumentPrivacyOptions::table() {
  return target_table("make the topics differentially private, with at most this epsilon",
                      "delta of the guarantee; needs `epsilon`")
      .choice(
          "mechanism", mechanism,
          "pairs: topics from the pair moment, refined; triples: the tensor method with a third "
          "moment; auto: the better of the two for this model")
      .integer("core", 0, core, {1, kLargestCore},
               "words of the second moment, the most frequent ones; chosen from the released first "
               "moment when not given");
}

void DocumentPrivacyOptions::check() const {
  check_target(
      {{"`mechanism`", mechanism != TopicMechanism::automatic}, {"`core`", core.has_value()}});
  if (asked()) require_delta_given();
}

void require_words(Index topics, Index words) {
  SOTTO_REQUIRE_AT(topics <= words, "`topics`",
                   "cannot exceed the {} words of the vocabulary, got {}", words, topics);
}

PrivateTopicPlan plan_private_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                                     const DocumentPrivacyOptions& privacy) {
  privacy.require_small_delta({shape.documents, "documents"});
  PrivateTopicPlan plan;
  plan.shape = shape;
  plan.target = privacy.target();
  plan.topics = options.topics;
  if (shape.words > 0) require_words(plan.topics, shape.words);
  SOTTO_REQUIRE_AT(plan.topics <= kLargestCore, "`topics`",
                   "a private run finds at most {} topics, got {}", kLargestCore, plan.topics);
  const bool can_refine = !options.single_topic();
  plan.mechanism = privacy.mechanism;
  if (plan.mechanism == TopicMechanism::automatic) {
    plan.mechanism = can_refine ? TopicMechanism::pairs : TopicMechanism::triples;
  }
  SOTTO_REQUIRE_AT(can_refine || options.refine.value_or(0) == 0, "`refine`",
                   "a private run of the single-topic model has no expectation steps");
  if (plan.mechanism == TopicMechanism::triples) plan.moment_rule = kByLength;
  plan.steps = can_refine ? options.refine.value_or(kChosenTopicSteps) : 0;
  plan.may_skip_steps = !options.refine && can_refine && plan.mechanism == TopicMechanism::pairs;
  plan.shares = topic_budget_of(plan);
  if (privacy.core) {
    const bool fits = shape.words == 0 || *privacy.core <= shape.words;
    SOTTO_REQUIRE_AT(*privacy.core >= plan.topics && fits, "`core`",
                     "must lie between the {} topics and the number of words, got {}", plan.topics,
                     *privacy.core);
    plan.core = privacy.core;
  }
  PrivacyTarget target = plan.target;
  if (shape.words == 0) {
    plan.vocabulary_delta = kVocabularyDelta * target.delta;
    target.delta -= 2 * plan.vocabulary_delta;
    target.epsilon -= 2 * plan.vocabulary_delta;
  }
  plan.mu = affordable_mu(target, 1, most_topic_values(plan));
  take_flat_moments_where_they_pay(plan, options, privacy);
  return plan;
}

Plan run_plan(const PrivateTopicPlan& plan) {
  Plan whole;
  whole.statement = document_statement(plan.shape, plan.target);
  whole.target = plan.target;
  whole.method = plan.mechanism == TopicMechanism::pairs
                     ? "pairs: topics from the pair moment"
                     : "triples: topics from the whitened third moment";
  whole.settings = {{"topics", plan.topics}, {"refine", plan.steps}};
  if (plan.core) whole.settings.push_back({"core", *plan.core});
  whole.releases = planned_topic_releases(plan);
  whole.held_by_budget = true;
  return whole;
}

TopicForecast forecast_topics(const PrivateTopicPlan& plan, double alpha0, double length) {
  const auto documents = static_cast<double>(plan.shape.documents);
  const double words = words_of(plan.shape);
  const double root2 = std::sqrt(2.0);
  // A document of l different words gives each 1/sqrt(l) at norm one: its shares are 1/sqrt(l)
  // times as large, those of pairs 1/l times.
  TopicForecast expected{};
  expected.first_noise =
      root2 / (documents * plan.mu * std::sqrt(plan.shares.first)) / std::sqrt(length);
  expected.second_noise =
      root2 / (documents * plan.mu * std::sqrt(plan.shares.second)) / length / root2;
  // Frequencies 1/((r + V/100) H): their squares sum to about 100/V / log(101)^2.
  const double square = 4.65 / words;
  const double mu =
      plan.mu * std::sqrt(plan.shares.second + (plan.may_skip_steps ? plan.shares.steps : 0));
  const double edge = 2 / (length * documents * mu);
  expected.core = kWordsForStrength * square / (alpha0 + 1) / edge;
  if (plan.shape.words == 0) {
    expected.threshold =
        vocabulary_noise(plan.vocabulary(), plan.shape.documents).threshold * std::sqrt(length);
    expected.chosen = chosen_words(expected.threshold, documents, length);
  }
  return expected;
}

TopicEpsilon expected_topic_epsilon(const PublicCorpusShape& shape, const TopicOptions& options,
                                    const DocumentPrivacyOptions& privacy, double length,
                                    SharedWords shared) {
  TopicOptions as_chosen = options;
  as_chosen.refine.reset();
  const auto documents = static_cast<double>(shape.documents);
  const auto topics = static_cast<double>(options.topics);
  // Fitted for alpha0 = 1.
  const double scale = 0.5 * (1 + options.concentration()) * kTopicMu * topics / length;
  const auto from = [&](double factor) {
    return least_epsilon([&](double epsilon) {
      DocumentPrivacyOptions at = privacy;
      at.epsilon = epsilon;
      const PrivateTopicPlan plan = plan_private_topics(shape, as_chosen, at);
      const bool is_known = shape.words > 0;
      const double words = is_known ? words_of(shape) : forecast_topics(plan, 0, length).chosen;
      const bool can_be = documents >= kDocumentsOfTopic * topics &&
                          (is_known || words >= static_cast<double>(kCoreWordsOfTopic) * topics);
      return can_be && plan.mu >= factor * scale * std::pow(words / documents, kTopicPower);
    });
  };
  return {from(factor_of(shared)), from(1 / kTopicRange), from(kTopicRange)};
}

}  // namespace sotto
