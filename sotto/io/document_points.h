// Documents as sparse records: a row of word counts (or other weights) each.
//
//   UCI docword: three lines with the numbers of documents, of words and of entries, then
//     "document word count", both counted from 1, documents in increasing order. A document without
//     an entry is a row of zeros.
//   LDA-C: "N word:count word:count ..", N pairs, words counted from 0.
//   SVMlight: "label index:value ..", indices counted from 1; the label, qid: and what follows #
//   are
//     left out.
//
// Plain or gzip, from a file or a pipe. LDA-C and SVMlight do not say their dimension: it is given,
// or found by reading a regular file once before. A word that stands twice in a document, a header
// that does not fit and a file that ends early are Errors that name file and line.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sotto/io/line_reader.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

enum class DocumentFormat { uci, lda_c, svmlight };

class DocumentPoints final : public PointSource {
 public:
  DocumentPoints(std::unique_ptr<ByteSource> bytes, DocumentFormat format,
                 std::optional<Index> dim = {});

  Index dim() const override { return dim_; }
  std::string name() const override { return bytes_->path(); }
  std::optional<Index> records() const override { return records_; }
  bool dim_is_declared() const override { return dim_is_declared_; }
  bool is_sparse() const override { return true; }
  bool can_rewind() const override { return bytes_->is_regular(); }

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override;

 private:
  struct Entry {
    Index column;
    double value;
  };

  void begin();
  void read_uci_header();
  void measure();
  bool next_document();
  bool next_uci_document();
  bool next_uci_entry();
  bool next_pairs();
  void add_pair(std::string_view word);
  void finish_document();

  std::unique_ptr<ByteSource> bytes_;
  DocumentFormat format_;
  std::optional<LineReader> lines_;
  Index dim_ = 0;
  bool dim_is_declared_;
  std::optional<Index> records_;
  std::vector<Entry> document_;  // the one just read

  // UCI only: what the header says, and the entry read last, which may belong to a later document.
  Index entries_ = 0, entries_seen_ = 0;
  Index documents_done_ = 0;
  Index entry_document_ = 0;  // counted from 1; 0 before the first
  Entry entry_{};
  bool has_entry_ = false;
};

}  // namespace sotto
