// Documents from a topic model with a known truth.
//
// Topics are drawn from the symmetric Dirichlet(beta) over the vocabulary, or given. A document of
// length l (fixed, or Poisson) draws its proportions h over the k topics, and each of its l words
// from topic j with probability h_j:
//   lda: h from Dirichlet(alpha), alpha = alpha0 * weights;
//   single: one topic for the document, j with probability weights_j (the limit alpha0 -> 0).
//
// Document n depends on the seed and n alone, not on the number of threads or the block size.
// Cost: O(1) per token (alias tables, 8 V k bytes), O(k) and O(l log l) per document.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/options.h"
#include "sotto/base/random.h"
#include "sotto/linalg/matrix.h"
#include "sotto/synthetic/alias_table.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

enum class LengthLaw { fixed, poisson };
constexpr auto enum_names(LengthLaw) {
  return std::to_array<EnumName<LengthLaw>>(
      {{LengthLaw::fixed, "fixed"}, {LengthLaw::poisson, "poisson"}});
}

struct CorpusModel {
  std::int64_t documents = 10000;
  std::int64_t vocabulary = 1000;
  std::int64_t topics = 10;
  DocumentModel model = DocumentModel::lda;
  double alpha0 = 1;
  std::vector<double> weights;  // of the topics, up to a factor; empty: all the same
  double beta = 0.05;
  std::int64_t length = 80;
  LengthLaw length_law = LengthLaw::fixed;
  std::int64_t seed = 0;

  OptionTable table();
};

class CorpusGenerator {
 public:
  explicit CorpusGenerator(const CorpusModel& model);
  // Topics are given as non-negative columns, which are scaled to sum 1; the model must have their
  // shape.
  CorpusGenerator(const CorpusModel& model, Matrix topics);

  const CorpusModel& model() const { return model_; }
  const Matrix& topics() const { return topics_; }    // V x k
  const Vector& weights() const { return weights_; }  // sum to 1
  const Vector& alpha() const { return alpha_; }      // alpha0 * weights; zero for single

  // Documents first .. first+count-1, without the names of the words.
  Corpus make(Index first, Index count) const;

 private:
  struct Scratch;
  void draw_document(Index number, Scratch& scratch) const;
  Index draw_length(SeededRandom& random) const;

  CorpusModel model_;
  Matrix topics_;
  Vector weights_, alpha_;
  std::vector<AliasTable> words_;  // of each topic
  AliasTable topic_;               // by weight
};

struct SyntheticCorpus {
  Corpus corpus;
  Matrix topics;  // V x k
  Vector alpha;   // zero for single
  Vector weights;
};

SyntheticCorpus generate_corpus(const CorpusModel& model);

// "w1" .. "wV".
std::vector<std::string> synthetic_vocabulary(Index words);

}  // namespace sotto
