#include "sotto/models/private_topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/linalg/krylov.h"
#include "sotto/models/moment_fit.h"
#include "sotto/models/pair_topics.h"
#include "sotto/models/shrinkage.h"
#include "sotto/release/private_vocabulary.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// Triples: directions of the third moment for each topic, and steps of the fit to both moments.
constexpr Index kWide = 2;
constexpr int kFitSteps = 100;

// The core has this many words for each unit of signal over noise (Signal::strength).
constexpr double kWordsForStrength = 4;
constexpr std::int64_t kLargestCore = 4096;  // its square is held in memory and factored
// Below this strength the expectation steps are left out and the second moment gets their share.
constexpr double kStrengthForSteps = 80;
constexpr std::int64_t kRefinementSteps = 3;
constexpr int kRefinementRounds = 8;
// A later step starts from better topics: it gets a larger share, and earlier ones count less.
constexpr double kStepGrowth = 1.3;
constexpr double kStepDecay = 0.6;
// Shares of a run that chooses its words, and the numbers it may release at most.
constexpr double kVocabularyShare = 0.1;
constexpr std::int64_t kMostValues = std::int64_t{1} << 33;
// Part of a topic that is spread over all words by their frequency, so that none is impossible.
constexpr double kBackground = 1e-3;

// Word frequencies from several released estimates, weighted by precision.
class Frequencies {
 public:
  explicit Frequencies(Index words) : sum_(Vector::Zero(words)), precision_(Vector::Zero(words)) {}

  void add(const Vector& estimate, const Vector& deviation) {
    const Vector precision = deviation.array().square().inverse();
    sum_ += estimate.cwiseProduct(precision);
    precision_ += precision;
  }
  // No word below half its noise; sums to one.
  Vector value() const {
    const Vector f = (sum_.array() / precision_.array()).max(0.5 * precision_.array().rsqrt());
    return f / f.sum();
  }

 private:
  Vector sum_, precision_;
};

// Topics from several released linear estimates, each V x k with its noise.
class TopicEstimate {
 public:
  TopicEstimate(Index words, Index k)
      : sum_(Matrix::Zero(words, k)), precision_(Matrix::Constant(words, k, 1e-12)) {}

  void add(const Matrix& estimate, const Matrix& deviation, double decay) {
    const Matrix precision = deviation.array().square().inverse();
    sum_ = decay * sum_ + estimate.cwiseProduct(precision);
    precision_ = decay * precision_ + precision;
  }
  // Columns sum to one.
  Matrix value(const Vector& frequencies, const Vector& shares) const {
    const Matrix mean = sum_.cwiseQuotient(precision_);
    const Matrix deviation = precision_.array().rsqrt();
    Matrix topics = shrink(mean, deviation, frequencies, 1.5 / shares.minCoeff());
    topics.colwise() += kBackground * frequencies;
    topics.array().rowwise() /= topics.array().colwise().sum();
    return topics;
  }

 private:
  Matrix sum_, precision_;
};

// What the first moment says about what the second will show.
struct Signal {
  // The eigenvalue that frequencies alone give the pair moment, over the edge of the spectrum of
  // the noise for one word: the edge grows like the square root of the number of words.
  double strength;
};

Signal expected_signal(const Noisy<Vector>& first, double alpha0, Index documents, double mu) {
  const double mass = first.value.sum();
  if (mass <= 0) return {0};  // noise alone
  const double noise = double(first.value.size()) * first.deviation * first.deviation;
  const double square = std::max(0.0, first.value.squaredNorm() - noise) / (mass * mass);
  // |P2| of a document is about |P1|^2, and 1/|P1| is the mass of its unit contribution.
  const double edge = 2 / (mass * mass * double(documents) * mu);
  return {square / (alpha0 + 1) / edge};
}

std::vector<std::int32_t> most_frequent(const Vector& frequency, Index count) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(frequency.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return frequency[a] > frequency[b]; });
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

Vector gather(const Vector& all, const std::vector<std::int32_t>& kept) {
  Vector some(static_cast<Index>(kept.size()));
  for (Index i = 0; i < some.size(); ++i) some[i] = all[kept[i]];
  return some;
}

// Rows of `some` at the words kept, `rest` elsewhere.
Matrix scatter(const Matrix& some, const std::vector<std::int32_t>& kept, Matrix rest) {
  for (Index i = 0; i < some.rows(); ++i) rest.row(kept[i]) = some.row(i);
  return rest;
}

// One run: the state between the releases.
class PrivateTopics {
 public:
  PrivateTopics(PrivateDocuments& documents, const PrivateTopicPlan& plan,
                const TopicOptions& options, const ProgressCallback& progress)
      : documents_(documents),
        plan_(plan),
        options_(options),
        progress_(progress),
        shares_(plan.shares),
        steps_(plan.steps),
        frequencies_(plan.shape.words),
        estimate_(plan.shape.words, plan.topics) {}

  PrivateTopicFit run() {
    release_first();
    release_second();
    TopicModel model = plan_.mechanism == "pairs" ? topics_from_pairs() : topics_from_triples();
    documents_.keep_words({});
    for (std::int64_t step = 0; step < steps_; ++step) model = expectation_step(model, step);
    return {std::move(model), {}, frequencies_.value(), Index(core_.size()), steps_};
  }

 private:
  double mu(double share) const { return plan_.mu * std::sqrt(share) * (1 - 0x1p-40); }
  double alpha0() const { return options_.concentration(); }

  TopicModel with_shares(Matrix topics, const Vector& shares) const {
    const double total = alpha0() > 0 ? alpha0() : 1;
    return {std::move(topics), shares * (total / shares.sum())};
  }

  void release_first() {
    continue_or_throw(progress_, {"first moment", 0, 0});
    first_ = documents_.first_moment(kUnitNorm, mu(shares_.first)).value();
    const double floor = 0.5 * first_.deviation;
    const double mass = first_.value.cwiseMax(floor).sum();
    frequencies_.add(first_.value / mass,
                     Vector::Constant(first_.value.size(), first_.deviation / mass));
    const auto strength = [&] {
      return expected_signal(first_, alpha0(), documents_.documents(), mu(shares_.second)).strength;
    };
    if (plan_.may_skip_steps && strength() < kStrengthForSteps) {
      shares_.second += shares_.steps;
      shares_.steps = 0;
      steps_ = 0;
    }
    const std::int64_t most = std::min<std::int64_t>(kLargestCore, plan_.shape.words);
    const std::int64_t least = std::min<std::int64_t>(10 * plan_.topics, most);
    const double wanted = std::min(kWordsForStrength * strength(), double(most));
    const std::int64_t core =
        plan_.core ? *plan_.core : std::max(least, static_cast<std::int64_t>(wanted));
    core_ = most_frequent(first_.value, core);
  }

  void release_second() {
    continue_or_throw(progress_, {"second moment", 0, 0});
    documents_.keep_words(core_);
    second_ =
        documents_
            .second_moment(plan_.mechanism == "triples" ? kByLength : kUnitNorm, mu(shares_.second))
            .value();
    const double mass = second_.value.sum();
    SOTTO_REQUIRE(mass > 0,
                  "the noise of the second moment is larger than the moment itself: there are too "
                  "few documents for this epsilon");
    second_.value /= mass;
    second_.deviation /= mass;
    // The margin of the pair moment is a second estimate of the frequencies on the core.
    const double share = gather(frequencies_.value(), core_).sum();
    const Vector margin = second_.value.rowwise().sum();
    const double noise = second_.deviation * std::sqrt(0.5 * double(core_.size()));
    const Index v = plan_.shape.words;
    Matrix deviation = Matrix::Constant(v, 1, std::numeric_limits<double>::infinity());
    for (const std::int32_t w : core_) deviation(w, 0) = share * noise;
    frequencies_.add(scatter(share * margin, core_, Matrix::Zero(v, 1)), deviation);
  }

  // The share of the core in all words, and the frequencies within it.
  struct Core {
    double share;
    Vector frequencies;
  };
  Core core() const {
    const Vector inside = gather(frequencies_.value(), core_);
    return {inside.sum(), inside / inside.sum()};
  }

  TopicModel topics_from_pairs() {
    continue_or_throw(progress_, {"topics", 0, 0});
    const Index v = plan_.shape.words, k = plan_.topics;
    const double a0 = alpha0();
    const auto [share, inside] = core();
    const Matrix m = (a0 + 1) * second_.value - a0 * inside * inside.transpose();
    PairOptions pairs;
    pairs.seed = static_cast<std::uint64_t>(options_.seed);
    const Matrix factor = nonnegative_factor(m, k, pairs);
    const Vector mass = factor.colwise().sum().cwiseMax(1e-12);
    const Vector length = factor.colwise().norm().cwiseMax(1e-12);
    const Matrix columns = linear_step(m, factor) * (share / mass.array()).matrix().asDiagonal();
    const double noise = (a0 + 1) * second_.deviation / std::sqrt(2.0) * share;
    Matrix deviation = Matrix::Constant(v, k, std::numeric_limits<double>::infinity());
    for (Index t = 0; t < k; ++t) {
      for (const std::int32_t w : core_) deviation(w, t) = noise / (length[t] * mass[t]);
    }
    estimate_.add(scatter(columns, core_, Matrix::Zero(v, k)), deviation, 1);
    const Vector shares = mass.array().square() / mass.squaredNorm();
    const Vector f = frequencies_.value();
    Matrix topics = f.replicate(1, k);
    Matrix on_core =
        shrink(columns, scatter_rows(deviation), inside * share, 1.5 / shares.minCoeff());
    on_core.colwise() += kBackground * share * inside;
    on_core.array().rowwise() *= share / on_core.array().colwise().sum();
    return with_shares(scatter(on_core, core_, topics), shares);
  }

  Matrix scatter_rows(const Matrix& all) const {
    Matrix some(Index(core_.size()), all.cols());
    for (Index i = 0; i < some.rows(); ++i) some.row(i) = all.row(core_[i]);
    return some;
  }

  // The tensor method on released moments. The third moment is released on more directions than
  // there are topics, since the leading ones of a noisy moment miss a part of them and further ones
  // cost no noise, and on the vector of ones, which gives its mass. The spectral topics are where a
  // fit to both moments starts.
  TopicModel topics_from_triples() {
    continue_or_throw(progress_, {"third moment", 0, 0});
    const Index k = plan_.topics, size = Index(core_.size()), wide = std::min(kWide * k, size);
    const double a0 = alpha0();
    const auto [share, inside] = core();
    const Matrix m2 = second_.value - a0 / (a0 + 1) * inside * inside.transpose();
    const Eigenpairs all = largest_eigenpairs(
        [&](const RowMatrix& block) -> RowMatrix { return m2 * block; }, size, wide);
    Matrix span(size, wide + 1);
    span << all.vectors, Vector::Ones(size);
    const Matrix q = orthonormal_columns(span.leftCols(std::min(wide + 1, size)));
    Noisy<SymmetricTensor> third = documents_.third_moment(q, kByLength, mu(shares_.third)).value();
    const double mass = TensorOracle(third.value).values(q.transpose() * Vector::Ones(size))[0];
    SOTTO_REQUIRE(mass > 0,
                  "the noise of the third moment is larger than the moment itself: there are too "
                  "few documents for this epsilon; `mechanism` pairs needs no third moment");
    SymmetricTensor e3(q.cols(), 3);
    e3.add_scaled(1 / mass, third.value);
    const SymmetricTensor m3 =
        topic_third_moment(e3, q.transpose() * second_.value * q, q.transpose() * inside, a0);
    // Eigenvalues under the edge of the noise are held at half of it, not inverted.
    const double edge = second_.deviation * std::sqrt(2.0 * double(size));
    const TopicWhitening whitening =
        topic_whitening({all.values.head(k).cwiseMax(0.5 * edge), all.vectors.leftCols(k)});
    const Decomposition found =
        decompose_whitened(transform(m3, q.transpose() * whitening.whiten), options_, progress_);
    continue_or_throw(progress_, {"topics", 0, 0});
    const TopicModel spectral = recover_topics(found, whitening.unwhiten, a0);
    const TopicModel on_core = fit_moments(
        {a0, m2, second_.deviation, q, m3, third.deviation / mass}, spectral, kFitSteps);
    Matrix topics = scatter(on_core.topics * share, core_, frequencies_.value().replicate(1, k));
    topics.array().rowwise() /= topics.array().colwise().sum();
    // No topic's share may vanish: an expectation step could not bring it back.
    const Vector shares = on_core.alpha / on_core.alpha.sum();
    return with_shares(std::move(topics), shares.cwiseMax(0.01 / double(k)));
  }

  double step_share(std::int64_t step) const {
    double sum = 0;
    for (std::int64_t s = 0; s < steps_; ++s) sum += std::pow(kStepGrowth, double(s));
    return shares_.steps * std::pow(kStepGrowth, double(step)) / sum;
  }

  TopicModel expectation_step(const TopicModel& model, std::int64_t step) {
    continue_or_throw(progress_, {"expectation step", step, steps_});
    // Rare words are raised, so that they get less noise and frequent ones a little more.
    const Vector raised = first_.value.cwiseMax(first_.deviation);
    const Vector scale = (raised / raised.maxCoeff()).array().pow(-0.25);
    Noisy<RowMatrix> counts = documents_
                                  .expected_counts(model.topics, model.alpha, kRefinementRounds,
                                                   scale, mu(step_share(step)))
                                  .value();
    const Vector noise = counts.deviation * scale.cwiseInverse();
    counts.value.array().colwise() /= scale.array();
    const Index k = plan_.topics;
    const double total = counts.value.sum();
    if (total <= 0) return model;
    const Vector mass = counts.value.colwise().sum().cwiseMax(0.2 * total / double(k));
    estimate_.add(counts.value * mass.cwiseInverse().asDiagonal(),
                  noise * mass.cwiseInverse().transpose(), kStepDecay);
    frequencies_.add(counts.value.rowwise().sum() / total, noise * std::sqrt(double(k)) / total);
    const Vector shares = mass / mass.sum();
    return with_shares(estimate_.value(frequencies_.value(), shares), shares);
  }

  PrivateDocuments& documents_;
  const PrivateTopicPlan& plan_;
  const TopicOptions& options_;
  const ProgressCallback& progress_;
  TopicShares shares_;
  std::int64_t steps_;
  Noisy<Vector> first_{};
  Noisy<Matrix> second_{};
  std::vector<std::int32_t> core_;
  Frequencies frequencies_;
  TopicEstimate estimate_;
};

}  // namespace

OptionTable DocumentPrivacyOptions::table() {
  return target_table("make the topics differentially private, with at most this epsilon",
                      "delta of the guarantee; goes with `epsilon`")
      .choice(
          "mechanism", mechanism, {"auto", "pairs", "triples"},
          "pairs: topics from the pair moment, refined; triples: the tensor method with a third "
          "moment; auto: the better of the two for this model")
      .integer("core", 0, core, {1, kLargestCore},
               "words of the second moment, the most frequent ones; chosen from the released first "
               "moment when not given");
}

void DocumentPrivacyOptions::check() const {
  check_target({{"`mechanism`", mechanism != "auto"}, {"`core`", core.has_value()}});
  if (asked()) require_delta_given();
}

namespace {

TopicShares shares_of(const PrivateTopicPlan& plan) {
  TopicShares shares;
  if (plan.mechanism == "triples") shares = {0, 0.1, 0.3, 0.2, 0.4};
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

// Numbers that the whole run may release: what their sampling costs is set aside.
std::int64_t most_values(const PrivateTopicPlan& plan) {
  if (plan.shape.words == 0) return kMostValues;
  const std::int64_t core =
      plan.core.value_or(std::min<std::int64_t>(plan.shape.words, kLargestCore));
  const std::int64_t k = plan.topics;
  return plan.shape.words + core * (core + 1) / 2 + (2 * k + 1) * (2 * k + 2) * (2 * k + 3) / 6 +
         plan.steps * plan.shape.words * k;
}

void require_words(Index topics, Index words) {
  SOTTO_REQUIRE_AT(topics <= words, "`topics`",
                   "cannot exceed the {} words of the vocabulary, got {}", words, topics);
}

}  // namespace

PrivateTopicPlan plan_private_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                                     std::optional<std::int64_t> refine,
                                     const DocumentPrivacyOptions& privacy) {
  privacy.require_small_delta({shape.documents, "documents"});
  PrivateTopicPlan plan;
  plan.shape = shape;
  plan.topics = options.topics;
  if (shape.words > 0) require_words(plan.topics, shape.words);
  SOTTO_REQUIRE_AT(plan.topics <= kLargestCore, "`topics`",
                   "a private run finds at most {} topics, got {}", kLargestCore, plan.topics);
  const bool can_refine = options.model == "lda";
  plan.mechanism = privacy.mechanism;
  if (plan.mechanism == "auto") plan.mechanism = can_refine ? "pairs" : "triples";
  SOTTO_REQUIRE_AT(can_refine || refine.value_or(0) == 0, "`refine`",
                   "a private run of the single-topic model has no expectation steps");
  plan.steps = can_refine ? refine.value_or(kRefinementSteps) : 0;
  plan.may_skip_steps = !refine && can_refine && plan.mechanism == "pairs";
  plan.shares = shares_of(plan);
  if (privacy.core) {
    const bool fits = shape.words == 0 || *privacy.core <= shape.words;
    SOTTO_REQUIRE_AT(*privacy.core >= plan.topics && fits, "`core`",
                     "must lie between the {} topics and the number of words, got {}", plan.topics,
                     *privacy.core);
    plan.core = privacy.core;
  }
  PrivacyTarget target = privacy.target();
  if (shape.words == 0) {
    plan.vocabulary_delta = 0.1 * target.delta;
    target.delta -= 2 * plan.vocabulary_delta;
    target.epsilon -= 2 * plan.vocabulary_delta;
  }
  plan.mu = affordable_mu(target, 1, most_values(plan));
  return plan;
}

TopicForecast forecast_topics(const PrivateTopicPlan& plan, double alpha0, double length) {
  const auto documents = static_cast<double>(plan.shape.documents);
  const double words = plan.shape.words > 0 ? static_cast<double>(plan.shape.words) : 1e4;
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
    const VocabularyPlan choosing{plan.mu * std::sqrt(plan.shares.vocabulary),
                                  plan.vocabulary_delta};
    expected.threshold =
        vocabulary_noise(choosing, plan.shape.documents).threshold * std::sqrt(length);
  }
  return expected;
}

double expected_topic_epsilon(const PublicCorpusShape& shape, const TopicOptions& options,
                              const DocumentPrivacyOptions& privacy, double length) {
  const auto reaches = [&](double epsilon) {
    DocumentPrivacyOptions at = privacy;
    at.epsilon = epsilon;
    const PrivateTopicPlan plan = plan_private_topics(shape, options, std::nullopt, at);
    return forecast_topics(plan, options.concentration(), length).core >=
           10 * static_cast<double>(options.topics);
  };
  double low = 1e-3, high = 100;
  if (!reaches(high)) return std::numeric_limits<double>::infinity();
  for (int step = 0; step < 40; ++step) {
    const double middle = std::sqrt(low * high);
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

PrivateTopicFit fit_private_topics(Sensitive<Corpus> corpus, const PrivateTopicPlan& plan,
                                   const TopicOptions& options, PrivateRun& run,
                                   const ProgressCallback& progress) {
  PrivateTopicPlan known = plan;
  if (plan.shape.words == 0) {
    const double mu = plan.mu * std::sqrt(plan.shares.vocabulary) * (1 - 0x1p-40);
    corpus = select_vocabulary(std::move(corpus), {mu, plan.vocabulary_delta}, run);
    known.shape = public_shape(corpus);
    require_words(plan.topics, known.shape.words);
    if (known.core) known.core = std::min<std::int64_t>(*known.core, known.shape.words);
  }
  std::vector<std::string> words = public_words(corpus);
  PrivateDocuments documents(std::move(corpus), run);
  PrivateTopicFit fit = PrivateTopics(documents, known, options, progress).run();
  fit.vocabulary = std::move(words);
  return fit;
}

}  // namespace sotto
