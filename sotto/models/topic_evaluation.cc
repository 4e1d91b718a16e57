#include "sotto/models/topic_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "sotto/base/error.h"
#include "sotto/models/matching.h"
#include "sotto/models/topic_model.h"
#include "sotto/moments/document_sums.h"

namespace sotto {
namespace {

constexpr double kUniformShare = 1e-6;

// Tokens are dealt alternately over the whole document, not word by word.
struct Halves {
  Corpus seen, hidden;
};

void append(Corpus& corpus, std::int32_t word, std::int32_t count) {
  if (count == 0) return;
  corpus.word.push_back(word);
  corpus.count.push_back(count);
}

Halves split(const Corpus& corpus) {
  Halves halves;
  for (Corpus* half : {&halves.seen, &halves.hidden})
    half->vocabulary_size = corpus.vocabulary_size;
  for (Index n = 0; n < corpus.documents(); ++n) {
    std::int64_t dealt = 0;
    const auto words = corpus.words_of(n);
    const auto counts = corpus.counts_of(n);
    for (std::size_t e = 0; e < words.size(); ++e) {
      const std::int64_t c = counts[e];
      const auto first = static_cast<std::int32_t>((c + (dealt % 2 == 0)) / 2);
      append(halves.seen, words[e], first);
      append(halves.hidden, words[e], static_cast<std::int32_t>(c - first));
      dealt += c;
    }
    for (Corpus* half : {&halves.seen, &halves.hidden}) {
      half->begin.push_back(static_cast<std::int64_t>(half->word.size()));
    }
  }
  return halves;
}

// The number of documents that contain each of the listed words, and each pair of them.
class MeetingCounts {
 public:
  MeetingCounts(DocumentSource& documents, const std::vector<std::vector<Index>>& tops)
      : place_(static_cast<std::size_t>(documents.words()), -1) {
    std::vector<Index> listed;
    for (const auto& words : tops) {
      for (const Index w : words) {
        if (place_[w] >= 0) continue;
        place_[w] = std::ssize(listed);
        listed.push_back(w);
      }
    }
    together_ = meeting_counts(documents, listed);
  }
  double operator()(Index a, Index b) const { return together_(place_[a], place_[b]); }

 private:
  std::vector<Index> place_;
  RowMatrix together_;
};

double npmi(double both, double first, double second, double documents) {
  if (both == 0) return -1;
  if (both == documents) return 1;
  return std::log(both * documents / (first * second)) / -std::log(both / documents);
}

}  // namespace

Perplexity completion_perplexity(const Corpus& heldout, const TopicModel& model,
                                 const Vector& unigram, DocumentModel documents) {
  const Index v = model.topics.rows();
  SOTTO_REQUIRE(heldout.vocabulary_size == v && unigram.size() == v,
                "held-out documents over {} words, topics over {}", heldout.vocabulary_size, v);
  const double uniform = kUniformShare / static_cast<double>(v);
  TopicModel mixed = model;
  mixed.topics = (1 - kUniformShare) * model.topics.array() + uniform;
  const Vector floor = (1 - kUniformShare) * unigram.array() / unigram.sum() + uniform;
  const Halves halves = split(heldout);
  const RowMatrix proportions = topic_proportions(halves.seen, mixed, documents);
  const RowMatrix topics = mixed.topics;
  double by_model = 0, by_unigram = 0, tokens = 0;
  for (Index n = 0; n < halves.hidden.documents(); ++n) {
    const auto words = halves.hidden.words_of(n);
    const auto counts = halves.hidden.counts_of(n);
    for (std::size_t e = 0; e < words.size(); ++e) {
      by_model += counts[e] * std::log(proportions.row(n).dot(topics.row(words[e])));
      by_unigram += counts[e] * std::log(floor[words[e]]);
      tokens += counts[e];
    }
  }
  SOTTO_REQUIRE(tokens > 0, "no held-out document has two tokens: there is nothing to predict");
  return {std::exp(-by_model / tokens), std::exp(-by_unigram / tokens),
          static_cast<std::int64_t>(tokens)};
}

std::vector<std::vector<Index>> top_words(const Matrix& topics, Index top) {
  const Index count = std::min(top, topics.rows());
  std::vector<std::vector<Index>> tops;
  std::vector<Index> order(static_cast<std::size_t>(topics.rows()));
  for (Index t = 0; t < topics.cols(); ++t) {
    std::iota(order.begin(), order.end(), Index{0});
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
      return topics(a, t) != topics(b, t) ? topics(a, t) > topics(b, t) : a < b;
    });
    tops.emplace_back(order.begin(), order.begin() + count);
  }
  return tops;
}

Coherence coherence(const Corpus& reference, const std::vector<std::vector<Index>>& tops) {
  LocalDocuments documents(&reference);
  return coherence(documents, tops);
}

Coherence coherence(DocumentSource& reference, const std::vector<std::vector<Index>>& tops) {
  const MeetingCounts meet(reference, tops);
  const auto documents = static_cast<double>(reference.documents());
  Coherence result{Vector::Zero(Index(tops.size())), Vector::Zero(Index(tops.size()))};
  for (std::size_t t = 0; t < tops.size(); ++t) {
    const std::vector<Index>& words = tops[t];
    double pairs = 0;
    for (std::size_t a = 0; a < words.size(); ++a) {
      for (std::size_t b = a + 1; b < words.size(); ++b, ++pairs) {
        const double first = meet(words[a], words[a]), second = meet(words[b], words[b]);
        const double both = meet(words[a], words[b]);
        result.npmi[Index(t)] += npmi(both, first, second, documents);
        result.umass[Index(t)] += std::log((both + 1) / std::max(1.0, first));
      }
    }
    if (pairs == 0) continue;
    result.npmi[Index(t)] /= pairs;
    result.umass[Index(t)] /= pairs;
  }
  return result;
}

double diversity(const std::vector<std::vector<Index>>& tops) {
  std::vector<Index> all;
  for (const auto& words : tops) all.insert(all.end(), words.begin(), words.end());
  if (all.empty()) return 0;
  std::sort(all.begin(), all.end());
  const auto different = std::unique(all.begin(), all.end()) - all.begin();
  return static_cast<double>(different) / static_cast<double>(all.size());
}

double mean_total_variation(const Matrix& truth, const Matrix& found) {
  SOTTO_REQUIRE(truth.rows() == found.rows() && truth.cols() == found.cols(),
                "true topics {} x {}, found {} x {}", truth.rows(), truth.cols(), found.rows(),
                found.cols());
  Matrix cost(truth.cols(), truth.cols());
  for (Index i = 0; i < cost.rows(); ++i) {
    for (Index j = 0; j < cost.cols(); ++j) {
      cost(i, j) = 0.5 * (truth.col(i) - found.col(j)).lpNorm<1>();
    }
  }
  const std::vector<Index> match = least_cost_matching(cost);
  double sum = 0;
  for (Index i = 0; i < cost.rows(); ++i) sum += cost(i, match[i]);
  return sum / static_cast<double>(cost.rows());
}

double component_error(const Matrix& truth, const Matrix& found) {
  double sum = 0;
  for (Index j = 0; j < found.cols(); ++j) {
    sum += (truth.colwise() - found.col(j)).colwise().norm().minCoeff();
  }
  return sum / static_cast<double>(found.cols());
}

}  // namespace sotto
