#include "sotto/io/read_corpus.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/claims.h"
#include "sotto/io/corpus_words.h"
#include "sotto/io/document_reader.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/private_records.h"
#include "sotto/io/public_format.h"
#include "sotto/io/sniff_documents.h"
#include "sotto/io/stop_words.h"
#include "sotto/io/table_documents.h"
#include "sotto/io/text_corpus.h"
#include "sotto/io/text_fields.h"
#include "sotto/io/text_files.h"

namespace sotto {
namespace {

bool is_table_name(std::string_view name) { return name == "csv" || name == "tsv"; }

CorpusFormat sniff_corpus(const std::string& path, ByteSource& bytes) {
  constexpr std::size_t enough = 1 << 20;
  const bool cut = bytes.peek(enough).size() == enough;
  const std::string_view head = without_byte_order_mark(bytes.peek(enough));
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  refuse_other_files(head, bytes.path());
  SOTTO_REQUIRE_AT(is_text(head), bytes.path(),
                   "is not text; expected UCI docword, LDA-C, MatrixMarket, SVMlight or text, one "
                   "document a line");
  const std::size_t first = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  if (ascii_lower(head.substr(first, 14)) == "%%matrixmarket") return CorpusFormat::mm;
  const auto documents = sniff_documents(head, cut);
  if (documents) return *value_named<CorpusFormat>(name_of(*documents));
  SOTTO_REQUIRE_AT(is_utf8(head), bytes.path(),
                   "is not UTF-8 (Latin-1?): save it as UTF-8, or say `format` text (csv, tsv), "
                   "which treats other bytes as blanks");
  const std::string_view name = format_by_name(path);
  SOTTO_REQUIRE_AT(is_table_name(name) || !has_numbers_alone(head, cut), bytes.path(),
                   "has lines of numbers in no format of documents (is the header damaged? UCI has "
                   "three whole numbers, one a line); if they are words, say `format` text");
  return name == "csv" ? CorpusFormat::csv : name == "tsv" ? CorpusFormat::tsv : CorpusFormat::text;
}

CorpusFormat format_of_corpus(const std::string& path, ByteSource& bytes,
                              const CorpusFileOptions& options) {
  if (options.format != CorpusFormat::automatic) return options.format;
  if (!options.records_are_private) return sniff_corpus(path, bytes);
  std::vector<std::string_view> reads;
  for (const auto& [format, name] : enum_names(CorpusFormat{})) {
    if (format != CorpusFormat::automatic) reads.push_back(name);
  }
  return *value_named<CorpusFormat>(public_format(path, bytes, reads));
}

// The number of words would otherwise be read off the documents.
void check_private_words(CorpusFormat format, const CorpusFileOptions& options) {
  const bool numbers = format == CorpusFormat::lda_c || format == CorpusFormat::svmlight;
  SOTTO_REQUIRE_AT(!options.records_are_private || !numbers || !options.vocab.empty(), "`vocab`",
                   "is needed: {} has numbers for words, and how many there are would be read off "
                   "the documents",
                   name_of(format));
}

bool is_table(CorpusFormat format) {
  return format == CorpusFormat::csv || format == CorpusFormat::tsv;
}

bool is_words(CorpusFormat format) { return format == CorpusFormat::text || is_table(format); }

// What reads a table, and nothing else.
void check_table_options(CorpusFormat format, const CorpusFileOptions& options) {
  const bool table = is_table(format);
  SOTTO_REQUIRE_AT(!table || !options.text_column.empty(), "`text-column`",
                   "is needed: say which column of {} holds the text, by its name in the header or "
                   "its number (or `format` text, if every line is a document)",
                   name_of(format));
  const std::pair<const char*, bool> of_tables[] = {
      {"`text-column`", !options.text_column.empty()},
      {"`id-column`", !options.id_column.empty()},
      {"`separator`", options.separator != Separator::automatic}};
  for (const auto& [option, is_given] : of_tables) {
    SOTTO_REQUIRE_AT(!is_given || table, option,
                     "only works with documents in columns: say `format` csv or tsv (this is {})",
                     name_of(format));
  }
  SOTTO_REQUIRE_AT(options.id_column.empty() || !options.records_are_private, "`id-column`",
                   "does not work with `epsilon`: the names of documents are not released");
  SOTTO_REQUIRE_AT(options.header == HeaderLine::automatic || is_words(format), "`header`",
                   "only works with text, not with `format` {}", name_of(format));
  SOTTO_REQUIRE_AT(options.index_base == IndexBase::automatic || !is_words(format), "`index-base`",
                   "only works with numbers of words, not with `format` {}", name_of(format));
}

void check_text_options(CorpusFormat format, const CorpusFileOptions& options) {
  const CorpusFileOptions usual;
  const auto only_text = [&](bool is_usual, const char* name) {
    SOTTO_REQUIRE_AT(is_usual || is_words(format), name,
                     "only works with text, not with `format` {}", name_of(format));
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

// The number of words in the vocabulary, where it is given, and in a header must be the same.
void check_vocabulary(std::optional<Index> vocabulary, Index header, const std::string& path) {
  SOTTO_REQUIRE_AT(!vocabulary || *vocabulary == header, "`vocab`",
                   "has {} words, the header of {} says {}", *vocabulary, path, header);
}

// How numbers of words are read.
struct NumberRules {
  IndexBase base = IndexBase::automatic;
  bool is_private = false;
  bool all_words = false;  // the last word of the vocabulary must occur: a check of the two
};

void append(const DocumentReader::Item& item, Corpus& corpus) {
  corpus.word.push_back(static_cast<std::int32_t>(item.word));
  corpus.count.push_back(static_cast<std::int32_t>(item.value));
}

Corpus read_documents(ByteSource& bytes, DocumentFormat format, std::optional<Index> dim,
                      const NumberRules& rules) {
  Corpus corpus;
  const bool is_private = rules.is_private;
  DocumentReader reader(bytes, format, DocumentValues::count, dim, bare_lines(is_private),
                        rules.base);
  if (reader.entries()) {
    check_vocabulary(dim, reader.dim(), bytes.path());
    SOTTO_REQUIRE_AT(*reader.documents() >= 1, bytes.path(), "has no documents");
    reserve_entries(corpus, *reader.entries(), bytes);
  }
  Index width = 0;
  for (std::vector<DocumentReader::Item> document; reader.next(document);) {
    for (const auto& item : document) append(item, corpus);
    corpus.begin.push_back(std::ssize(corpus.word));
    if (!document.empty()) width = std::max(width, document.back().word + 1);
  }
  const bool uci = format == DocumentFormat::uci;
  SOTTO_REQUIRE_AT(!rules.all_words || uci || !dim || width == *dim, "`vocab`",
                   "has {} words, the last word that {} uses is its word {}; if the vocabulary is "
                   "the right one, say `index-base` 0 or 1, the number of its first word",
                   *dim, bytes.path(), width);
  const bool declared = dim || uci;
  SOTTO_REQUIRE_AT(declared || is_believable(width, corpus.entries()), bytes.path(),
                   "would have {} words for {} entries: the number of a word is very large; give "
                   "`vocab`, if it is right",
                   width, corpus.entries());
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

Corpus read_matrix_market(ByteSource& bytes, std::optional<Index> dim, const NumberRules& rules) {
  Corpus corpus;
  const bool is_private = rules.is_private;
  EntryReader reader(bytes, EntryFormat::matrix_market, DocumentValues::count, rules.base);
  check_vocabulary(dim, reader.words(), bytes.path());
  SOTTO_REQUIRE_AT(reader.documents() >= 1, bytes.path(), "has no documents");
  if (!is_private) reader.refuse_false_words();
  reserve_entries(corpus, reader.entries(), bytes);
  corpus.vocabulary_size = reader.words();
  corpus.vocabulary_is_declared = true;
  std::vector<std::int32_t> document;
  document.reserve(corpus.word.capacity());
  for (DocumentEntry entry{}; reader.next(entry);) {
    append({entry.word, entry.value}, corpus);
    document.push_back(static_cast<std::int32_t>(entry.document));
  }
  if (!is_private) reader.refuse_false_documents(reader.documents());
  corpus.begin.assign(static_cast<std::size_t>(reader.documents()) + 1, 0);
  for (const std::int32_t n : document) ++corpus.begin[static_cast<std::size_t>(n) + 1];
  for (std::size_t n = 1; n < corpus.begin.size(); ++n) corpus.begin[n] += corpus.begin[n - 1];
  if (!std::is_sorted(document.begin(), document.end())) gather_documents(document, corpus);
  for (Index n = 0; n < corpus.documents(); ++n) {
    sort_words(corpus, n);
    const auto words = corpus.words_of(n);
    const auto twice = std::adjacent_find(words.begin(), words.end());
    SOTTO_REQUIRE_AT(twice == words.end(), bytes.path(), "word {} appears twice in document {}",
                     *twice + 1, n + 1);
  }
  return corpus;
}

TextRules text_rules(const CorpusFileOptions& options) {
  TextRules rules;
  rules.lower = !options.keep_case;
  rules.min_length = options.min_length;
  const std::optional<StopWords> list = value_named<StopWords>(options.stop_words);
  if (list == StopWords::english) {
    rules.stop_words.assign(english_stop_words().begin(), english_stop_words().end());
  } else if (!list) {
    rules.stop_words = read_vocabulary(options.stop_words);
  }
  return rules;
}

// Everything that decides how documents are read. All of it is public.
struct CorpusRules {
  CorpusFormat format;
  std::vector<std::string> vocabulary;
  TextRules text;
  FirstLine first_line;
  TableRules table;
  NumberRules numbers;
};

// What the first line of a text is. Private documents are not looked at to find out.
FirstLine first_line_rule(const CorpusFileOptions& options) {
  if (options.header != HeaderLine::automatic) {
    return options.header == HeaderLine::yes ? FirstLine::header : FirstLine::document;
  }
  return options.records_are_private ? FirstLine::document : FirstLine::guarded;
}

// The separator of a public table is what its header has, if nothing was said.
char table_separator(CorpusFormat format, const CorpusFileOptions& options, ByteSource& bytes) {
  const char of_format = format == CorpusFormat::tsv ? '\t' : ',';
  if (options.separator != Separator::automatic || options.records_are_private) {
    return character_of(options.separator, of_format);
  }
  if (format == CorpusFormat::tsv) return of_format;
  const std::string_view head = without_byte_order_mark(bytes.peek(1 << 16));
  const std::string_view first = head.substr(0, head.find('\n'));
  if (const char said = excel_separator(first); said != 0) return said;
  const char found = separator_in(first, bytes.path());
  return found != 0 ? found : of_format;
}

CorpusRules corpus_rules(CorpusFormat format, const CorpusFileOptions& options,
                         std::vector<std::string> vocabulary, TextRules text, ByteSource& bytes) {
  CorpusRules rules{format, std::move(vocabulary), std::move(text), first_line_rule(options), {},
                    {}};
  const bool is_private = options.records_are_private;
  rules.numbers = {options.index_base, is_private,
                   !is_private && options.index_base == IndexBase::automatic};
  if (!is_table(format)) return rules;
  rules.table.separator = table_separator(format, options, bytes);
  if (options.header != HeaderLine::automatic) {
    rules.table.header = options.header == HeaderLine::yes;
  }
  rules.table.text_column = options.text_column;
  rules.table.id_column = options.id_column;
  rules.table.is_private = is_private;
  return rules;
}

Corpus read_words(ByteSource& bytes, const CorpusRules& rules) {
  if (rules.format == CorpusFormat::text) {
    return read_text_lines(bytes, rules.first_line, rules.vocabulary, rules.text);
  }
  TableDocuments table(bytes, rules.table);
  Corpus corpus = read_text_corpus([&](std::string_view& text) { return table.next(text); },
                                   rules.vocabulary, rules.text);
  corpus.ids = table.take_ids();
  return corpus;
}

Corpus read_as(ByteSource& bytes, CorpusRules rules) {
  if (is_words(rules.format)) {
    Corpus corpus = read_words(bytes, rules);
    corpus.vocabulary_is_declared = !rules.vocabulary.empty();
    return corpus;
  }
  std::optional<Index> dim;
  if (!rules.vocabulary.empty()) dim = std::ssize(rules.vocabulary);
  Corpus corpus = rules.format == CorpusFormat::mm
                      ? read_matrix_market(bytes, dim, rules.numbers)
                      : read_documents(bytes, *value_named<DocumentFormat>(name_of(rules.format)),
                                       dim, rules.numbers);
  corpus.vocabulary = std::move(rules.vocabulary);
  return corpus;
}

Corpus read_some_as(ByteSource& bytes, CorpusRules rules) {
  const bool of_vocabulary = is_words(rules.format) && !rules.vocabulary.empty();
  const bool is_private = rules.numbers.is_private;
  Corpus corpus = read_as(bytes, std::move(rules));
  SOTTO_REQUIRE_AT(corpus.documents() >= 1, bytes.path(), "has no documents");
  SOTTO_REQUIRE_AT(is_private || corpus.entries() >= 1, bytes.path(), "has no words{}",
                   of_vocabulary ? " of the vocabulary" : "");
  return corpus;
}

// The numbers of words that are called by them; empty where one is not.
std::vector<std::int32_t> numbers_of_words(const std::vector<std::string>& words) {
  std::vector<std::int32_t> numbers;
  for (const std::string& word : words) {
    Index number = 0;
    const bool is_number = word.starts_with('#') && is_whole(word.substr(1), number) &&
                           number >= 0 && number < kMostWords;
    if (!is_number) return {};
    numbers.push_back(static_cast<std::int32_t>(number));
  }
  return numbers;
}

// The corpus over the words with these numbers, of which it may have fewer.
Corpus over_numbers(Corpus corpus, const std::vector<std::int32_t>& numbers,
                    const std::vector<std::string>& words) {
  const Index last = *std::max_element(numbers.begin(), numbers.end());
  corpus.vocabulary_size = std::max(corpus.vocabulary_size, last + 1);
  corpus = restrict_vocabulary(std::move(corpus), numbers);
  corpus.vocabulary = words;
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

// The format of a file, when its options fit it.
CorpusFormat checked_format(const std::string& path, ByteSource& bytes,
                            const CorpusFileOptions& options) {
  const CorpusFormat format = format_of_corpus(path, bytes, options);
  check_table_options(format, options);
  check_text_options(format, options);
  check_private_words(format, options);
  return format;
}

}  // namespace

OptionTable CorpusFileOptions::table() {
  return OptionTable()
      .choice(
          "format", format,
          "format of the documents; mm: MatrixMarket, documents by words; text: one document a "
          "line; csv, tsv: one a record, in `text-column`; auto: recognised by content and name, "
          "with `epsilon` by the name of the file")
      .text("text-column", 0, text_column, "NAME|NUMBER",
            "the column of CSV or TSV that holds the text, by its name in the header or its number "
            "from 1 on")
      .text("id-column", 0, id_column, "NAME|NUMBER",
            "the column of CSV or TSV that names the documents (written to documents.txt); not "
            "with `epsilon`")
      .choice("header", header,
              "whether the first line is not a document but names the columns of CSV and TSV, or "
              "counts the lines of text; auto: yes if `text-column` is a name")
      .choice("separator", separator,
              "the separator of the columns of CSV; auto: that of the first line, with `epsilon` a "
              "comma")
      .choice("index-base", index_base,
              "the first number of a word in UCI, LDA-C, MatrixMarket and SVMlight files; auto: 0 "
              "in LDA-C, else 1")
      .text("vocab", 0, vocab, "FILE",
            "the words, one a line, in the order of their numbers; in text only these words are "
            "counted")
      .integer("min-df", 0, min_df, {1, 2147483647},
               "leave out words that are in fewer documents than this")
      .text("stop-words", 0, stop_words, "none|english|FILE",
            "words of text to leave out; a file has one a line")
      .integer("min-length", 0, min_length, {1, 1000},
               "leave out words of text with fewer characters than this, unless `vocab` has them")
      .flag("keep-case", keep_case, "keep upper and lower case apart in text");
}

std::string CorpusFileOptions::stop_words_file() const {
  return value_named<StopWords>(stop_words) ? std::string() : stop_words;
}

Sensitive<Corpus> read_corpus(const std::string& path, const CorpusFileOptions& options,
                              CorpusFormat* format_used) {
  return read_corpus(std::vector{path}, options, format_used);
}

Sensitive<Corpus> read_corpus(const std::vector<std::string>& paths,
                              const CorpusFileOptions& options, CorpusFormat* format_used) {
  std::vector<std::string> vocabulary;
  if (!options.vocab.empty()) vocabulary = read_vocabulary(options.vocab);
  const TextRules text = text_rules(options);
  const bool alone = paths.size() == 1;
  std::optional<CorpusFormat> format;
  std::optional<Corpus> corpus;
  for (const std::string& path : paths) {
    read_unquoted(options.records_are_private, path, [&] {
      ByteSource bytes(path, packing_of(options.records_are_private));
      const CorpusFormat used = checked_format(path, bytes, options);
      SOTTO_REQUIRE_AT(!format || *format == used, path, "is {}, the files before it are {}",
                       name_of(used), name_of(*format));
      format = used;
      CorpusRules rules = corpus_rules(used, options, vocabulary, text, bytes);
      rules.numbers.all_words &= alone;
      Corpus part = read_some_as(bytes, std::move(rules));
      if (!corpus) {
        corpus = std::move(part);
      } else {
        append_documents(std::move(part), path, *corpus);
      }
    });
  }
  if (format_used != nullptr) *format_used = *format;
  const bool found = is_words(*format) && vocabulary.empty();
  if (!alone && found) corpus = by_frequency(std::move(*corpus));
  if (options.min_df > 1) corpus = drop_rare_words(std::move(*corpus), options.min_df);
  return Sensitive<Corpus>(std::move(*corpus));
}

CorpusFormat corpus_format(const std::string& path, const CorpusFileOptions& options) {
  return read_unquoted(options.records_are_private, path, [&] {
    ByteSource bytes(path, packing_of(options.records_are_private));
    return checked_format(path, bytes, options);
  });
}

bool has_header_line(const CorpusFileOptions& options) {
  return first_line_rule(options) == FirstLine::header;
}

Sensitive<Corpus> read_text_range(const TextFiles& files, const std::vector<Index>& counts,
                                  Index first, Index last, const CorpusFileOptions& options) {
  std::vector<std::string> vocabulary;
  if (!options.vocab.empty()) vocabulary = read_vocabulary(options.vocab);
  TextFiles::Lines lines = files.lines(counts, first, last);
  Corpus corpus = read_text_as_found([&](std::string_view& text) { return lines.next(text); },
                                     vocabulary, text_rules(options));
  corpus.vocabulary_is_declared = !vocabulary.empty();
  return Sensitive<Corpus>(std::move(corpus));
}

void check_first_lines(const TextFiles& files, const std::vector<Index>& counts,
                       const CorpusFileOptions& options) {
  for (const TextFiles::File& file : files.files()) {
    const Index documents = file.documents(counts);
    SOTTO_REQUIRE_AT(documents >= 1, file.path, "has no documents");
    if (first_line_rule(options) != FirstLine::guarded) continue;
    ByteSource bytes(file.path);
    LineReader lines(bytes, LineReader::longest_document, LongLines::cut);
    std::string_view line;
    lines.next(line);
    Index claimed = -1;
    is_whole(trimmed(line), claimed);
    refuse_counting_line(claimed, documents, file.path);
  }
}

Sensitive<Corpus> read_corpus_over(const std::vector<std::string>& words, Index count,
                                   const std::string& path, CorpusFileOptions options) {
  options.min_df = 1;
  options.records_are_private = false;
  ByteSource bytes(path);
  const CorpusFormat format = format_of_corpus(path, bytes, options);
  if (is_table(format)) check_table_options(format, options);
  const bool text = is_words(format) && !words.empty();
  const std::vector<std::int32_t> numbers =
      text || !options.vocab.empty() ? std::vector<std::int32_t>() : numbers_of_words(words);
  std::vector<std::string> vocabulary = words;
  if (!text && !options.vocab.empty()) vocabulary = read_vocabulary(options.vocab);
  if (!numbers.empty()) vocabulary.clear();
  CorpusRules rules =
      corpus_rules(format, options, std::move(vocabulary), text_rules(options), bytes);
  rules.numbers.all_words = false;
  Corpus corpus = read_as(bytes, std::move(rules));
  if (!numbers.empty()) return Sensitive<Corpus>(over_numbers(std::move(corpus), numbers, words));
  if (!text && !words.empty() && corpus.vocabulary != words) corpus = match_words(corpus, words);
  SOTTO_REQUIRE_AT(corpus.vocabulary_size == count, path, "is over {} words, not over {}",
                   corpus.vocabulary_size, count);
  return Sensitive<Corpus>(std::move(corpus));
}

}  // namespace sotto
