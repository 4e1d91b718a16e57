#include "sotto/io/write_corpus.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "sotto/base/random.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

// `documents` documents, about one in three without words.
Corpus random_corpus(Index documents, Index words) {
  SeededRandom random(7);
  Corpus corpus;
  corpus.vocabulary_size = words;
  for (Index w = 0; w < words; ++w) corpus.vocabulary.push_back(fmt::format("word{}", w));
  for (Index n = 0; n < documents; ++n) {
    const auto step = 1 + random.below(static_cast<std::uint64_t>(words));
    for (auto w = random.below(3 * static_cast<std::uint64_t>(words) / 2);
         w < static_cast<std::uint64_t>(words); w += step) {
      corpus.word.push_back(static_cast<std::int32_t>(w));
      corpus.count.push_back(static_cast<std::int32_t>(1 + random.below(1000)));
    }
    corpus.begin.push_back(std::ssize(corpus.word));
  }
  return corpus;
}

TEST(WriteCorpus, is_read_back_the_same_plain_and_gzip) {
  const TemporaryFolder folder;
  const Corpus corpus = random_corpus(60000, 300);
  ASSERT_GT(corpus.entries(), 2 << 16);  // several pieces
  for (const char* name : {"docword.txt", "docword.txt.gz"}) {
    write_corpus(folder / name, folder / "vocab.txt", corpus);
    CorpusFileOptions options;
    options.vocab = folder / "vocab.txt";
    const Corpus back = read_corpus(folder / name, options).open(PublicDeclaration("made up here"));
    EXPECT_EQ(back.begin, corpus.begin);
    EXPECT_EQ(back.word, corpus.word);
    EXPECT_EQ(back.count, corpus.count);
    EXPECT_EQ(back.vocabulary, corpus.vocabulary);
  }
}

TEST(WriteCorpus, writes_the_lines_the_format_asks_for) {
  const TemporaryFolder folder;
  Corpus corpus;
  corpus.vocabulary_size = 2147483647;
  corpus.begin = {0, 0, 2, 2};
  corpus.word = {0, 2147483646};
  corpus.count = {2147483647, 1};
  write_corpus(folder / "d", folder / "v", corpus);
  EXPECT_EQ(get(folder / "d"),
            "3\n2147483647\n2                   \n2 1 2147483647\n2 2147483647 1\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "v"));  // the words have no names
}

TEST(WriteCorpus, gives_the_same_bytes_for_any_number_of_threads) {
  const TemporaryFolder folder;
  const Corpus corpus = random_corpus(20000, 300);
  const int before = omp_get_max_threads();
  for (const char* name : {"a.gz", "b.gz"}) {
    omp_set_num_threads(name[0] == 'a' ? 1 : 3);
    write_corpus(folder / name, folder / "v", corpus);
  }
  omp_set_num_threads(before);
  EXPECT_EQ(get(folder / "a.gz"), get(folder / "b.gz"));
}

TEST(WriteCorpus, refuses_a_wrong_number_of_documents_and_leaves_nothing) {
  const TemporaryFolder folder;
  const Corpus corpus = random_corpus(10, 5);
  {
    DocwordWriter few(folder / "d", 11, 5);
    few.write(corpus);
    EXPECT_ERROR(few.commit(), "10 documents of 11 were written");
    EXPECT_ERROR(few.write(corpus), "more documents than the 11 of the header");
    DocwordWriter other(folder / "e", 10, 6);
    EXPECT_ERROR(other.write(corpus), "documents of 5 words, the header says 6");
    EXPECT_ERROR(write_vocabulary(folder / "v", std::vector<std::string>{"a", ""}), "is empty");
    EXPECT_ERROR(write_vocabulary(folder / "v", std::vector<std::string>{"a\nb"}), "line end");
  }
  EXPECT_EQ(folder.count(), 0);
}

}  // namespace
}  // namespace sotto
