// Corpora whose words are put together or left out.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/tensor/corpus.h"

namespace sotto {

// Adds the documents of another file to a corpus. Words with names are found by them; numbers of
// words must agree as they are.
void append_documents(Corpus part, const std::string& path, Corpus& corpus);

// The corpus without the words that are in fewer than `min_df` documents. Words without names are
// called by their numbers then, counted from 0: "#7".
Corpus drop_rare_words(Corpus corpus, std::int64_t min_df);

}  // namespace sotto
