// The expectation steps of topic models as sums over documents (documents.h), and what the topics
// say of each document.
// Cost: O(nnz k) a round.
// Privacy: none here; release/ bounds what a document adds to normed_counts().
#pragma once

#include <memory>
#include <vector>

#include "sotto/moments/documents.h"

namespace sotto {

// One step of the expectation of LDA with these topics: the rounds on the documents' parameters go
// on from those of the steps before.
struct TopicStep {
  RowMatrix topics;  // V x k
  Vector alpha;
  int rounds = 0;
};
// The expected counts after the last of these steps: V x k.
RowMatrix expected_counts(DocumentSource& documents, const std::vector<TopicStep>& steps);
// The same where every document has one topic, with these weights.
RowMatrix single_topic_counts(DocumentSource& documents, const RowMatrix& topics,
                              const Vector& weights);

// Expected counts to which every document adds a part of norm `norm` (parts shorter than `shortest`
// add nothing). The norm is taken with the rows multiplied by word_scale, the counts are without.
struct NormedStep {
  TopicStep step;
  Vector word_scale;
  double norm = 1, shortest = 0;
};
RowMatrix normed_counts(DocumentSource& documents, const NormedStep& step);

// Mean proportions of the topics in each document, N x k.
struct TopicShares {
  RowMatrix topics;  // V x k
  Vector alpha;
  DocumentModel model = DocumentModel::lda;
  int rounds = 50;  // of lda
};
RowMatrix topic_shares(DocumentSource& documents, const TopicShares& shares);
RowMatrix topic_shares(const CountView& documents, const TopicShares& shares);

// log P(document | topic) + log P(topic), normalised: N x k.
RowMatrix responsibilities(const CountView& documents, const RowMatrix& topics,
                           const Vector& weights);

// Read what write() of a sum, after its kind, or of rows has written.
std::unique_ptr<DocumentSum> read_expectation_steps(ByteReader& bytes);
std::unique_ptr<DocumentSum> read_single_topic_sum(ByteReader& bytes);
std::unique_ptr<DocumentSum> read_normed_sum(ByteReader& bytes);
std::unique_ptr<DocumentRows> read_document_rows(ByteReader& bytes);

}  // namespace sotto
