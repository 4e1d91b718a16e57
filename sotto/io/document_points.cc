#include "sotto/io/document_points.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/claims.h"
#include "sotto/io/large_values.h"

namespace sotto {

DocumentPoints::DocumentPoints(std::unique_ptr<ByteSource> bytes, DocumentFormat format,
                               std::optional<Index> dim, BareLines bare, IndexBase base)
    : bytes_(std::move(bytes)),
      format_(format),
      bare_(bare),
      base_(base),
      dim_is_declared_(format == DocumentFormat::uci || dim.has_value()) {
  reader_.emplace(*bytes_, format_, DocumentValues::real, dim, bare_, base_);
  dim_ = reader_->dim();
  records_ = reader_->documents();
  SOTTO_REQUIRE_AT(!dim || *dim == dim_, "`dim`", "{} has {} words, not {}", name(), dim_, *dim);
  if (!dim_is_declared_) measure();
}

void DocumentPoints::restart() {
  bytes_ = bytes_->reopened();
  reader_.emplace(*bytes_, format_, DocumentValues::real, dim_, bare_, base_);
}

// The dimension is the largest index in the file.
void DocumentPoints::measure() {
  SOTTO_REQUIRE_AT(bytes_->is_regular(), "`dim`",
                   "is needed: {} can be read only once and does not say its dimension", name());
  Index documents = 0, width = 0, entries = 0;
  for (; reader_->next(document_); ++documents) {
    if (!document_.empty()) width = std::max(width, document_.back().word + 1);
    entries += std::ssize(document_);
  }
  SOTTO_REQUIRE_AT(width > 0, name(), "has no words");
  SOTTO_REQUIRE_AT(is_believable(width, entries), name(),
                   "would have {} words for {} entries: the number of a word is very large; say "
                   "`dim`, if it is right",
                   width, entries);
  dim_ = width;
  records_ = documents;
  restart();
}

Index DocumentPoints::fill(Index max_rows, PointBlock& block) {
  std::vector<std::int64_t> starts{0};
  std::vector<DocumentReader::Item> items;
  while (std::ssize(starts) <= max_rows && reader_->next(document_)) {
    items.insert(items.end(), document_.begin(), document_.end());
    starts.push_back(std::ssize(items));
  }
  const Index rows = std::ssize(starts) - 1;
  block.is_sparse = true;
  block.sparse.resize(rows, dim_);
  block.sparse.resizeNonZeros(std::ssize(items));
  std::copy(starts.begin(), starts.end(), block.sparse.outerIndexPtr());
  for (std::size_t e = 0; e < items.size(); ++e) {
    block.sparse.innerIndexPtr()[e] = items[e].word;
    block.sparse.valuePtr()[e] = items[e].value;
  }
  refuse_large({block.sparse.valuePtr(), items.size()}, largest_value(bare_ == BareLines::refused),
               name());
  return rows;
}

}  // namespace sotto
