#include "sotto/io/read_corpus.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"
#include "sotto/io/read_points.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

using Documents = std::vector<std::vector<std::pair<int, int>>>;  // word (from 0) and count

Documents documents_of(const Corpus& corpus) {
  Documents documents;
  EXPECT_EQ(corpus.entries(), std::ssize(corpus.word));
  EXPECT_EQ(corpus.entries(), std::ssize(corpus.count));
  for (Index n = 0; n < corpus.documents(); ++n) {
    documents.emplace_back();
    const auto words = corpus.words_of(n), counts = corpus.counts_of(n);
    for (std::size_t e = 0; e < words.size(); ++e) {
      documents.back().emplace_back(words[e], counts[e]);
    }
  }
  return documents;
}

const Documents some_documents = {{{0, 2}, {2, 1}}, {}, {{1, 3}, {4, 1}}, {{0, 1}, {1, 1}, {2, 1}}};

const std::string uci = "4\n5\n7\n1 1 2\n1 3 1\n3 2 3\n3 5 1\n4 3 1\n4 2 1\n4 1 1\n";
const std::string lda_c = "2 0:2 2:1\n0\n2 1:3 4:1\n3 2:1 1:1 0:1\n";
const std::string svmlight = "+1 1:2 3:1 # first\n-1\n0.5 qid:3 2:3 5:1\n1 1:1 2:1 3:1\n";
const std::string mm =
    "%%MatrixMarket matrix coordinate integer general\n% a comment\n\n4 5 7\n"
    "1 1 2\n1 3 1\n3 2 3\n3 5 1\n4 3 1\n4 2 1\n4 1 1\n";

CorpusFileOptions with_format(const std::string& format) {
  CorpusFileOptions options;
  options.format = value_named<CorpusFormat>(format).value();
  return options;
}

Corpus open_corpus(const std::string& path, const CorpusFileOptions& options = {},
                   CorpusFormat* format = nullptr) {
  return read_corpus(path, options, format).open(PublicDeclaration("made up here"));
}

class ReadCorpus : public testing::Test {
 protected:
  Corpus read(const std::string& text, const CorpusFileOptions& options = {}) {
    put(folder_ / "docs", text);
    return open_corpus(folder_ / "docs", options);
  }
  CorpusFileOptions with_vocab(const std::string& text, CorpusFileOptions options = {}) {
    put(folder_ / "vocab", text);
    options.vocab = folder_ / "vocab";
    return options;
  }
  void refuses(const std::string& format, const std::string& text, const std::string& says) {
    EXPECT_ERROR(read(text, with_format(format)), says);
  }

  TemporaryFolder folder_;
};

TEST_F(ReadCorpus, recognises_every_format_plain_and_packed) {
  const std::pair<std::string, std::string> files[] = {
      {"uci", uci}, {"lda-c", lda_c}, {"svmlight", svmlight}, {"mm", mm}};
  for (const auto& [format, text] : files) {
    for (const std::string& name : {std::string("auto"), format}) {
      const Corpus plain = read(text, with_format(name));
      EXPECT_EQ(documents_of(plain), some_documents) << format;
      EXPECT_EQ(plain.vocabulary_size, 5);
      EXPECT_EQ(plain.vocabulary_is_declared, format == "uci" || format == "mm");
      EXPECT_TRUE(plain.vocabulary.empty());
      put_gzip(folder_ / "docs.gz", text);
      EXPECT_EQ(documents_of(open_corpus(folder_ / "docs.gz", with_format(name))), some_documents);
    }
  }
}

TEST_F(ReadCorpus, agrees_with_the_point_reader) {
  for (const std::string& text : {uci, lda_c, svmlight}) {
    const Corpus corpus = read(text);
    PointBlock block;
    opened(open_points(folder_ / "docs"))->read(100, block);
    ASSERT_EQ(block.rows(), corpus.documents());
    RowMatrix rows = RowMatrix::Zero(corpus.documents(), corpus.vocabulary_size);
    for (Index n = 0; n < corpus.documents(); ++n) {
      for (std::size_t e = 0; e < corpus.words_of(n).size(); ++e) {
        rows(n, corpus.words_of(n)[e]) = corpus.counts_of(n)[e];
      }
    }
    EXPECT_EQ(RowMatrix(block.sparse), rows);
  }
}

TEST_F(ReadCorpus, matrix_market_may_be_real_or_pattern_and_in_any_order) {
  EXPECT_EQ(documents_of(read("%%MatrixMarket matrix coordinate real general\n4 5 7\n"
                              "1 1 2.0\n4 1 1\n3 2 3e0\n4 2 1\n4 3 1.\n1 3 +1\n3 5 10e-1\n")),
            some_documents);
  EXPECT_EQ(documents_of(read("%%matrixmarket MATRIX Coordinate Pattern GENERAL\n2 2 3\n"
                              "2 1\n1 2\n1 1\n",
                              with_format("mm"))),
            (Documents{{{0, 1}, {1, 1}}, {{0, 1}}}));
}

TEST_F(ReadCorpus, shuffled_matrix_market_gives_the_sorted_corpus) {
  SeededRandom random(5);
  std::vector<std::string> lines;
  std::string docword;
  for (int n = 1; n <= 40; ++n) {
    for (int w = 1; w <= 30; ++w) {
      if (random.below(3) != 0) continue;
      lines.push_back(fmt::format("{} {} {}\n", n, w, 1 + random.below(9)));
      docword += lines.back();
    }
  }
  const Corpus sorted = read(fmt::format("40\n30\n{}\n{}", lines.size(), docword));
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  std::string text =
      fmt::format("%%MatrixMarket matrix coordinate integer general\n40 30 {}\n", lines.size());
  for (const std::string& line : lines) text += line;
  const Corpus shuffled = read(text);
  EXPECT_EQ(shuffled.begin, sorted.begin);
  EXPECT_EQ(shuffled.word, sorted.word);
  EXPECT_EQ(shuffled.count, sorted.count);
}

TEST_F(ReadCorpus, refuses_counts_that_are_not_positive_whole_numbers) {
  for (const char* count : {"0", "-1", "0.5", "1.5", "1e10", "2147483648", "0.0"}) {
    const std::string says = "is not a whole number between 1 and 2147483647";
    refuses("uci", fmt::format("2\n5\n2\n1 1 1\n2 1 {}\n", count),
            "docs:5: count '" + std::string(count) + "' " + says);
    refuses("lda-c", fmt::format("1 0:1\n1 0:{}\n", count), "docs:2: count");
    refuses("svmlight", fmt::format("1 1:1\n1 1:{}\n", count), "docs:2: count");
    refuses("mm",
            fmt::format("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 {}\n", count),
            "docs:3: count");
  }
  refuses("uci", "2\n5\n2\n1 1 1\n2 1 x\n", "docs:5: 'x' is not a number");
  refuses("uci", "2\n5\n2\n1 1 1\n2 1\n", "docs:5: '' is not a number");
  refuses("uci", "2\n5\n2\n1 1 nan\n2 1 1\n", "docs:4: 'nan' is not a finite number");
  EXPECT_EQ(read("1\n1\n1\n1 1 2147483647\n").count[0], 2147483647);
}

TEST_F(ReadCorpus, refuses_a_header_that_lies) {
  refuses("uci", "4\n5\n", "ends within its header");
  refuses("uci", "2\n5\n3\n1 1 2\n2 1 1\n", "docs: has 2 entries, its header says 3");
  refuses("uci", "2\n5\n1\n1 1 2\n2 1 1\n", "docs:5: goes on after the 1 entries");
  refuses("uci", "2\n5\n2\n3 1 2\n2 1 1\n", "docs:4: document number 3 is not between 1 and 2");
  refuses("uci", "2\n5\n2\n0 1 2\n2 1 1\n", "docs:4: document number 0 is not between 1 and 2");
  refuses("uci", "2\n5\n2\n1 6 2\n2 1 1\n", "docs:4: word number 6 is not between 1 and 5");
  refuses("uci", "2\n5\n2\n2 1 2\n1 1 1\n", "docs:5: document 1 comes after document 2");
  refuses("uci", "9000000000000000000\n5\n1\n1 1 1\n",
          "number of documents 9000000000000000000 is not between");
  refuses("uci", "2000000000\n5\n1\n1 1 1\n", "is the header right?");
  refuses("uci", "1\n5\n9000000000000000000\n1 1 1\n", "has 1 entries, its header says 9");
  put_gzip(folder_ / "docs", "1\n5\n9000000000000000000\n1 1 1\n");
  EXPECT_ERROR(read_corpus(folder_ / "docs"), "has 1 entries, its header says 9");
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
  refuses("mm", banner, "ends before its size");
  refuses("mm", banner + "1 2\n", "docs:2: number of entries '' is not a whole number");
  refuses("mm", banner + "1 2 3 4\n", "docs:2: expected three numbers");
  refuses("mm", banner + "1 1 2\n1 1 1\n", "has 1 entries, its header says 2");
  refuses("mm", banner + "1 1 1\n1 1 1\n1 1 1\n", "docs:4: goes on after the 1 entries");
  refuses("mm", banner + "1 1 1\n2 1 1\n", "docs:3: document number 2 is not between 1 and 1");
  refuses("mm", banner + "1 1 1\n1 2 1\n", "docs:3: word number 2 is not between 1 and 1");
  refuses("mm", banner + "1 1 1\n1 1 1 1\n", "docs:3: expected three numbers");
  refuses("mm", "1 1 1\n", "docs:1: expected %%MatrixMarket");
  refuses("mm", "%%MatrixMarket matrix array real general\n", "docs:1: expected a matrix in coor");
  refuses("mm", "%%MatrixMarket matrix coordinate complex general\n", "got 'complex'");
  refuses("mm", "%%MatrixMarket matrix coordinate integer symmetric\n", "got 'symmetric'");
  refuses("mm", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
          "docs:3: expected two numbers");
}

TEST_F(ReadCorpus, refuses_a_word_twice_in_a_document) {
  refuses("uci", "3\n5\n4\n1 1 1\n2 1 1\n2 3 1\n2 1 1\n",
          "docs: word 1 appears twice in document 2");
  refuses("lda-c", "1 0:1\n2 3:1 3:2\n", "docs:2: word 3 appears twice");
  refuses("svmlight", "1 1:1\n1 3:1 2:1 3:2\n", "docs:2: word 3 appears twice");
  refuses("mm", "%%MatrixMarket matrix coordinate integer general\n2 2 3\n2 2 1\n1 1 1\n2 2 1\n",
          "docs: word 2 appears twice in document 2");
}

TEST_F(ReadCorpus, refuses_what_has_no_words) {
  EXPECT_ERROR(read(""), "docs: is empty");
  refuses("text", "", "docs: has no documents");
  refuses("text", "\n \n.,;\n", "docs: has no words");
  refuses("lda-c", "", "docs: has no documents");
  refuses("lda-c", "0\n0\n", "docs: has no words");
  refuses("svmlight", "1\n# nothing\n", "docs: has no words");
  refuses("uci", "0\n5\n0\n", "docs: has no documents");
  refuses("uci", "3\n5\n0\n", "docs: has no words");
  refuses("mm", "%%MatrixMarket matrix coordinate integer general\n0 1 0\n", "has no documents");
  EXPECT_ERROR(read(std::string("\x93NUMPY\x01\0\0\0", 10)), "docs: is not text");
  EXPECT_ERROR(read_corpus(folder_ / "none"), "cannot be opened");
  // Unless the caller must not say so.
  CorpusFileOptions lenient;
  lenient.records_are_private = true;
  lenient.format = CorpusFormat::uci;
  EXPECT_EQ(documents_of(read("3\n5\n0\n", lenient)), (Documents{{}, {}, {}}));
  auto text = with_vocab("one\n");
  text.format = CorpusFormat::text;
  text.records_are_private = true;
  EXPECT_EQ(documents_of(read("none of these\n\n", text)), (Documents{{}, {}}));
}

TEST_F(ReadCorpus, counts_of_words_are_complete_and_count_something) {
  const auto counts = [&](const std::string& text) {
    put(folder_ / "counts", text);
    return read_word_counts(folder_ / "counts");
  };
  EXPECT_EQ(counts("the\t10\n of it \t2.5\nrare\t0\n\n"),
            (WordCounts{{"the", 10}, {"of it", 2.5}, {"rare", 0}}));
  EXPECT_ERROR(counts("the\t10\nof\n"), "counts:2: is not a word, a tab and a count");
  EXPECT_ERROR(counts("the\t-1\n"), "counts:1: is not a word");
  EXPECT_ERROR(counts("the\tnan\n"), "counts:1: is not a word");
  EXPECT_ERROR(counts("the\t10 \nthe\t1\n"), "counts:2: has a word that is in the file twice");
  EXPECT_ERROR(counts("the\t0\n"), "counts: must have a positive sum");
  EXPECT_ERROR(counts("the\t1e308\nof\t1e308\n"), "counts: must have a positive sum");
  EXPECT_ERROR(counts(""), "counts: has no words");
}

TEST_F(ReadCorpus, names_the_words_by_a_vocabulary_that_must_fit) {
  const std::vector<std::string> five = {"a", "b", "c d", "e", "f"};
  for (const std::string& text : {uci, lda_c, svmlight, mm}) {
    const Corpus corpus = read(text, with_vocab("a\nb\r\n  c d \ne\nf\n\n"));
    EXPECT_EQ(corpus.vocabulary, five);
    EXPECT_EQ(corpus.vocabulary_size, 5);
    EXPECT_TRUE(corpus.vocabulary_is_declared);
    EXPECT_EQ(documents_of(corpus), some_documents);
  }
  const auto four = with_vocab("a\nb\nc\nd\n");
  EXPECT_ERROR(read(lda_c, four), "docs:3: word number 4 is not between 0 and 3");
  EXPECT_ERROR(read(svmlight, four), "docs:3: word number 5 is not between 1 and 4");
  EXPECT_ERROR(read(uci, four), "`vocab`: has 4 words, the header of");
  EXPECT_ERROR(read(mm, four), "`vocab`: has 4 words, the header of");
  EXPECT_EQ(read(lda_c, with_vocab("a\t7\nb\nc  d\t0.5\n\te \t1e3\nf\n")).vocabulary,
            (std::vector<std::string>{"a", "b", "c  d", "e", "f"}));
  EXPECT_ERROR(read(lda_c, with_vocab("0\ta\t9\nb\n")), "vocab:1: has a tab");
  EXPECT_ERROR(read(lda_c, with_vocab("a\tb\n")), "vocab:1: has a tab");
  EXPECT_ERROR(read(lda_c, with_vocab("a\n\nb\n")), "vocab:2: is blank");
  EXPECT_ERROR(read(lda_c, with_vocab("\n\n")), "vocab: has no words");
  CorpusFileOptions missing;
  missing.vocab = folder_ / "none";
  EXPECT_ERROR(read(lda_c, missing), "none: cannot be opened");
}

TEST_F(ReadCorpus, numbers_the_words_of_text_by_frequency_then_alphabet) {
  const Corpus corpus = read("Beta alpha, beta; x\n\ngamma (ALPHA) beta delta\nomega gamma");
  EXPECT_EQ(corpus.vocabulary,
            (std::vector<std::string>{"beta", "alpha", "gamma", "delta", "omega"}));
  EXPECT_EQ(documents_of(corpus),
            (Documents{{{0, 2}, {1, 1}}, {}, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}, {{2, 1}, {4, 1}}}));
  EXPECT_FALSE(corpus.vocabulary_is_declared);
}

TEST_F(ReadCorpus, counts_in_text_the_words_of_the_vocabulary_alone) {
  const auto options = with_vocab("e-mail\nC++\nr\nmail\n");
  const Corpus corpus = read("E-Mail mail, c++ nothing\nr: R e-mail!\n", options);
  // "e-mail!" is not in the vocabulary as it stands; its token mail is.
  EXPECT_EQ(documents_of(corpus), (Documents{{{0, 1}, {1, 1}, {3, 1}}, {{2, 2}, {3, 1}}}));
  EXPECT_EQ(corpus.vocabulary, (std::vector<std::string>{"e-mail", "C++", "r", "mail"}));
  EXPECT_TRUE(corpus.vocabulary_is_declared);
  EXPECT_ERROR(read("none of these\n", options), "docs: has no words of the vocabulary");
  EXPECT_ERROR(read("a\n", with_vocab("Mail\nb\nmail\n")), "`vocab`: the word 'mail' appears in");
  auto cased = with_vocab("Mail\nmail\n");
  cased.keep_case = true;
  EXPECT_EQ(documents_of(read("mail Mail MAIL mail\n", cased)), (Documents{{{0, 1}, {1, 2}}}));
}

TEST_F(ReadCorpus, leaves_out_stop_words_short_words_and_rare_words) {
  CorpusFileOptions options;
  options.stop_words = "english";
  const std::string text = "The cat and the dog don't eat\na dog\ncat dog ox\n";
  EXPECT_EQ(read(text, options).vocabulary, (std::vector<std::string>{"dog", "cat", "eat", "ox"}));
  options.min_length = 3;
  EXPECT_EQ(read(text, options).vocabulary, (std::vector<std::string>{"dog", "cat", "eat"}));
  put(folder_ / "stop", "Dog\nthe\n");
  options.stop_words = folder_ / "stop";
  options.min_df = 2;
  const Corpus corpus = read(text, options);
  EXPECT_EQ(corpus.vocabulary, (std::vector<std::string>{"cat"}));
  EXPECT_EQ(documents_of(corpus), (Documents{{{0, 1}}, {}, {{0, 1}}}));
  options.min_df = 3;
  EXPECT_ERROR(read(text, options), "`min-df`: no word is in 3 documents");
  CorpusFileOptions rare = with_vocab("a\nb\nc\nd\ne\n");
  rare.min_df = 2;
  const Corpus frequent = read(uci, rare);
  EXPECT_EQ(frequent.vocabulary, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(frequent.vocabulary_is_declared);
  EXPECT_EQ(frequent.documents(), 4);
}

TEST_F(ReadCorpus, refuses_options_of_text_with_other_formats) {
  CorpusFileOptions stop, length, keep;
  stop.stop_words = "english";
  length.min_length = 3;
  keep.keep_case = true;
  EXPECT_ERROR(read(uci, stop), "`stop-words`: only works with text, not with `format` uci");
  EXPECT_ERROR(read(mm, length), "`min-length`: only works with text");
  EXPECT_ERROR(read(lda_c, keep), "`keep-case`: only works with text");
}

TEST_F(ReadCorpus, does_not_take_text_with_numbers_and_colons_for_pairs) {
  EXPECT_EQ(read("12 10:30 meeting\n7 11:00 lunch\n").vocabulary.size(), 7u);
  EXPECT_EQ(read("Note: the 3 items\n1\n2\n").documents(), 3);
  EXPECT_EQ(read("1997\n12\n3\n1 2 three\n").documents(), 4);
}

TEST_F(ReadCorpus, does_not_take_numbers_in_no_format_for_words) {
  const std::string entries = "\n40\n3\n11 12 13\n12 13 11\n13 14 10\n";
  for (const std::string documents : {"20.5", "20.0", "2e1", "+20", "20,0"}) {
    EXPECT_ERROR(read(documents + entries), "has lines of numbers in no format of documents");
  }
  const std::string byte_order_mark = "\xef\xbb\xbf";
  EXPECT_EQ(read(byte_order_mark + "20" + entries).documents(), 20);
  EXPECT_EQ(read("  " + mm).documents(), 4);
  CorpusFileOptions text;
  text.format = CorpusFormat::text;
  EXPECT_EQ(read("20.5" + entries, text).documents(), 6);
}

TEST_F(ReadCorpus, recognises_documents_whose_first_line_is_longer_than_it_looks_at) {
  constexpr int words = 150000;
  std::string pairs, shifted;
  for (int w = 0; w < words; ++w) {
    pairs += fmt::format(" {}:1", w);
    shifted += fmt::format(" {}:1", w + 1);
  }
  ASSERT_GT(pairs.size(), std::size_t{1} << 20);
  for (const std::string& text :
       {std::to_string(words) + pairs + "\n1 0:2\n", "1" + shifted + "\n-1 1:2\n"}) {
    const Corpus corpus = read(text);
    ASSERT_EQ(corpus.documents(), 2);
    EXPECT_EQ(corpus.words_of(0).size(), std::size_t{words});
    EXPECT_EQ(corpus.words_of(1)[0], 0);
  }
}

TEST_F(ReadCorpus, survives_damage_anywhere) {
  const std::string path = folder_ / "docs";
  for (const auto& [format, text] :
       {std::pair{"uci", uci}, {"lda-c", lda_c}, {"svmlight", svmlight}, {"mm", mm}}) {
    put(path, text);
    damage_everywhere(path, [&] { read_corpus(path, with_format(format)); });
  }
}

// ---- private documents ----

class PrivateCorpus : public ReadCorpus {
 protected:
  Corpus read(const std::string& name, const std::string& text, CorpusFileOptions options = {}) {
    put(folder_ / name, text);
    options.records_are_private = true;
    return open_corpus(folder_ / name, options, &format_);
  }

  CorpusFormat format_ = CorpusFormat::automatic;
};

TEST_F(PrivateCorpus, the_format_follows_from_the_name) {
  const auto five = with_vocab("a\nb\nc\nd\ne\n");
  const auto reads = [&](const std::string& name, const std::string& text, const char* format) {
    EXPECT_EQ(documents_of(read(name, text, five)), some_documents) << name;
    EXPECT_EQ(name_of(format_), format);
  };
  reads("docword.kos.txt", uci, "uci");
  reads("x.ldac", lda_c, "lda-c");
  reads("x.svm", svmlight, "svmlight");
  reads("x.mtx", mm, "mm");
  reads("x.txt", "a a c\n\nb b b e\na b c\n", "text");
  // One label more or less makes no LDA-C of it, and a document like "7 10:30" no SVMlight.
  EXPECT_EQ(documents_of(read("x.svm", "1 1:1\n1 2:1\n", five)), (Documents{{{0, 1}}, {{1, 1}}}));
  EXPECT_EQ(documents_of(read("x.txt", "7 10:30\na\n", five)), (Documents{{}, {{0, 1}}}));
  for (const std::string& text : {uci, lda_c, svmlight, mm, std::string("a b\n"), std::string()}) {
    EXPECT_ERROR(read("x", text), "`format`: is needed");
    EXPECT_ERROR(read("x.csv", text), "`text-column`: is needed");
  }
}

TEST_F(PrivateCorpus, a_document_that_becomes_empty_is_still_one) {
  const auto five = with_vocab("a\nb\nc\nd\ne\n");
  for (const char* empty : {"", "  \t", "#", "# e-mail", "\r", "\xef\xbb\xbf", "0", "%%"}) {
    for (int place = 0; place < 3; ++place) {
      std::string text;
      for (int n = 0; n < 3; ++n) text += (n == place ? std::string(empty) : "a b") + "\n";
      EXPECT_EQ(read("x.txt", text, five).documents(), 3) << empty;
    }
  }
  EXPECT_EQ(read("x.ldac", "0\n1 2:1\n0\n", five).documents(), 3);
  EXPECT_EQ(read("x.svm", "1\n1 2:1\n-1 # none\n", five).documents(), 3);
}

TEST_F(PrivateCorpus, a_line_that_is_no_document_is_refused_wherever_it_stands) {
  const auto five = with_vocab("a\nb\nc\nd\ne\n");
  const std::pair<const char*, const char*> formats[] = {{"x.ldac", "1 2:1\n"},
                                                         {"x.svm", "1 2:1\n"}};
  for (const auto& [name, good] : formats) {
    for (const char* bad : {"\n", "  \n", "# x\n", "x\n"}) {
      EXPECT_NE(error_of([&] { read(name, std::string(bad) + good + good, five); }), "");
      EXPECT_NE(error_of([&] { read(name, std::string(good) + bad + good, five); }), "");
      EXPECT_NE(error_of([&] { read(name, std::string(good) + good + bad, five); }), "");
    }
  }
}

TEST_F(PrivateCorpus, documents_are_not_quoted_and_public_words_are) {
  const auto five = with_vocab("a\nb\nc\nd\ne\n");
  const std::pair<const char*, const char*> bad[] = {
      {"x.ldac", "1 2:1\n1 77123:1\n"},
      {"x.svm", "1 2:1\n1 leprosy:1\n"},
      {"docword.txt", "2\n5\n1\n1 1 leprosy\n"},
      {"x.mtx", "%%MatrixMarket matrix coordinate integer general\n1 5 1\n1 1 77123.5\n"}};
  for (const auto& [name, text] : bad) {
    const std::string message = error_of([&] { read(name, text, five); });
    EXPECT_TRUE(
        message.ends_with("what is wrong with it is not shown in a private run, and nothing "
                          "was released by this run"))
        << message;
    EXPECT_EQ(message.find("leprosy"), std::string::npos);
    EXPECT_EQ(message.find("77123"), std::string::npos);
  }
  EXPECT_ERROR(read("x.txt", "a b\n", with_vocab("a\n\nb\n")), "vocab:2: is blank");
  EXPECT_ERROR(read("x.txt", "a b\n", with_vocab("")), "vocab: has no words");
  EXPECT_ERROR(read("x.txt", "a b\n", with_vocab("a\nA\n")),
               "the word 'A' appears in the vocabulary");
  EXPECT_ERROR(read("docword.txt", "1\n4\n1\n1 1 1\n", with_vocab("a\nb\nc\nd\ne\n")),
               "`vocab`: has 5 words");
  CorpusFileOptions stop;
  put(folder_ / "stop", "a\n\nb\n");
  stop.stop_words = folder_ / "stop";
  EXPECT_ERROR(read("x.txt", "a b\n", stop), "stop:2: is blank");
}

TEST_F(PrivateCorpus, any_bytes_are_text) {
  const auto five = with_vocab("a\nb\nc\nd\ne\n");
  for (const std::string& text : {std::string("a\0b\nc\n", 6), std::string("c\na\0b\n", 6)}) {
    const Corpus corpus = read("x.txt", text, five);
    EXPECT_EQ(corpus.documents(), 2);
    EXPECT_EQ(corpus.entries(), 3);
  }
}

TEST_F(PrivateCorpus, numbers_for_words_need_a_vocabulary_whatever_the_documents) {
  for (const char* text : {"0\n0\n", "0\n1 3:1\n", "x"}) {
    EXPECT_ERROR(read("x.ldac", text), "`vocab`: is needed");
    EXPECT_ERROR(read("x.svm", text), "`vocab`: is needed");
  }
}

TEST_F(PrivateCorpus, is_packed_where_its_name_says_so) {
  put_gzip(folder_ / "x.txt.gz", "one two\n");
  CorpusFileOptions options;
  options.records_are_private = true;
  EXPECT_EQ(open_corpus(folder_ / "x.txt.gz", options).vocabulary_size, 2);
  put_gzip(folder_ / "x.txt", "one two\n");
  EXPECT_NE(open_corpus(folder_ / "x.txt", options).vocabulary_size, 2);  // of its packed bytes
  EXPECT_EQ(open_corpus(folder_ / "x.txt").vocabulary_size, 2);
}

TEST_F(ReadCorpus, a_byte_order_mark_is_no_part_of_anything) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string& text : {uci, lda_c, svmlight, mm}) {
    EXPECT_EQ(documents_of(read(mark + text)), some_documents) << text;
  }
  EXPECT_EQ(read(mark + "one two\n").vocabulary, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(read(lda_c, with_vocab(mark + "a\nb\nc\nd\ne\n")).vocabulary[0], "a");
  CorpusFileOptions options;
  put(folder_ / "stop", mark + "one\n");
  options.stop_words = folder_ / "stop";
  EXPECT_EQ(read("one two\n", options).vocabulary, (std::vector<std::string>{"two"}));
}

TEST_F(ReadCorpus, words_are_counted_from_0_or_1_as_an_option_says) {
  CorpusFileOptions options = with_format("svmlight");
  EXPECT_ERROR(read("0 0:1 2:1\n", options), "`index-base` 0");
  options.index_base = IndexBase::zero;
  EXPECT_EQ(documents_of(read("0 0:1 2:1\n", options)), (Documents{{{0, 1}, {2, 1}}}));
  options = with_format("lda-c");
  options.index_base = IndexBase::one;
  EXPECT_EQ(documents_of(read("2 1:1 3:1\n", options)), (Documents{{{0, 1}, {2, 1}}}));
}

TEST_F(ReadCorpus, a_vocabulary_that_is_larger_than_the_numbers_is_refused) {
  put(folder_ / "words.txt", "a\nb\nc\nd\n");
  CorpusFileOptions options = with_format("lda-c");
  options.vocab = folder_ / "words.txt";
  EXPECT_ERROR(read("2 0:1 2:1\n", options), "`vocab`");
  EXPECT_ERROR(read("2 0:1 4:1\n", options), "`index-base` 1");
  options.index_base = IndexBase::zero;
  EXPECT_EQ(read("2 0:1 2:1\n", options).vocabulary_size, 4);
}

TEST_F(ReadCorpus, rare_words_are_left_out_and_others_keep_their_numbers) {
  CorpusFileOptions options = with_format("lda-c");
  options.min_df = 2;
  const Corpus corpus = read("2 0:1 4:2\n2 4:1 7:1\n1 7:1\n", options);
  EXPECT_EQ(corpus.vocabulary, (std::vector<std::string>{"#4", "#7"}));
  put(folder_ / "more", "2 0:3 7:2\n");
  const Corpus more = opened(read_corpus_over(corpus.vocabulary, 2, folder_ / "more", options));
  EXPECT_EQ(documents_of(more), (Documents{{{1, 2}}}));
}

TEST_F(ReadCorpus, a_first_line_that_counts_the_others_is_no_document) {
  CorpusFileOptions options = with_format("text");
  EXPECT_ERROR(read("2\nred apple\ngreen pear\n", options), "`header` yes");
  options.header = HeaderLine::yes;
  EXPECT_EQ(read("2\nred apple\ngreen pear\n", options).documents(), 2);
  options.header = HeaderLine::no;
  EXPECT_EQ(read("2\nred apple\ngreen pear\n", options).documents(), 3);
}

}  // namespace
}  // namespace sotto
