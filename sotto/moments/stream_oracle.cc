#include "sotto/moments/stream_oracle.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/tensor/read_ahead.h"

namespace sotto {
namespace {

std::string needs(const StreamPlan& plan) {
  return fmt::format("this run needs {} records, {} answers from {} each{}", plan.points(),
                     plan.answers, plan.batch,
                     plan.passes > 1 ? fmt::format(", in at most {} passes", plan.passes) : "");
}

constexpr const char* remedy =
    "give more records, a smaller --batch, or fewer --iterations or --components";

}  // namespace

StreamPlan plan_stream(const PointSource& source, Index answers, Index batch, Index passes) {
  SOTTO_REQUIRE(answers >= 1, "a run has at least one answer, got {}", answers);
  SOTTO_REQUIRE_AT(batch >= 0, "--batch", "must be at least 1, got {}", batch);
  SOTTO_REQUIRE_AT(passes >= 1, "--passes", "must be at least 1, got {}", passes);
  SOTTO_REQUIRE_AT(passes == 1 || source.can_rewind(), "--passes",
                   "{} can be read only once; several passes need a regular file", source.name());
  const std::optional<Index> records = source.records();
  SOTTO_REQUIRE_AT(batch > 0 || records, "--batch",
                   "is needed: {} does not say how many records it has, and this run asks for {} "
                   "answers, each from its own batch",
                   source.name(), answers);
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index available = !records ? most : *records > most / passes ? most : *records * passes;
  if (batch == 0) batch = std::max<Index>(1, available / answers);
  SOTTO_REQUIRE_AT(batch <= most / answers, "--batch", "{} answers from {} records are too many",
                   answers, batch);
  const StreamPlan plan{answers, batch, passes};
  SOTTO_REQUIRE_AT(plan.points() <= available, source.name(), "{}, it has {}: {}", needs(plan),
                   *records, remedy);
  return plan;
}

StreamOracle::StreamOracle(std::unique_ptr<PointSource> source, const StreamPlan& plan, int order)
    : source_(std::move(source)), plan_(plan), order_(order), block_rows_(block_rows(*source_)) {
  SOTTO_REQUIRE(plan.answers >= 1 && plan.batch >= 1 && plan.passes >= 1,
                "a plan has answers, a batch and passes of at least 1");
  SOTTO_REQUIRE(order == 3 || order == 4, "the order must be 3 or 4, got {}", order);
}

template <class Use>
void StreamOracle::for_batch(Use use) {
  SOTTO_REQUIRE(answers_ < plan_.answers, "all {} planned answers have been given", plan_.answers);
  if (!reading_ahead_) {
    const Index left = (plan_.answers - answers_) * plan_.batch;
    source_ = std::make_unique<ReadAhead>(std::move(source_),
                                          ReadSchedule{block_rows_, plan_.batch, left});
    reading_ahead_ = true;
  }
  PointBlock block;
  for (Index done = 0; done < plan_.batch;) {
    const Index rows = source_->read(std::min(block_rows_, plan_.batch - done), block);
    if (rows > 0) {
      use(block);
      done += rows;
      continue;
    }
    const bool again = pass_ + 1 < plan_.passes && source_->position() > 0;
    SOTTO_REQUIRE_AT(again, source_->name(), "ended after {} records; {}: {}", source_->position(),
                     needs(plan_), remedy);
    source_->rewind();
    ++pass_;
  }
  ++answers_;
}

Matrix StreamOracle::contract(const Matrix& block) {
  const RowMatrix u = block;
  RowMatrix y = RowMatrix::Zero(u.rows(), u.cols());
  const ScoreMap power = [this](Index, Eigen::Ref<RowMatrix> s) {
    if (order_ == 3) {
      s.array() = s.array().square();
    } else {
      s.array() = s.array().cube();
    }
  };
  for_batch([&](const PointBlock& points) { add_mapped_product(points, u, power, y); });
  return y / static_cast<double>(plan_.batch);
}

Vector StreamOracle::values(const Matrix& block) {
  const RowMatrix u = block;
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(u.cols());
  for_batch([&](const PointBlock& points) {
    const RowMatrix s = scores(points, u);
    const RowMatrix squares = s.array().square();
    sum += (order_ == 3 ? s : squares).cwiseProduct(squares).colwise().sum();
  });
  return sum.transpose() / static_cast<double>(plan_.batch);
}

void StreamOracle::resume_at(const StreamPosition& position) {
  SOTTO_REQUIRE(!reading_ahead_, "a stream can be resumed only before its first answer");
  SOTTO_REQUIRE(position.answers <= plan_.answers && position.pass < plan_.passes,
                "the position does not belong to this plan");
  const Index there = source_->skip(position.record);
  SOTTO_REQUIRE_AT(there == position.record, source_->name(),
                   "has {} records, but {} had been read when the checkpoint was written", there,
                   position.record);
  answers_ = position.answers;
  pass_ = position.pass;
}

}  // namespace sotto
