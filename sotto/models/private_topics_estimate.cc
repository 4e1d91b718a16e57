#include "sotto/models/private_topics_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/krylov.h"
#include "sotto/models/moment_fit.h"
#include "sotto/models/pair_topics.h"
#include "sotto/models/private_topics_plan.h"
#include "sotto/models/shrinkage.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

constexpr int kMomentFitSteps = 100;
// Earlier expectation steps started from worse topics, so they count less.
constexpr double kStepDecay = 0.6;
// Of the noise in the directions by which topics differ, the part that a fit to noise alone takes
// up.
constexpr double kFittedNoise = 0.3;
// The part of a topic that is spread over all words by their frequency, so that no word is
// impossible.
constexpr double kBackground = 1e-3;
// How far the frequency of a word may be from that of a public background, as a ratio.
constexpr double kLargestOfBackground = 300, kSmallestOfBackground = 1e-3;

Vector gather(const Vector& all, const CoreWords& kept) {
  Vector some(static_cast<Index>(kept.size()));
  for (Index i = 0; i < some.size(); ++i) some[i] = all[kept[i]];
  return some;
}

Matrix gather_rows(const Matrix& all, const CoreWords& kept) {
  Matrix some(static_cast<Index>(kept.size()), all.cols());
  for (Index i = 0; i < some.rows(); ++i) some.row(i) = all.row(kept[i]);
  return some;
}

// The rows of `some` at the words kept, those of `rest` elsewhere.
Matrix scatter(const Matrix& some, const CoreWords& kept, Matrix rest) {
  for (Index i = 0; i < some.rows(); ++i) rest.row(kept[i]) = some.row(i);
  return rest;
}

// Topics fitted to noisy moments, moved towards the frequencies by as much of their differences as
// is noise. Where nothing stands out all topics are the frequencies. `noise`: the square of a
// spectral edge, that of M2 times alpha0 + 1.
Matrix toward_frequencies(const Matrix& topics, const Vector& shares, const Vector& frequencies,
                          double noise) {
  const Vector mean = topics * shares;
  const double between =
      (topics * shares.asDiagonal() * topics.transpose() - mean * mean.transpose()).squaredNorm();
  const double expected = kFittedNoise * double(topics.cols() - 1) * noise;
  if (expected <= 0) return topics;
  const double kept = std::sqrt(std::max(0.0, 1 - expected / std::max(between, expected)));
  return kept * topics + (1 - kept) * frequencies.replicate(1, topics.cols());
}

}  // namespace

Vector background_of(const WordCounts& counts, const std::vector<std::string>& words) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [word, count] : counts) {
    if (count > 0) least = std::min(least, count);
  }
  Vector background(std::ssize(words));
  for (Index w = 0; w < background.size(); ++w) {
    const auto found = counts.find(words[static_cast<std::size_t>(w)]);
    background[w] = std::max(found == counts.end() ? 0 : found->second, 0.5 * least);
  }
  return background / background.sum();
}

void FrequencyEstimate::add(const Vector& estimate, const Vector& deviation) {
  const Vector precision = deviation.array().square().inverse();
  sum_ += estimate.cwiseProduct(precision);
  precision_ += precision;
  const Vector mean = sum_.cwiseQuotient(precision_), noise = precision_.array().rsqrt();
  if (has_background() && value_.size() == 0) {
    background_ = likeliest_scales(mean, noise, background_, kLargestOfBackground);
  }
  const Vector f = has_background()
                       ? posterior_means(mean, noise, background_, kLargestOfBackground)
                             .cwiseMax(kSmallestOfBackground * background_)
                       : mean.cwiseMax(0.5 * noise);
  value_ = f / f.sum();
}

void WordEstimate::add(const Matrix& estimate, const Matrix& deviation, double decay) {
  const Matrix precision = deviation.array().square().inverse();
  sum_ = decay * sum_ + estimate.cwiseProduct(precision);
  precision_ = decay * precision_ + precision;
}

Matrix WordEstimate::value(const Vector& frequencies, const Vector& shares) const {
  const Matrix mean = sum_.cwiseQuotient(precision_);
  const Matrix deviation = precision_.array().rsqrt();
  Matrix topics = shrink(mean, deviation, frequencies, 1.5 / shares.minCoeff());
  topics.colwise() += kBackground * frequencies;
  topics.array().rowwise() /= topics.array().colwise().sum();
  return topics;
}

PrivateTopicEstimate::PrivateTopicEstimate(Index words, const TopicOptions& options,
                                           Vector background)
    : words_(words),
      options_(options),
      frequencies_(words, std::move(background)),
      estimate_(words, options.topics) {}

TopicModel PrivateTopicEstimate::with_shares(Matrix topics, const Vector& shares) const {
  const double total = alpha0() > 0 ? alpha0() : 1;
  return {std::move(topics), shares * (total / shares.sum())};
}

PrivateTopicEstimate::Core PrivateTopicEstimate::core() const {
  const Vector inside = gather(frequencies_.value(), core_);
  return {inside.sum(), inside / inside.sum()};
}

void PrivateTopicEstimate::take_first(Noisy<Vector> first) {
  first_ = std::move(first);
  const double floor = 0.5 * first_.deviation;
  const double mass = first_.value.cwiseMax(floor).sum();
  frequencies_.add(first_.value / mass,
                   Vector::Constant(first_.value.size(), first_.deviation / mass));
}

double PrivateTopicEstimate::expected_strength(Index documents, double second_mu) const {
  const double mass = first_.value.sum();
  if (mass <= 0) return 0;  // noise alone
  const double noise = double(first_.value.size()) * first_.deviation * first_.deviation;
  const double square = std::max(0.0, first_.value.squaredNorm() - noise) / (mass * mass);
  // |P2| of a document is about |P1|^2, and 1/|P1| is the mass of its unit contribution.
  const double edge = 2 / (mass * mass * double(documents) * second_mu);
  return square / (alpha0() + 1) / edge;
}

Vector PrivateTopicEstimate::first_weights() const {
  return frequencies_.has_background() ? frequencies_.value() * std::max(first_mass(), 0.0)
                                       : first_.value;
}

CoreWords PrivateTopicEstimate::most_frequent(Index count) const {
  const Vector frequency = frequencies_.has_background() ? frequencies_.value() : first_.value;
  CoreWords order(static_cast<std::size_t>(frequency.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return frequency[a] > frequency[b]; });
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

void PrivateTopicEstimate::take_second(Noisy<Matrix> second, CoreWords words_of_core) {
  second_ = std::move(second);
  core_ = std::move(words_of_core);
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
  Matrix deviation = Matrix::Constant(words(), 1, std::numeric_limits<double>::infinity());
  for (const std::int32_t w : core_) deviation(w, 0) = share * noise;
  frequencies_.add(scatter(share * margin, core_, Matrix::Zero(words(), 1)), deviation);
}

TopicModel PrivateTopicEstimate::topics_from_pairs() {
  const Index v = words(), k = options_.topics;
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
  const Matrix topics = frequencies_.value().replicate(1, k);
  Matrix on_core =
      shrink(columns, gather_rows(deviation, core_), inside * share, 1.5 / shares.minCoeff());
  on_core.colwise() += kBackground * share * inside;
  on_core.array().rowwise() *= share / on_core.array().colwise().sum();
  return with_shares(scatter(on_core, core_, topics), shares);
}

PrivateTopicEstimate::TripleBasis PrivateTopicEstimate::triple_basis() const {
  const Index size = Index(core_.size()), wide = third_directions(options_.topics, size);
  const double a0 = alpha0();
  const Vector inside = core().frequencies;
  TripleBasis basis;
  basis.second = second_.value - a0 / (a0 + 1) * inside * inside.transpose();
  basis.pairs = largest_eigenpairs(
      [&](const RowMatrix& block) -> RowMatrix { return multiply_narrow(basis.second, block); },
      size, wide);
  Matrix span(size, wide + 1);
  span << basis.pairs.vectors, Vector::Ones(size);
  basis.q = orthonormal_columns(span.leftCols(third_dimensions(options_.topics, size)));
  return basis;
}

TopicModel PrivateTopicEstimate::topics_from_triples(const TripleBasis& basis,
                                                     const Noisy<SymmetricTensor>& third,
                                                     const ProgressCallback& progress) const {
  const Index k = options_.topics, size = Index(core_.size());
  const double a0 = alpha0();
  const auto [share, inside] = core();
  const Matrix& q = basis.q;
  const double mass = TensorOracle(third.value).values(q.transpose() * Vector::Ones(size))[0];
  if (mass <= 0) {  // noise alone
    return with_shares(frequencies_.value().replicate(1, k), Vector::Constant(k, 1 / double(k)));
  }
  SymmetricTensor e3(q.cols(), 3);
  e3.add_scaled(1 / mass, third.value);
  const SymmetricTensor m3 = topic_third_moment(
      e3, multiply_transposed(q, multiply(second_.value, q)), q.transpose() * inside, a0);
  // Eigenvalues below the edge of the noise are raised to half of it before they are inverted.
  const double edge = second_.deviation * std::sqrt(2.0 * double(size));
  const TopicWhitening whitening = topic_whitening(
      {basis.pairs.values.head(k).cwiseMax(0.5 * edge), basis.pairs.vectors.leftCols(k)});
  const Decomposition found = decompose_whitened(
      transform(m3, multiply_transposed(q, whitening.whiten)), options_, progress);
  continue_or_throw(progress, {"topics", 0, 0});
  const TopicModel spectral = recover_topics(found, whitening.unwhiten, a0);
  const TopicModel on_core =
      fit_moments({a0, basis.second, second_.deviation, q, m3, third.deviation / mass}, spectral,
                  kMomentFitSteps);
  // No topic's share may become zero: an expectation step could not bring it back.
  const Vector shares = on_core.alpha / on_core.alpha.sum();
  const Matrix shrunk =
      toward_frequencies(on_core.topics, shares, inside, std::pow((a0 + 1) * edge, 2));
  Matrix topics = scatter(shrunk * share, core_, frequencies_.value().replicate(1, k));
  topics.array().rowwise() /= topics.array().colwise().sum();
  return with_shares(std::move(topics), shares.cwiseMax(0.01 / double(k)));
}

Vector PrivateTopicEstimate::step_scale() const {
  const Vector raised = first_weights().cwiseMax(first_.deviation);
  return (raised / raised.maxCoeff()).array().pow(-0.25);
}

TopicModel PrivateTopicEstimate::take_counts(Noisy<RowMatrix> counts, const TopicModel& model) {
  const Vector scale = step_scale();
  const Vector noise = counts.deviation * scale.cwiseInverse();
  counts.value.array().colwise() /= scale.array();
  const Index k = options_.topics;
  const double total = counts.value.sum();
  if (total <= 0) return model;
  const Vector mass = counts.value.colwise().sum().cwiseMax(0.2 * total / double(k));
  estimate_.add(counts.value * mass.cwiseInverse().asDiagonal(),
                noise * mass.cwiseInverse().transpose(), kStepDecay);
  frequencies_.add(counts.value.rowwise().sum() / total, noise * std::sqrt(double(k)) / total);
  const Vector shares = mass / mass.sum();
  return with_shares(estimate_.value(frequencies_.value(), shares), shares);
}

}  // namespace sotto
