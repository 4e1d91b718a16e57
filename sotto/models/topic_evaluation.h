// How good topics are, on documents that may be looked at: held-out perplexity, coherence,
// diversity, and the distance to known topics.
//
// Perplexity by document completion: the tokens of each held-out document, in the order of the
// vocabulary, are dealt alternately to two halves. The proportions of the topics are inferred from
// the first half, and the second is predicted:
//   exp( - sum log sum_t theta_t mu_wt / number of tokens of the second halves ),
// where every topic is mixed with 1e-6 of the uniform distribution, so that no word is impossible.
// The unigram floor predicts every word by its share of a corpus.
//
// Coherence of the top words of a topic, from the documents of a reference corpus that contain
// them: NPMI, the mean over pairs of log(p_ij / p_i p_j) / -log p_ij (-1 for a pair that never
// meets; 1 for one that is always together), and UMass (Mimno et al. 2011), the mean over pairs,
// the more probable word first, of log((D_ij + 1) / D_i). A word that the reference never uses
// counts as never meeting.
// Privacy: none; a private run may be evaluated on public documents only.
#pragma once

#include <vector>

#include "sotto/models/topic_options.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

class DocumentSource;  // moments/documents.h

// `unigram` holds a weight for each word, not negative: its shares are the floor.
Perplexity completion_perplexity(const Corpus& heldout, const TopicModel& model,
                                 const Vector& unigram, DocumentModel documents);

// The numbers of the `top` most probable words of each topic, most probable first; ties by number.
std::vector<std::vector<Index>> top_words(const Matrix& topics, Index top);

Coherence coherence(const Corpus& reference, const std::vector<std::vector<Index>>& tops);
Coherence coherence(DocumentSource& reference, const std::vector<std::vector<Index>>& tops);

// Share of different words among the top words of all topics.
double diversity(const std::vector<std::vector<Index>>& tops);

// The mean total variation distance between topics, matched one to one so that the sum is least (an
// exact matching). Columns are topics.
double mean_total_variation(const Matrix& truth, const Matrix& found);

// e_comp of Imtiaz & Sarwate 2018: the mean over found columns of the Euclidean distance to the
// nearest true one.
double component_error(const Matrix& truth, const Matrix& found);

}  // namespace sotto
