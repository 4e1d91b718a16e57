#include "sotto/moments/stream_oracle.h"

#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/moments/stream_sums.h"

namespace sotto {
namespace {

std::string needs(const StreamPlan& plan) {
  return fmt::format("this run needs {} records, {} answers from {} each{}", plan.points(),
                     plan.answers, plan.batch,
                     plan.passes > 1 ? fmt::format(", in at most {} passes", plan.passes) : "");
}

constexpr const char* remedy =
    "give more records, a smaller `batch`, or fewer `iterations` or `components`";

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

void StreamOracle::next_pass() {
  const bool again = pass_ + 1 < plan_.passes && source_->position() > 0;
  SOTTO_REQUIRE_AT(again, source_->name(), "ended after {} records; {}: {}", source_->position(),
                   needs(plan_), remedy);
  source_->rewind();
  ++pass_;
}

RowMatrix StreamOracle::next_mean(const RecordSum& sum) {
  SOTTO_REQUIRE(answers_ < plan_.answers, "all {} planned answers have been given", plan_.answers);
  ++answers_;
  RowMatrix total = RowMatrix::Zero(sum.rows(), sum.cols());
  for (Index left = plan_.batch; left > 0;) {
    const RecordTotal found = source_->sum_next(sum, left);
    total += found.sum;
    left -= found.records;
    if (found.records == 0) next_pass();
  }
  return total / static_cast<double>(plan_.batch);
}

Matrix StreamOracle::contract(const Matrix& block) {
  return next_mean(PowerProducts(block, order_ - 1));
}

Vector StreamOracle::values(const Matrix& block) {
  return next_mean(PowerValues(block, order_)).row(0).transpose();
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
