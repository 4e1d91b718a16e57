#include "sotto/io/joined_points.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

void require_alike(const PointSource& first, const PointSource& other) {
  SOTTO_REQUIRE_AT(other.dim() == first.dim(), other.name(),
                   "has records of dimension {}, {} has records of dimension {}", other.dim(),
                   first.name(), first.dim());
  SOTTO_REQUIRE_AT(other.columns() == first.columns(), other.name(), "has other columns than {}",
                   first.name());
}

}  // namespace

JoinedPoints::JoinedPoints(std::vector<Points> files) : files_(std::move(files)) {
  SOTTO_REQUIRE(files_.size() >= 2, "one file is joined to nothing");
  for (const Points& file : files_) {
    require_alike(*files_.front(), *file);
    SOTTO_REQUIRE_AT(!file->is_sparse(), file->name(),
                     "has sparse records, which are not joined to those of other files; give one "
                     "file");
  }
}

std::string JoinedPoints::name() const {
  return fmt::format("{} and {} more file{}", files_.front()->name(), files_.size() - 1,
                     files_.size() > 2 ? "s" : "");
}

std::optional<Index> JoinedPoints::records() const {
  Index sum = 0;
  for (const Points& file : files_) {
    if (!file->records()) return std::nullopt;
    sum += *file->records();
  }
  return sum;
}

bool JoinedPoints::dim_is_declared() const {
  return std::ranges::all_of(files_, [](const Points& f) { return f->dim_is_declared(); });
}

bool JoinedPoints::can_rewind() const {
  return std::ranges::all_of(files_, [](const Points& f) { return f->can_rewind(); });
}

bool JoinedPoints::has_random_access() const {
  return std::ranges::all_of(files_, [](const Points& f) { return f->has_random_access(); });
}

Index JoinedPoints::fill(Index max_rows, PointBlock& block) {
  block.is_sparse = false;
  if (!order_.empty()) {
    const Index rows = std::min(max_rows, std::ssize(order_) - done_);
    read_ordered(rows, block.dense);
    return rows;
  }
  Index rows = files_[current_]->read(max_rows, block);
  while (rows < max_rows && current_ + 1 < files_.size()) {
    const Index came = files_[++current_]->read(max_rows - rows, more_);
    block.dense.conservativeResize(rows + came, dim());
    block.dense.bottomRows(came) = more_.dense;
    rows += came;
  }
  return rows;
}

void JoinedPoints::read_ordered(Index rows, RowMatrix& out) {
  out.resize(rows, dim());
  for (Index i = 0; i < rows; ++i) {
    move_to(order_[static_cast<std::size_t>(done_ + i)]);
    files_[current_]->read(1, more_);
    out.row(i) = more_.dense.row(0);
  }
  done_ += rows;
}

void JoinedPoints::restart() {
  for (const Points& file : files_) {
    if (file->position() > 0) file->rewind();
  }
  current_ = 0;
  done_ = 0;
}

// Files behind the place are read from their beginning.
void JoinedPoints::move_to(Index record) {
  current_ = 0;
  while (current_ + 1 < files_.size() && record >= *files_[current_]->records()) {
    record -= *files_[current_++]->records();
  }
  files_[current_]->seek(record);
  for (std::size_t f = current_ + 1; f < files_.size(); ++f) {
    if (files_[f]->position() > 0) files_[f]->seek(0);
  }
}

}  // namespace sotto
