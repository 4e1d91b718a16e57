// Words too common to tell topics apart.
#pragma once

#include <span>
#include <string_view>

namespace sotto {

// Articles, pronouns, prepositions, conjunctions, auxiliary verbs and the like, in lower case, with
// what is left of their short forms (don't: don, t). In alphabetical order.
std::span<const std::string_view> english_stop_words();

}  // namespace sotto
