// Plain text, one document a line, as a corpus.
//
// Every line is a document, a blank one too, whatever bytes it holds; of a line of more than 2^30
// bytes the rest is not read. Its words are the tokens of tokens.h, numbered from
// the most frequent word on, those of the same frequency by the alphabet (of bytes). With a
// vocabulary its words are counted, numbered as they stand in it, and all others are ignored: what
// stands between blanks, where that is in the vocabulary, so that "e-mail" and "c++" can be, and
// otherwise the tokens of it. Case, unless kept, makes no difference to either.
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
