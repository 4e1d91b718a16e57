#include "sotto/synthetic/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/synthetic/draws.h"

namespace sotto {
namespace {

// Streams of one seed: one for each topic, one for each document.
constexpr std::uint64_t first_topic = std::uint64_t{1} << 31;
constexpr std::uint64_t first_document = std::uint64_t{1} << 32;

Matrix draw_topics(const CorpusModel& model) {
  Matrix topics = Matrix::Constant(model.vocabulary, model.topics, model.beta);
  parallel_for(topics.cols(), [&](Index j) {
    SeededRandom random(static_cast<std::uint64_t>(model.seed),
                        first_topic + static_cast<std::uint64_t>(j));
    draw_dirichlet(topics.col(j), random);
  });
  return topics;
}

Vector make_weights(const CorpusModel& model) {
  Vector weights = Vector::Ones(model.topics);
  if (!model.weights.empty()) {
    SOTTO_REQUIRE_AT(std::ssize(model.weights) == model.topics, "`weights`",
                     "expected {} weights, one a topic, got {}", model.topics,
                     model.weights.size());
    weights = Eigen::Map<const Vector>(model.weights.data(), model.topics);
  }
  weights /= weights.sum();
  SOTTO_REQUIRE_AT(weights.minCoeff() > 1e-100, "`weights`", "a share is 0 or next to it");
  return weights;
}

}  // namespace

OptionTable CorpusModel::table() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), most_words = 2147483647;
  return OptionTable()
      .integer("documents", 'n', documents, {1, most_words}, "number of documents")
      .integer("vocabulary", 'V', vocabulary, {1, most_words}, "number of words")
      .integer("topics", 'k', topics, {1, 1000000}, "number of topics")
      .choice("model", model,
              "lda: every document mixes topics; single: every document has one topic")
      .real("alpha0", 0, alpha0, {1e-9, 1e9},
            "sum of the Dirichlet parameters of the topic proportions (lda)")
      .reals("weights", weights, {0, 1e300, true},
             "shares of the topics, scaled to sum 1 (none given: all the same)")
      .real("beta", 0, beta, {1e-9, 1e9}, "Dirichlet parameter of the topics; small: few words")
      .integer("length", 'l', length, {1, 1000000000}, "words of a document, or their mean")
      .choice("length-law", length_law, "how lengths vary")
      .integer("seed", 0, seed, {0, most}, "seed of topics and documents");
}

CorpusGenerator::CorpusGenerator(const CorpusModel& model)
    : CorpusGenerator(model, draw_topics(model)) {}

CorpusGenerator::CorpusGenerator(const CorpusModel& model, Matrix topics)
    : model_(model), topics_(std::move(topics)), weights_(make_weights(model)) {
  alpha_ = (model.model == DocumentModel::lda ? model.alpha0 : 0.0) * weights_;
  SOTTO_REQUIRE(topics_.rows() == model.vocabulary && topics_.cols() == model.topics,
                "the topics are {} x {}, expected {} words x {} topics", topics_.rows(),
                topics_.cols(), model.vocabulary, model.topics);
  for (Index j = 0; j < topics_.cols(); ++j) {
    auto topic = topics_.col(j);
    SOTTO_REQUIRE(topic.minCoeff() >= 0 && topic.sum() > 0 && std::isfinite(topic.sum()),
                  "topic {} is not a distribution: values must be at least 0 and not all 0", j + 1);
    topic /= topic.sum();
    words_.emplace_back(std::span(topic.data(), static_cast<std::size_t>(topic.size())));
  }
  topic_.assign({weights_.data(), static_cast<std::size_t>(weights_.size())});
}

// The working space of a thread, and the document it drew.
struct CorpusGenerator::Scratch {
  Vector proportions;
  AliasTable topic;
  std::vector<Index> tokens;  // of each topic
  std::vector<std::int32_t> document;
};

Index CorpusGenerator::draw_length(SeededRandom& random) const {
  if (model_.length_law == LengthLaw::fixed) return model_.length;
  return draw_poisson(static_cast<double>(model_.length), random);
}

// Draws the topics of all tokens first, then the words, topic by topic: the order of tokens does
// not matter, and the tables stay in the cache.
void CorpusGenerator::draw_document(Index number, Scratch& scratch) const {
  SeededRandom random(static_cast<std::uint64_t>(model_.seed),
                      first_document + static_cast<std::uint64_t>(number));
  const Index length = draw_length(random);
  scratch.tokens.assign(words_.size(), 0);
  if (model_.model == DocumentModel::single) {
    scratch.tokens[static_cast<std::size_t>(topic_.draw(random))] = length;
  } else {
    scratch.proportions = alpha_;
    draw_dirichlet(scratch.proportions, random);
    scratch.topic.assign({scratch.proportions.data(), words_.size()});
    for (Index t = 0; t < length; ++t) {
      ++scratch.tokens[static_cast<std::size_t>(scratch.topic.draw(random))];
    }
  }
  scratch.document.clear();
  for (std::size_t j = 0; j < words_.size(); ++j) {
    for (Index t = 0; t < scratch.tokens[j]; ++t) {
      scratch.document.push_back(words_[j].draw(random));
    }
  }
  std::sort(scratch.document.begin(), scratch.document.end());
}

namespace {

// Adds the sorted words of a document as entries.
void append_document(const std::vector<std::int32_t>& words, Corpus& corpus) {
  for (std::size_t at = 0, end = 0; at < words.size(); at = end) {
    while (end < words.size() && words[end] == words[at]) ++end;
    corpus.word.push_back(words[at]);
    corpus.count.push_back(static_cast<std::int32_t>(end - at));
  }
  corpus.begin.push_back(std::ssize(corpus.word));
}

void append_corpus(const Corpus& part, Corpus& corpus) {
  const std::int64_t before = corpus.entries();
  corpus.word.insert(corpus.word.end(), part.word.begin(), part.word.end());
  corpus.count.insert(corpus.count.end(), part.count.begin(), part.count.end());
  for (std::size_t n = 1; n < part.begin.size(); ++n) {
    corpus.begin.push_back(before + part.begin[n]);
  }
}

}  // namespace

Corpus CorpusGenerator::make(Index first, Index count) const {
  constexpr Index part_documents = 256, parts_at_once = 64;
  Corpus corpus;
  corpus.vocabulary_size = topics_.rows();
  corpus.vocabulary_is_declared = true;
  for (Index at = 0; at < count; at += part_documents * parts_at_once) {
    const Index left = count - at;
    std::vector<Corpus> parts(static_cast<std::size_t>(
        std::min(parts_at_once, (left + part_documents - 1) / part_documents)));
    const auto make_part = [&](Scratch& scratch, Index p) {
      const Index from = at + p * part_documents;
      for (Index n = from; n < std::min(from + part_documents, count); ++n) {
        draw_document(first + n, scratch);
        append_document(scratch.document, parts[static_cast<std::size_t>(p)]);
      }
    };
    parallel_for_with(
        std::ssize(parts), {}, [] { return Scratch(); }, make_part);
    for (const Corpus& part : parts) append_corpus(part, corpus);
  }
  return corpus;
}

SyntheticCorpus generate_corpus(const CorpusModel& model) {
  const CorpusGenerator generator(model);
  SyntheticCorpus made{generator.make(0, model.documents), generator.topics(), generator.alpha(),
                       generator.weights()};
  made.corpus.vocabulary = synthetic_vocabulary(model.vocabulary);
  return made;
}

std::vector<std::string> synthetic_vocabulary(Index words) {
  std::vector<std::string> names;
  for (Index i = 1; i <= words; ++i) names.push_back(fmt::format("w{}", i));
  return names;
}

}  // namespace sotto
