// Topics from what was released about documents: post-processing only, nothing here sees a
// document. private_topics.h gives the order of the releases.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/progress.h"
#include "sotto/models/topic_model.h"
#include "sotto/release/noisy.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

// The words of the second moment, by their numbers in increasing order.
using CoreWords = std::vector<std::int32_t>;

// The frequencies that a public background gives these words; they sum to one. A word that it does
// not count gets half of its least count.
Vector background_of(const WordCounts& counts, const std::vector<std::string>& words);

// Word frequencies from several released estimates, weighted by precision.
class FrequencyEstimate {
 public:
  // `background`: frequencies that are near, from elsewhere; empty: none are known.
  explicit FrequencyEstimate(Index words, Vector background = {})
      : background_(std::move(background)),
        sum_(Vector::Zero(words)),
        precision_(Vector::Zero(words)) {}

  void add(const Vector& estimate, const Vector& deviation);
  // The values sum to one. Without a background each word has at least half its noise; with one, a
  // word that does not stand out of its noise has its posterior mean. The first estimate decides
  // how much the background tells.
  const Vector& value() const { return value_; }
  bool has_background() const { return background_.size() > 0; }

 private:
  Vector background_, sum_, precision_, value_;
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

// What is known between the releases.
class PrivateTopicEstimate {
 public:
  // Reads the number of topics, the model with its alpha0, and the settings of the power method
  // from the options. `background`: public frequencies of the words, or empty.
  PrivateTopicEstimate(Index words, const TopicOptions& options, Vector background);

  void take_first(Noisy<Vector> first);
  // The sum of the released first moment: the mean weight of a document.
  double first_mass() const { return first_.value.sum(); }
  // The eigenvalue that frequencies alone give the pair moment, divided by the edge of the spectrum
  // of its noise for one word, when the moment costs `second_mu`. The edge grows with the square
  // root of the number of words.
  double expected_strength(Index documents, double second_mu) const;
  CoreWords most_frequent(Index count) const;

  // Refuses a moment that is smaller than its noise.
  void take_second(Noisy<Matrix> second, CoreWords core);
  TopicModel topics_from_pairs();

  // The tensor method on released moments. The third moment is released on more directions than
  // there are topics: the leading ones of a noisy moment miss a part of the topics, and further
  // directions cost no noise. It is also released on the vector of ones, which gives its mass. The
  // spectral topics are the start of a fit to both moments.
  struct TripleBasis {
    Matrix second;     // M2 on the core
    Eigenpairs pairs;  // its leading eigenpairs
    Matrix q;          // orthonormal: where the third moment is released
  };
  TripleBasis triple_basis() const;
  // Where nothing stands out of the noise, all topics are the frequencies.
  TopicModel topics_from_triples(const TripleBasis& basis, const Noisy<SymmetricTensor>& third,
                                 const ProgressCallback& progress) const;

  // Raises rare words, so that they get less noise in an expectation step and frequent ones a
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
  // Of every word, in the scale of the first moment, as well as it is known.
  Vector first_weights() const;
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
