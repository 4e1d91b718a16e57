#include "sotto/tensor/over_words.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace sotto {

Corpus over_words(Corpus corpus, const std::vector<std::string>& words) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < words.size(); ++i) place.emplace(words[i], i);
  constexpr std::int32_t nowhere = -1;
  std::vector<std::int32_t> kept(words.size(), nowhere);
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
    const auto found = place.find(corpus.vocabulary[w]);
    if (found != place.end()) kept[found->second] = static_cast<std::int32_t>(w);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (kept[i] != nowhere) continue;
    kept[i] = static_cast<std::int32_t>(corpus.vocabulary_size++);
    corpus.vocabulary.push_back(words[i]);
  }
  return restrict_vocabulary(std::move(corpus), kept);
}

}  // namespace sotto
