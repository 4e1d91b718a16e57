// The moment tensor of a stream of records, never formed (Wang & Anandkumar 2016, Algorithm 2).
//
// The tensor is T = E[x (x) .. (x) x]. Each answer reads the next n records and is an unbiased
// estimate from them alone: contract(U) gives (1/n) sum x (x.u_l)^(p-1), values(U) gives (1/n) sum
// (x.u_l)^p. The values T(u,..,u) come from records of their own, so a weight belongs to the vector
// it is reported with (line 7 of the algorithm pairs it with the one before).
//
// Cost of an answer: 4 n d L flops (2 n d L for numbers), n records read.
// Memory: O(d L) and a few blocks, whatever the number of records.
// Privacy: none; the answers are exact functions of the records.
#pragma once

#include <memory>

#include "sotto/tensor/point_source.h"
#include "sotto/tensor/record_sum.h"
#include "sotto/tensor/streamed_oracle.h"

namespace sotto {

struct StreamPlan {
  Index answers = 0;  // in the whole run
  Index batch = 0;    // records per answer
  Index passes = 1;   // how many times the records may be read
  Index points() const { return answers * batch; }
};

// The plan of a run of `answers` answers. With batch 0, the records that the source knows of are
// shared out evenly. Refuses a plan when the source cannot have enough records.
StreamPlan plan_stream(const PointSource& source, Index answers, Index batch, Index passes);

class StreamOracle final : public StreamedOracle {
 public:
  // Order 3 or 4.
  StreamOracle(std::unique_ptr<PointSource> source, const StreamPlan& plan, int order = 3);

  Index dim() const override { return source_->dim(); }
  int order() const override { return order_; }
  // When the stream ends too early, the Error says how many records the whole run needs.
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override;

  StreamPosition position() const override {
    return {answers_, pass_, source_->position(), 0, source_->digest()};
  }
  void keep_digest(const SecretKey& key) override { source_->keep_digest(key); }
  void resume_at(const StreamPosition& position) override;

  // For those who are done asking.
  PointSource& source() { return *source_; }

 private:
  // The sum over the records of the next answer, divided by their number.
  RowMatrix next_mean(const RecordSum& sum);
  // Goes back to the first record, where the plan has another pass.
  void next_pass();

  std::unique_ptr<PointSource> source_;
  StreamPlan plan_;
  int order_;
  Index answers_ = 0;
  Index pass_ = 0;
};

}  // namespace sotto
