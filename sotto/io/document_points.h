// Documents as sparse records: a row of word counts (or other weights) each, in the formats of
// document_reader.h.
//
// Plain or gzip, from a file or a pipe. LDA-C and SVMlight do not state their dimension: it is
// given, or found by reading a regular file once beforehand.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sotto/io/document_reader.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

class DocumentPoints final : public PointSource {
 public:
  DocumentPoints(std::unique_ptr<ByteSource> bytes, DocumentFormat format,
                 std::optional<Index> dim = {}, BareLines bare = BareLines::passed_over,
                 IndexBase base = IndexBase::automatic);

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
  void measure();

  std::unique_ptr<ByteSource> bytes_;
  DocumentFormat format_;
  BareLines bare_;
  IndexBase base_;
  std::optional<DocumentReader> reader_;
  Index dim_ = 0;
  bool dim_is_declared_;
  std::optional<Index> records_;
  std::vector<DocumentReader::Item> document_;  // the one just read
};

}  // namespace sotto
