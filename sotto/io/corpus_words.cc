#include "sotto/io/corpus_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

std::string numbered_word(std::int32_t number) { return fmt::format("#{}", number); }

// Numbers the words of `part` as in `corpus`; words that `corpus` does not have are added to it.
Corpus numbered_alike(Corpus part, Corpus& corpus) {
  std::unordered_map<std::string, std::int32_t> number;
  for (const std::string& word : corpus.vocabulary) {
    number.emplace(word, static_cast<std::int32_t>(number.size()));
  }
  std::vector<std::int32_t> renamed;
  for (const std::string& word : part.vocabulary) {
    const auto [found, is_new] =
        number.emplace(word, static_cast<std::int32_t>(corpus.vocabulary.size()));
    if (is_new) corpus.vocabulary.push_back(word);
    renamed.push_back(found->second);
  }
  for (std::int32_t& word : part.word) word = renamed[static_cast<std::size_t>(word)];
  for (Index n = 0; n < part.documents(); ++n) sort_words(part, n);
  corpus.vocabulary_size = std::ssize(corpus.vocabulary);
  return part;
}

}  // namespace

void append_documents(Corpus part, const std::string& path, Corpus& corpus) {
  if (part.vocabulary != corpus.vocabulary) {
    part = numbered_alike(std::move(part), corpus);
  } else {
    const bool declared = corpus.vocabulary_is_declared;
    SOTTO_REQUIRE_AT(!declared || part.vocabulary_size == corpus.vocabulary_size, path,
                     "declares {} words, the files before it {}", part.vocabulary_size,
                     corpus.vocabulary_size);
    corpus.vocabulary_size = std::max(corpus.vocabulary_size, part.vocabulary_size);
  }
  const std::int64_t before = corpus.begin.back();
  for (std::size_t n = 1; n < part.begin.size(); ++n)
    corpus.begin.push_back(before + part.begin[n]);
  corpus.word.insert(corpus.word.end(), part.word.begin(), part.word.end());
  corpus.count.insert(corpus.count.end(), part.count.begin(), part.count.end());
  corpus.ids.insert(corpus.ids.end(), part.ids.begin(), part.ids.end());
}

Corpus drop_rare_words(Corpus corpus, std::int64_t min_df) {
  std::vector<std::int32_t> kept;
  const std::vector<std::int64_t> documents = document_frequency(corpus);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (documents[i] >= min_df) kept.push_back(static_cast<std::int32_t>(i));
  }
  SOTTO_REQUIRE_AT(!kept.empty(), "`min-df`", "no word is in {} documents or more", min_df);
  if (corpus.vocabulary.empty()) {
    for (std::int32_t i = 0; i < corpus.vocabulary_size; ++i) {
      corpus.vocabulary.push_back(numbered_word(i));
    }
  }
  corpus = restrict_vocabulary(std::move(corpus), kept);
  corpus.vocabulary_is_declared = false;
  return corpus;
}

}  // namespace sotto
