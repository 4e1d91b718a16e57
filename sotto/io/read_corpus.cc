#include "sotto/io/read_corpus.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/document_reader.h"
#include "sotto/io/public_format.h"
#include "sotto/io/sniff_documents.h"
#include "sotto/io/stop_words.h"
#include "sotto/io/text_corpus.h"

namespace sotto {
namespace {

std::string sniff(ByteSource& bytes) {
  constexpr std::size_t enough = 1 << 20;
  const bool cut = bytes.peek(enough).size() == enough;
  const std::string_view head = without_byte_order_mark(bytes.peek(enough));
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  SOTTO_REQUIRE_AT(is_text(head), bytes.path(),
                   "is not text; expected UCI docword, LDA-C, MatrixMarket, SVMlight or text, one "
                   "document a line");
  if (head.starts_with("%%MatrixMarket")) return "mm";
  const auto documents = sniff_documents(head, cut);
  return documents ? std::string(format_name(*documents)) : "text";
}

std::string format_of(const std::string& path, ByteSource& bytes,
                      const CorpusFileOptions& options) {
  static constexpr std::string_view reads[] = {"uci", "lda-c", "mm", "svmlight", "text"};
  if (options.format != "auto") return options.format;
  return options.records_are_private ? public_format(path, bytes, reads) : sniff(bytes);
}

// How many words there are would be read off the documents.
void check_private_words(const std::string& format, const CorpusFileOptions& options) {
  const bool numbers = format == "lda-c" || format == "svmlight";
  SOTTO_REQUIRE_AT(!options.records_are_private || !numbers || !options.vocab.empty(), "`vocab`",
                   "is needed: {} has numbers for words, and how many there are would be read off "
                   "the documents",
                   format);
}

void check_text_options(const std::string& format, const CorpusFileOptions& options) {
  const CorpusFileOptions usual;
  const auto only_text = [&](bool is_usual, const char* name) {
    SOTTO_REQUIRE_AT(is_usual || format == "text", name, "goes with text, not with `format` {}",
                     format);
  };
  only_text(options.stop_words == usual.stop_words, "`stop-words`");
  only_text(options.min_length == usual.min_length, "`min-length`");
  only_text(options.keep_case == usual.keep_case, "`keep-case`");
}

// Room for the entries a header declares, as far as the file can hold them: none has fewer than 4
// bytes. Memory that is never used costs nothing.
void reserve_entries(Corpus& corpus, Index declared, const ByteSource& bytes) {
  constexpr Index unknown_size = Index{1} << 27;
  const Index most = bytes.size() ? static_cast<Index>(*bytes.size() / 4) + 1 : unknown_size;
  const auto room = static_cast<std::size_t>(std::min(declared, most));
  corpus.word.reserve(room);
  corpus.count.reserve(room);
}

// Every document costs memory, even one without an entry. How many entries private documents have
// has no say.
void check_declared(Index documents, Index entries, bool is_private, const std::string& path) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max(), empty = 100000000;
  SOTTO_REQUIRE_AT(documents >= 1, path, "has no documents");
  const bool believed = is_private || documents <= empty || documents - empty <= entries;
  SOTTO_REQUIRE_AT(documents <= most && believed, path,
                   "declares {} documents for {} entries; is the header right?", documents,
                   entries);
}

// The number of words in --vocab, where it is given, and in a header must be the same.
void check_vocabulary(std::optional<Index> vocabulary, Index header, const std::string& path) {
  SOTTO_REQUIRE_AT(!vocabulary || *vocabulary == header, "`vocab`",
                   "has {} words, the header of {} says {}", *vocabulary, path, header);
}

void append(const DocumentReader::Item& item, Corpus& corpus) {
  corpus.word.push_back(static_cast<std::int32_t>(item.word));
  corpus.count.push_back(static_cast<std::int32_t>(item.value));
}

Corpus read_documents(ByteSource& bytes, DocumentFormat format, std::optional<Index> dim,
                      bool is_private) {
  Corpus corpus;
  DocumentReader reader(bytes, format, DocumentValues::count, dim, bare_lines(is_private));
  if (reader.entries()) {
    check_vocabulary(dim, reader.dim(), bytes.path());
    check_declared(*reader.documents(), *reader.entries(), is_private, bytes.path());
    reserve_entries(corpus, *reader.entries(), bytes);
  }
  Index width = 0;
  for (std::vector<DocumentReader::Item> document; reader.next(document);) {
    for (const auto& item : document) append(item, corpus);
    corpus.begin.push_back(std::ssize(corpus.word));
    if (!document.empty()) width = std::max(width, document.back().word + 1);
  }
  const bool declared = dim || format == DocumentFormat::uci;
  corpus.vocabulary_size = declared ? reader.dim() : width;
  corpus.vocabulary_is_declared = declared;
  return corpus;
}

// Counting sort by document, one array after the other; begin is set already.
void gather_documents(const std::vector<std::int32_t>& document, Corpus& corpus) {
  for (auto* values : {&corpus.word, &corpus.count}) {
    std::vector<std::int64_t> next(corpus.begin.begin(), corpus.begin.end() - 1);
    std::vector<std::int32_t> sorted(values->size());
    for (std::size_t e = 0; e < values->size(); ++e) {
      const auto at = next[static_cast<std::size_t>(document[e])]++;
      sorted[static_cast<std::size_t>(at)] = (*values)[e];
    }
    *values = std::move(sorted);
  }
}

Corpus read_matrix_market(ByteSource& bytes, std::optional<Index> dim, bool is_private) {
  Corpus corpus;
  EntryReader reader(bytes, EntryFormat::matrix_market, DocumentValues::count);
  check_vocabulary(dim, reader.words(), bytes.path());
  check_declared(reader.documents(), reader.entries(), is_private, bytes.path());
  reserve_entries(corpus, reader.entries(), bytes);
  corpus.vocabulary_size = reader.words();
  corpus.vocabulary_is_declared = true;
  corpus.begin.assign(static_cast<std::size_t>(reader.documents()) + 1, 0);
  std::vector<std::int32_t> document;
  document.reserve(corpus.word.capacity());
  for (DocumentEntry entry{}; reader.next(entry);) {
    append({entry.word, entry.value}, corpus);
    document.push_back(static_cast<std::int32_t>(entry.document));
    ++corpus.begin[static_cast<std::size_t>(entry.document) + 1];
  }
  for (std::size_t n = 1; n < corpus.begin.size(); ++n) corpus.begin[n] += corpus.begin[n - 1];
  if (!std::is_sorted(document.begin(), document.end())) gather_documents(document, corpus);
  for (Index n = 0; n < corpus.documents(); ++n) {
    sort_words(corpus, n);
    const auto words = corpus.words_of(n);
    const auto twice = std::adjacent_find(words.begin(), words.end());
    SOTTO_REQUIRE_AT(twice == words.end(), bytes.path(), "word {} stands twice in document {}",
                     *twice + 1, n + 1);
  }
  return corpus;
}

TextRules text_rules(const CorpusFileOptions& options) {
  TextRules rules;
  rules.lower = !options.keep_case;
  rules.min_length = options.min_length;
  if (options.stop_words == "english") {
    rules.stop_words.assign(english_stop_words().begin(), english_stop_words().end());
  } else if (options.stop_words != "none") {
    rules.stop_words = read_vocabulary(options.stop_words);
  }
  return rules;
}

Corpus read_as(const std::string& format, ByteSource& bytes, const CorpusFileOptions& options,
               std::vector<std::string> vocabulary) {
  if (format == "text") {
    Corpus corpus = read_text_corpus(bytes, vocabulary, text_rules(options));
    corpus.vocabulary_is_declared = !vocabulary.empty();
    return corpus;
  }
  std::optional<Index> dim;
  if (!vocabulary.empty()) dim = std::ssize(vocabulary);
  const bool is_private = options.records_are_private;
  Corpus corpus = format == "mm" ? read_matrix_market(bytes, dim, is_private)
                                 : read_documents(bytes, *document_format(format), dim, is_private);
  corpus.vocabulary = std::move(vocabulary);
  return corpus;
}

Corpus drop_rare_words(Corpus corpus, std::int64_t min_df) {
  std::vector<std::int32_t> kept;
  const std::vector<std::int64_t> documents = document_frequency(corpus);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (documents[i] >= min_df) kept.push_back(static_cast<std::int32_t>(i));
  }
  SOTTO_REQUIRE_AT(!kept.empty(), "`min-df`", "no word is in {} documents or more", min_df);
  corpus = restrict_vocabulary(std::move(corpus), kept);
  corpus.vocabulary_is_declared = false;
  return corpus;
}

// The corpus over `words`, each of which must be one of its own.
Corpus match_words(const Corpus& corpus, const std::vector<std::string>& words) {
  std::unordered_map<std::string_view, std::int32_t> number;
  for (std::size_t i = 0; i < corpus.vocabulary.size(); ++i) {
    number.emplace(corpus.vocabulary[i], static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> kept;
  for (const std::string& word : words) {
    const auto found = number.find(word);
    SOTTO_REQUIRE_AT(found != number.end(), "`vocab`", "does not have the word '{}'", word);
    kept.push_back(found->second);
  }
  return restrict_vocabulary(corpus, kept);
}

}  // namespace

OptionTable CorpusFileOptions::table() {
  return OptionTable()
      .choice("format", format, {"auto", "uci", "lda-c", "mm", "svmlight", "text"},
              "format of the documents; mm: MatrixMarket, documents by words; text: one document a "
              "line; auto: recognised by content, with `epsilon` by the name of the file")
      .text("vocab", 0, vocab, "FILE",
            "the words, one a line, in the order of their numbers; of text these words alone are "
            "counted")
      .integer("min-df", 0, min_df, {1, 2147483647},
               "leave out words that are in fewer documents than this")
      .text("stop-words", 0, stop_words, "none|english|FILE",
            "words of text to leave out; a file has one a line")
      .integer("min-length", 0, min_length, {1, 1000},
               "characters of a word of text; shorter ones are left out unless `vocab` has them")
      .flag("keep-case", keep_case, "tell capitals from small letters in text");
}

Corpus read_corpus(const std::string& path, const CorpusFileOptions& options,
                   std::string* format_used) {
  std::vector<std::string> vocabulary;
  if (!options.vocab.empty()) vocabulary = read_vocabulary(options.vocab);
  ByteSource bytes(path, packing_of(options.records_are_private));
  const std::string format = format_of(path, bytes, options);
  if (format_used != nullptr) *format_used = format;
  check_text_options(format, options);
  check_private_words(format, options);
  Corpus corpus = read_as(format, bytes, options, std::move(vocabulary));
  SOTTO_REQUIRE_AT(corpus.documents() >= 1, bytes.path(), "has no documents");
  SOTTO_REQUIRE_AT(options.records_are_private || corpus.entries() >= 1, bytes.path(),
                   "has no words{}",
                   format == "text" && !options.vocab.empty() ? " of the vocabulary" : "");
  if (options.min_df > 1) corpus = drop_rare_words(std::move(corpus), options.min_df);
  return corpus;
}

std::vector<std::string> read_vocabulary(const std::string& path) {
  ByteSource bytes(path);
  LineReader lines(bytes);
  std::vector<std::string> words;
  std::string blank;  // where the first blank line is
  for (std::string_view line; lines.next(line);) {
    constexpr std::string_view space = " \t";
    line.remove_prefix(std::min(line.find_first_not_of(space), line.size()));
    line = line.substr(0, line.find_last_not_of(space) + 1);
    if (line.empty()) {
      if (blank.empty()) blank = lines.place();
      continue;
    }
    SOTTO_REQUIRE_AT(blank.empty(), blank, "is blank; a vocabulary has one word a line");
    words.emplace_back(line);
  }
  SOTTO_REQUIRE_AT(!words.empty(), path, "has no words");
  SOTTO_REQUIRE_AT(std::ssize(words) <= std::numeric_limits<std::int32_t>::max(), path,
                   "has too many words");
  return words;
}

Corpus read_corpus_over(const std::vector<std::string>& words, Index count, const std::string& path,
                        CorpusFileOptions options) {
  options.min_df = 1;
  ByteSource bytes(path);
  const std::string format = format_of(path, bytes, options);
  check_text_options(format, options);
  const bool text = format == "text" && !words.empty();
  std::vector<std::string> vocabulary = words;
  if (!text && !options.vocab.empty()) vocabulary = read_vocabulary(options.vocab);
  Corpus corpus = read_as(format, bytes, options, std::move(vocabulary));
  if (!text && !words.empty() && corpus.vocabulary != words) corpus = match_words(corpus, words);
  SOTTO_REQUIRE_AT(corpus.vocabulary_size == count, path, "is over {} words, not over {}",
                   corpus.vocabulary_size, count);
  return corpus;
}

}  // namespace sotto
