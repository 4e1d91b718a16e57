// The private streaming power method, record unit.
//
// Neighbours replace one record in its place or, if the records are read in a secret order, one
// record at any place. The number of records is public. Each answer reads its own n records and
// releases one noisy block, (1/n) sum of x (x.u_l)^(p-1) for all starts l together. Every record is
// first clipped to the ball of radius `max_norm`, B. The contribution of a record then has norm at
// most C = B^p m^(p-2) sqrt(lambda_max(U^T U)), m the norm of the longest column of U. So the block
// has sensitivity 2C/n, and many starts cost little. Every record is read by exactly one release,
// so the whole run costs as much as one release (parallel composition), however many iterations it
// takes. With a range instead of `max_norm`, the bound is chosen from a first chunk of records that
// are read for nothing else (norm_bound.h). By parallel composition this costs records and no
// epsilon.
//
// A run that is killed resumes from its released answers (resume_at, replayed): no batch is
// released twice. The type ensures one pass: the oracle owns OnePassRecords, which can only go
// forward. Cost: that of StreamOracle, and O(dL) noise an answer. Proof, floating point included:
// private_stream.md.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "sotto/base/sensitive.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/permutation.h"
#include "sotto/release/calibration.h"
#include "sotto/release/norm_bound.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/private_run.h"
#include "sotto/tensor/record_sum.h"
#include "sotto/tensor/streamed_oracle.h"

namespace sotto {

// The public numbers of a run, fixed before a record is read.
struct PrivateStreamPlan {
  PrivacyTarget target;
  Index dim;
  int order = 3;
  std::int64_t starts;   // columns of each block
  std::int64_t answers;  // blocks and values in all
  std::int64_t batch;    // records for each answer
  double max_norm = 1;   // radius of the clipping ball; with a search, the largest it may be
  std::optional<NormSearch> search{};      // for the radius, before the first answer
  std::optional<std::int64_t> shuffled{};  // records in all, to be read in a secret order

  std::int64_t records() const { return answers * batch + (search ? search->records : 0); }
};

// What a run asks for, apart from privacy.
struct StreamQuestions {
  int order = 3;
  std::int64_t starts = 1;   // columns of each block
  std::int64_t answers = 1;  // in all
  std::int64_t batch = 0;    // records for each; 0: all records of the source, shared out
  bool shuffle = false;      // read the records in a secret order
};

// Refuses, naming it, a stream that cannot have enough records, that does not say how many it has
// if no batch is given, or that cannot be read in another order if one is asked for.
PrivateStreamPlan plan_private_stream(const PublicStream& stream, const PrivacyTarget& target,
                                      const RecordNorm& norm, const StreamQuestions& questions);

// mu of each release: the inverse of the noise multiplier.
double stream_mu(const PrivateStreamPlan& plan);

// A bound on the norm of one record's contribution to the block (power p-1) or the values (p).
double record_bound(const Matrix& block, const PrivateStreamPlan& plan, int power);

// What the certificate states about the record unit.
PrivacyStatement record_statement(const PrivateStreamPlan& plan);

// What a run releases. `values` of its answers are values, the others products.
Plan plan_releases(const PrivateStreamPlan& plan, std::int64_t values);

class PrivateStreamOracle final : public StreamedOracle {
 public:
  // Takes the records over. The run must outlive the oracle. `order` is given if the plan is
  // shuffled; a resumed run needs the order it began with.
  PrivateStreamOracle(Sensitive<OnePassRecords> records, const PrivateStreamPlan& plan,
                      PrivateRun& run, const std::optional<OrderSeed>& order = {});

  Index dim() const override { return plan_.dim; }
  int order() const override { return plan_.order; }
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override;

  // Resumes after answers of an earlier run: the position holds the bound that was released, and
  // replayed() enters the releases into this run.
  StreamPosition position() const override;
  void keep_digest(const SecretKey& key) override { records_.keep_digest(key); }
  void resume_at(const StreamPosition& position) override;
  void replayed(const Matrix& block, Asked asked) override;

  // The norm that records are clipped to: known after the first answer.
  double max_norm() const { return plan_.max_norm; }

 private:
  void shuffle(const OrderSeed& order);
  void find_bound();
  // Refuses more answers than planned; knows the bound afterwards.
  void begin_answer();
  // The sum over the records of the next answer, divided by their number.
  Matrix next_mean(const RecordSum& sum);
  GaussianMechanism mechanism_for(const Matrix& block, int power) const;
  Released<Noisy<Matrix>> release(const Matrix& block, int power, Matrix mean);

  PrivateStreamPlan plan_;
  OnePassRecords records_;
  PrivateRun& run_;
  DisjointGroup group_;
  double mu_;  // what each release may cost
  bool bound_known_;
  std::int64_t answers_left_;
};

}  // namespace sotto
