// Plain text, one document a line, as a corpus.
//
// Every line is a document, even a blank one, whatever bytes it holds; bytes of a line beyond 2^30
// are not read. Words are the tokens of tokens.h, numbered by falling frequency, and alphabetically
// (by bytes) at equal frequency. With a vocabulary only its words are counted, and numbered in its
// order. Text between blanks counts as a word if it is in the vocabulary, so that "e-mail" and
// "c++" can be; otherwise its tokens are looked up. Case makes no difference to either unless it is
// kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/io/byte_source.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

struct TextRules {
  bool lower = true;
  std::int64_t min_length = 2;          // characters of a word; a vocabulary's may be of any length
  std::vector<std::string> stop_words;  // never counted
};

// An empty vocabulary: the words that are found.
Corpus read_text_corpus(ByteSource& bytes, std::span<const std::string> vocabulary,
                        const TextRules& rules);

}  // namespace sotto
