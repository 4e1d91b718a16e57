// Topics from what was released about documents: post-processing alone, nothing here sees a
// document. private_topics.h says in which order the releases come.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/progress.h"
#include "sotto/models/topic_model.h"
#include "sotto/release/noisy.h"

namespace sotto {

// The words of the second moment, in increasing order, of all words.
using CoreWords = std::vector<std::int32_t>;

// Word frequencies from several released estimates, weighted by precision.
class FrequencyEstimate {
 public:
  explicit FrequencyEstimate(Index words)
      : sum_(Vector::Zero(words)), precision_(Vector::Zero(words)) {}

  void add(const Vector& estimate, const Vector& deviation);
  // No word below half its noise; sums to one.
  Vector value() const;

 private:
  Vector sum_, precision_;
};

// Topics from several released linear estimates, each V x k with its noise.
class WordEstimate {
 public:
  WordEstimate(Index words, Index k)
      : sum_(Matrix::Zero(words, k)), precision_(Matrix::Constant(words, k, 1e-12)) {}

  void add(const Matrix& estimate, const Matrix& deviation, double decay);
  // Columns sum to one.
  Matrix value(const Vector& frequencies, const Vector& shares) const;

 private:
  Matrix sum_, precision_;
};

// The state between the releases.
class PrivateTopicEstimate {
 public:
  // Of the options, the number of topics, the model with its alpha0, and what the power method
  // needs.
  PrivateTopicEstimate(Index words, const TopicOptions& options);

  void take_first(Noisy<Vector> first);
  // The eigenvalue that frequencies alone give the pair moment, over the edge of the spectrum of
  // its noise for one word, when it costs `second_mu`: the edge grows like the square root of the
  // number of words.
  double expected_strength(Index documents, double second_mu) const;
  CoreWords most_frequent(Index count) const;

  // Refuses a moment that drowns in its noise.
  void take_second(Noisy<Matrix> second, CoreWords core);
  TopicModel topics_from_pairs();

  // The tensor method on released moments. The third moment is released on more directions than
  // there are topics, since the leading ones of a noisy moment miss a part of them and further ones
  // cost no noise, and on the vector of ones, which gives its mass. The spectral topics are where a
  // fit to both moments starts.
  struct TripleBasis {
    Matrix second;     // M2 on the core
    Eigenpairs pairs;  // its leading ones
    Matrix q;          // orthonormal: where the third moment is released
  };
  TripleBasis triple_basis() const;
  // Refuses a moment that drowns in its noise.
  TopicModel topics_from_triples(const TripleBasis& basis, const Noisy<SymmetricTensor>& third,
                                 const ProgressCallback& progress) const;

  // Rare words are raised, so that they get less noise in an expectation step and frequent ones a
  // little more.
  Vector step_scale() const;
  // `counts` of an expectation step from `model`, scaled by step_scale().
  TopicModel take_counts(Noisy<RowMatrix> counts, const TopicModel& model);

  Vector frequencies() const { return frequencies_.value(); }

 private:
  // The share of the core in all words, and the frequencies within it.
  struct Core {
    double share;
    Vector frequencies;
  };
  Core core() const;
  double alpha0() const { return options_.concentration(); }
  Index words() const { return words_; }
  TopicModel with_shares(Matrix topics, const Vector& shares) const;

  Index words_;
  TopicOptions options_;
  Noisy<Vector> first_{};
  Noisy<Matrix> second_{};
  CoreWords core_;
  FrequencyEstimate frequencies_;
  WordEstimate estimate_;
};

}  // namespace sotto
