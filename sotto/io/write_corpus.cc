#include "sotto/io/write_corpus.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"

namespace sotto {
namespace {

// One gzip member; empty when there is no memory for it.
std::string gzip_member(std::string_view text, int level) {
  constexpr int window_bits = 15, with_gzip_header = 16, memory_level = 8;
  z_stream stream{};
  if (::deflateInit2(&stream, level, Z_DEFLATED, window_bits + with_gzip_header, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string packed(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  const bool done = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(done ? stream.total_out : 0);
  ::deflateEnd(&stream);
  return packed;
}

// The lines "document word count" of the entries from `from` to before `to`; document 0 of the
// corpus has the number `first`.
std::string format_entries(const Corpus& corpus, std::int64_t from, std::int64_t to, Index first) {
  std::string text;
  text.reserve(static_cast<std::size_t>(to - from) * 16);
  Index n =
      std::upper_bound(corpus.begin.begin(), corpus.begin.end(), from) - corpus.begin.begin() - 1;
  for (; from < to; ++n) {
    const fmt::format_int document(first + n);
    for (; from < std::min(to, corpus.begin[static_cast<std::size_t>(n) + 1]); ++from) {
      const auto e = static_cast<std::size_t>(from);
      const fmt::format_int word(corpus.word[e] + std::int64_t{1}), count(corpus.count[e]);
      text.append(document.data(), document.size());
      text += ' ';
      text.append(word.data(), word.size());
      text += ' ';
      text.append(count.data(), count.size());
      text += '\n';
    }
  }
  return text;
}

}  // namespace

DocwordWriter::DocwordWriter(const std::string& path, Index documents, Index words, bool gzip)
    : path_(path), file_(path), documents_(documents), words_(words), gzip_(gzip) {
  append(header());
}

std::string DocwordWriter::header() const {
  const std::string text = fmt::format("{}\n{}\n{:<20}\n", documents_, words_, entries_);
  return gzip_ ? gzip_member(text, Z_NO_COMPRESSION) : text;
}

void DocwordWriter::write(const Corpus& corpus) {
  SOTTO_REQUIRE(corpus.vocabulary_size == words_, "documents of {} words, the header says {}",
                corpus.vocabulary_size, words_);
  SOTTO_REQUIRE_AT(written_ + corpus.documents() <= documents_, path_,
                   "more documents than the {} of the header", documents_);
  constexpr std::int64_t piece = 1 << 16, at_once = 64 * piece;
  for (std::int64_t at = 0; at < corpus.entries(); at += at_once) {
    const std::int64_t end = std::min(at + at_once, corpus.entries());
    std::vector<std::string> texts(static_cast<std::size_t>((end - at + piece - 1) / piece));
    parallel_for(std::ssize(texts), [&](Index p) {
      const std::int64_t from = at + p * piece;
      std::string& text = texts[static_cast<std::size_t>(p)];
      text = format_entries(corpus, from, std::min(from + piece, end), written_ + 1);
      if (gzip_) text = gzip_member(text, Z_DEFAULT_COMPRESSION);
    });
    for (const std::string& text : texts) append(text);
  }
  written_ += corpus.documents();
  entries_ += corpus.entries();
}

void DocwordWriter::append(const std::string& text) {
  if (text.empty()) throw Error("no memory to compress", path_, Fault::system);
  file_.write(text);
}

void DocwordWriter::commit() {
  SOTTO_REQUIRE_AT(written_ == documents_, path_, "{} documents of {} were written", written_,
                   documents_);
  file_.rewrite_front(header());
  file_.commit();
}

void write_vocabulary(const std::string& path, std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    SOTTO_REQUIRE_AT(!word.empty() && word.find_first_of("\r\n") == std::string::npos, path,
                     "a word is empty or has a line end in it");
    text += word;
    text += '\n';
  }
  write_file_atomic(path, text);
}

void write_corpus(const std::string& docword_path, const std::string& vocab_path,
                  const Corpus& corpus) {
  DocwordWriter writer(docword_path, corpus.documents(), corpus.vocabulary_size,
                       docword_path.ends_with(".gz"));
  writer.write(corpus);
  writer.commit();
  if (!corpus.vocabulary.empty()) write_vocabulary(vocab_path, corpus.vocabulary);
}

}  // namespace sotto
