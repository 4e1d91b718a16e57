// Documents as rows of word counts, all in memory (compressed sparse rows, 8 bytes per entry).
//
// Privacy: none here; a corpus that belongs to persons travels as Sensitive<Corpus>.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

struct CountView;

struct Corpus {
  Index vocabulary_size = 0;              // V; words are numbered 0 .. V-1
  std::vector<std::int64_t> begin = {0};  // document n has the entries begin[n] .. begin[n+1]-1
  std::vector<std::int32_t> word;         // increasing within a document, none twice
  std::vector<std::int32_t> count;        // at least 1
  std::vector<std::string> vocabulary;    // the words themselves; empty when they have no names
  std::vector<std::string> ids;           // names of the documents; empty when they have none
  // Whether the vocabulary was fixed without looking at the documents (by a header or a list of
  // words), so that its size may be public.
  bool vocabulary_is_declared = false;

  Index documents() const { return static_cast<Index>(begin.size()) - 1; }
  std::int64_t entries() const { return begin.back(); }

  std::span<const std::int32_t> words_of(Index n) const { return row(word, n); }
  std::span<const std::int32_t> counts_of(Index n) const { return row(count, n); }
  CountView view() const;
  // Tokens of document n.
  std::int64_t length(Index n) const {
    std::int64_t sum = 0;
    for (const std::int32_t c : counts_of(n)) sum += c;
    return sum;
  }

 private:
  std::span<const std::int32_t> row(const std::vector<std::int32_t>& all, Index n) const {
    const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(n)]);
    const auto last = static_cast<std::size_t>(begin[static_cast<std::size_t>(n) + 1]);
    return {all.data() + first, last - first};
  }
};

// How often each word occurs in some corpus.
using WordCounts = std::unordered_map<std::string, double>;

// The number of documents that contain each word, and the number of times it occurs in all of them.
std::vector<std::int64_t> document_frequency(const Corpus& corpus);
std::vector<std::int64_t> word_frequency(const Corpus& corpus);

// Puts the words of document n, with their counts, in increasing order.
void sort_words(Corpus& corpus, Index n);

// The corpus of these words alone: kept[i] becomes word i. A document stays even when none of its
// words do. Works in place when the corpus is moved in.
Corpus restrict_vocabulary(Corpus corpus, std::span<const std::int32_t> kept);

// How documents come from topics, and how their moments are taken.
enum class DocumentModel {
  lda,     // a document mixes topics, in proportions from a Dirichlet distribution
  single,  // a document has one topic: the limit of small Dirichlet parameters
};
constexpr auto enum_names(DocumentModel) {
  return std::to_array<EnumName<DocumentModel>>(
      {{DocumentModel::lda, "lda"}, {DocumentModel::single, "single"}});
}

// Products of means, or sums over different documents (topic_moments.h).
enum class MomentForm { unbiased, plug_in };
constexpr auto enum_names(MomentForm) {
  return std::to_array<EnumName<MomentForm>>(
      {{MomentForm::unbiased, "unbiased"}, {MomentForm::plug_in, "plug-in"}});
}

}  // namespace sotto
