#include "sotto/tensor/corpus.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"

namespace sotto {

CountView Corpus::view() const { return {vocabulary_size, begin, word, count}; }

std::vector<std::int64_t> document_frequency(const Corpus& corpus) {
  std::vector<std::int64_t> frequency(static_cast<std::size_t>(corpus.vocabulary_size));
  for (const std::int32_t word : corpus.word) ++frequency[static_cast<std::size_t>(word)];
  return frequency;
}

std::vector<std::int64_t> word_frequency(const Corpus& corpus) {
  std::vector<std::int64_t> frequency(static_cast<std::size_t>(corpus.vocabulary_size));
  for (std::size_t e = 0; e < corpus.word.size(); ++e) {
    frequency[static_cast<std::size_t>(corpus.word[e])] += corpus.count[e];
  }
  return frequency;
}

void sort_words(Corpus& corpus, Index n) {
  const auto words = corpus.words_of(n), counts = corpus.counts_of(n);
  if (std::is_sorted(words.begin(), words.end())) return;
  std::vector<std::pair<std::int32_t, std::int32_t>> entries(words.size());
  for (std::size_t e = 0; e < words.size(); ++e) entries[e] = {words[e], counts[e]};
  std::sort(entries.begin(), entries.end());
  auto at = static_cast<std::size_t>(corpus.begin[static_cast<std::size_t>(n)]);
  for (const auto& [word, count] : entries) {
    corpus.word[at] = word;
    corpus.count[at++] = count;
  }
}

Corpus restrict_vocabulary(Corpus corpus, std::span<const std::int32_t> kept) {
  constexpr std::int32_t dropped = -1;
  std::vector<std::int32_t> number(static_cast<std::size_t>(corpus.vocabulary_size), dropped);
  std::vector<std::string> vocabulary;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    SOTTO_REQUIRE(kept[i] >= 0 && kept[i] < corpus.vocabulary_size,
                  "word {} is not one of the {} words", kept[i], corpus.vocabulary_size);
    const auto old = static_cast<std::size_t>(kept[i]);
    SOTTO_REQUIRE(number[old] == dropped, "word {} is kept twice", kept[i]);
    number[old] = static_cast<std::int32_t>(i);
    if (!corpus.vocabulary.empty()) vocabulary.push_back(std::move(corpus.vocabulary[old]));
  }
  std::size_t from = 0, to = 0;  // to <= from: entries are read before they are overwritten
  for (Index n = 0; n < corpus.documents(); ++n) {
    auto& end = corpus.begin[static_cast<std::size_t>(n) + 1];
    for (; from < static_cast<std::size_t>(end); ++from) {
      const std::int32_t renamed = number[static_cast<std::size_t>(corpus.word[from])];
      if (renamed == dropped) continue;
      corpus.word[to] = renamed;
      corpus.count[to++] = corpus.count[from];
    }
    end = static_cast<std::int64_t>(to);
    sort_words(corpus, n);
  }
  corpus.word.resize(to);
  corpus.count.resize(to);
  corpus.vocabulary = std::move(vocabulary);
  corpus.vocabulary_size = std::ssize(kept);
  return corpus;
}

}  // namespace sotto
