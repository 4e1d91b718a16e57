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
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/byte_source.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

struct TextRules {
  bool lower = true;
  std::int64_t min_length = 2;          // characters of a word; a vocabulary's may be of any length
  std::vector<std::string> stop_words;  // never counted
};

// Sets `text` to that of the next document; false after the last one.
using NextText = std::function<bool(std::string_view& text)>;

// An empty vocabulary: the words that are found, the most frequent first.
Corpus read_text_corpus(const NextText& next, std::span<const std::string> vocabulary,
                        const TextRules& rules);

// The same with the words that are found in their order: for a part of a corpus, whose words the
// whole will number.
Corpus read_text_as_found(const NextText& next, std::span<const std::string> vocabulary,
                          const TextRules& rules);

// The corpus with its words numbered anew: the most frequent first, ties by name.
Corpus by_frequency(Corpus corpus);

// Whether the first line is no document but names or counts them. Without a word about it, a first
// line that is the number of the lines after it is refused.
enum class FirstLine { document, header, guarded };

// Refuses the first of so many lines that says how many follow it.
void refuse_counting_line(Index claimed, Index documents, const std::string& path);

// The lines of a text.
Corpus read_text_lines(ByteSource& bytes, FirstLine first, std::span<const std::string> vocabulary,
                       const TextRules& rules);

}  // namespace sotto
