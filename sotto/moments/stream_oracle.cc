#include "sotto/moments/stream_oracle.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

std::string needs(const StreamPlan& plan) {
  return fmt::format("this run needs {} records, {} answers from {} each{}", plan.points(),
                     plan.answers, plan.batch,
                     plan.passes > 1 ? fmt::format(", in at most {} passes", plan.passes) : "");
}

constexpr const char* remedy =
    "give more records, a smaller `batch`, or fewer `iterations` or `components`";

// Entry by entry, for powers 2 to 4.
ScoreMap power_map(int power) {
  return [power](const PointBlock&, RowMatrix& s) {
    if (power == 2) s.array() = s.array().square();
    if (power == 3) s.array() = s.array().cube();
    if (power == 4) s.array() = s.array().square().square();
  };
}

}  // namespace

StreamPlan plan_stream(const PointSource& source, Index answers, Index batch, Index passes) {
  SOTTO_REQUIRE(answers >= 1, "a run has at least one answer, got {}", answers);
  SOTTO_REQUIRE_AT(batch >= 0, "`batch`", "must be at least 1, got {}", batch);
  SOTTO_REQUIRE_AT(passes >= 1, "`passes`", "must be at least 1, got {}", passes);
  SOTTO_REQUIRE_AT(passes == 1 || source.can_rewind(), "`passes`",
                   "{} can be read only once; several passes need a regular file", source.name());
  const std::optional<Index> records = source.records();
  SOTTO_REQUIRE_AT(batch > 0 || records, "`batch`",
                   "is needed: {} does not say how many records it has, and this run asks for {} "
                   "answers, each from its own batch",
                   source.name(), answers);
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index available = !records ? most : *records > most / passes ? most : *records * passes;
  if (batch == 0) batch = std::max<Index>(1, available / answers);
  SOTTO_REQUIRE_AT(batch <= most / answers, "`batch`", "{} answers from {} records are too many",
                   answers, batch);
  const StreamPlan plan{answers, batch, passes};
  SOTTO_REQUIRE_AT(plan.points() <= available, source.name(), "{}, it has {}: {}", needs(plan),
                   *records, remedy);
  return plan;
}

StreamOracle::StreamOracle(std::unique_ptr<PointSource> source, const StreamPlan& plan, int order)
    : source_(std::move(source)), plan_(plan), order_(order) {
  SOTTO_REQUIRE(plan.answers >= 1 && plan.batch >= 1 && plan.passes >= 1,
                "a plan has answers, a batch and passes of at least 1");
  SOTTO_REQUIRE(order == 3 || order == 4, "the order must be 3 or 4, got {}", order);
}

Index StreamOracle::read(Index max_rows, PointBlock& block) {
  while (true) {
    const Index rows = source_->read(max_rows, block);
    if (rows > 0) return rows;
    const bool again = pass_ + 1 < plan_.passes && source_->position() > 0;
    SOTTO_REQUIRE_AT(again, source_->name(), "ended after {} records; {}: {}", source_->position(),
                     needs(plan_), remedy);
    source_->rewind();
    ++pass_;
  }
}

ReadRecords StreamOracle::next_batch() {
  SOTTO_REQUIRE(answers_ < plan_.answers, "all {} planned answers have been given", plan_.answers);
  ++answers_;
  // Reads not one record more than the plan has, so a pipe that stays open does not delay the end.
  return [this, step = block_rows(*source_), left = plan_.batch](PointBlock& block) mutable {
    const Index rows = left == 0 ? 0 : read(std::min(step, left), block);
    left -= rows;
    return rows;
  };
}

Matrix StreamOracle::contract(const Matrix& block) {
  const RowMatrix u = block;
  RowMatrix y = RowMatrix::Zero(u.rows(), u.cols());
  add_mapped_product(next_batch(), u, power_map(order_ - 1), y);
  return y / static_cast<double>(plan_.batch);
}

Vector StreamOracle::values(const Matrix& block) {
  const RowMatrix u = block;
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(u.cols());
  add_mapped_scores(next_batch(), u, power_map(order_), sum);
  return sum.transpose() / static_cast<double>(plan_.batch);
}

void StreamOracle::resume_at(const StreamPosition& position) {
  SOTTO_REQUIRE(answers_ == 0 && source_->position() == 0,
                "a stream can be resumed only before its first answer");
  SOTTO_REQUIRE(position.answers <= plan_.answers && position.pass < plan_.passes,
                "the position does not belong to this plan");
  source_->skip(position.record);
  check_resumed(*source_, position);
  answers_ = position.answers;
  pass_ = position.pass;
}

}  // namespace sotto
