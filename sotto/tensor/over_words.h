// A corpus over other words than its own.
#pragma once

#include <string>
#include <vector>

#include "sotto/tensor/corpus.h"

namespace sotto {

// The corpus over these words, in this order, found by their names. A word that no document has
// becomes a word without counts.
Corpus over_words(Corpus corpus, const std::vector<std::string>& words);

}  // namespace sotto
