#include "sotto/tensor/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

// Documents of up to 8 of 20 words, some empty.
Corpus random_corpus(std::uint64_t seed) {
  SeededRandom random(seed);
  Corpus corpus;
  corpus.vocabulary_size = 20;
  for (int w = 0; w < 20; ++w) corpus.vocabulary.push_back("w" + std::to_string(w));
  for (int n = 0; n < 50; ++n) {
    std::map<std::int32_t, std::int32_t> document;
    for (auto tokens = random.below(9); tokens > 0; --tokens) {
      ++document[static_cast<std::int32_t>(random.below(20))];
    }
    for (const auto& [word, count] : document) {
      corpus.word.push_back(word);
      corpus.count.push_back(count);
    }
    corpus.begin.push_back(std::ssize(corpus.word));
  }
  return corpus;
}

using Named = std::vector<std::map<std::string, std::int32_t>>;

Named by_name(const Corpus& corpus) {
  Named documents;
  for (Index n = 0; n < corpus.documents(); ++n) {
    documents.emplace_back();
    const auto words = corpus.words_of(n), counts = corpus.counts_of(n);
    EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
    for (std::size_t e = 0; e < words.size(); ++e) {
      documents.back()[corpus.vocabulary[static_cast<std::size_t>(words[e])]] = counts[e];
    }
  }
  return documents;
}

TEST(Corpus, restricted_to_some_words_in_any_order_keeps_their_counts) {
  for (const std::vector<std::int32_t>& kept :
       {std::vector<std::int32_t>{0, 3, 4, 19}, {19, 0, 7, 3, 11, 5}, {}}) {
    const Corpus whole = random_corpus(kept.size());
    const Corpus part = restrict_vocabulary(whole, kept);
    Named expected = by_name(whole);
    for (auto& document : expected) {
      std::erase_if(document, [&](const auto& entry) {
        const auto word = std::stoi(entry.first.substr(1));
        return std::find(kept.begin(), kept.end(), word) == kept.end();
      });
    }
    EXPECT_EQ(by_name(part), expected);
    EXPECT_EQ(part.vocabulary_size, std::ssize(kept));
    EXPECT_EQ(part.documents(), whole.documents());
    EXPECT_EQ(part.entries(), std::ssize(part.word));
    EXPECT_EQ(part.word.size(), part.count.size());
  }
}

TEST(Corpus, refuses_to_keep_a_word_twice_or_one_that_is_not_there) {
  const Corpus corpus = random_corpus(1);
  for (const std::vector<std::int32_t>& kept : {std::vector<std::int32_t>{1, 1}, {20}, {-1}}) {
    EXPECT_THROW(restrict_vocabulary(corpus, kept), Error);
  }
}

TEST(Corpus, frequencies_agree_with_counting_the_documents) {
  const Corpus corpus = random_corpus(2);
  std::vector<std::int64_t> documents(20), tokens(20);
  for (const auto& document : by_name(corpus)) {
    for (const auto& [name, count] : document) {
      const auto word = static_cast<std::size_t>(std::stoi(name.substr(1)));
      ++documents[word];
      tokens[word] += count;
    }
  }
  EXPECT_EQ(document_frequency(corpus), documents);
  EXPECT_EQ(word_frequency(corpus), tokens);
}

}  // namespace
}  // namespace sotto
