// The private streaming power method, record unit: a power method that is streaming and private.
//
// Neighbours replace one record; the number of records is public. Each answer reads its own n
// records and releases one noisy block, (1/n) sum of x (x.u_l)^(p-1) for all starts l together,
// with every record first drawn into the ball of radius `max_norm`. The contribution of a record
// then has norm at most C = B^p m^(p-2) sqrt(lambda_max(U^T U)), m the longest column of U, so the
// block has sensitivity 2C/n: many starts cost little. Every record is read by exactly one release,
// so the whole run costs as much as one of them (parallel composition), however many iterations it
// takes.
//
// One pass, by type: the oracle owns OnePassRecords, which can only go forward.
// Cost: as StreamOracle, and O(dL) noise an answer. Proof, floating point included:
// private_stream.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/secure_stream.h"
#include "sotto/release/calibration.h"
#include "sotto/tensor/oracle.h"
#include "sotto/tensor/point_source.h"
#include "sotto/tensor/record_walk.h"

namespace sotto {

// Throws in place of an error that a reader raised: those of the records' own text quote it, and
// what they say must not leave a private run. Errors about options and about the machine stay.
[[noreturn]] void refuse_records(const Error& error, const std::string& name);

// Records that can be read once, from the first to the last.
class OnePassRecords {
 public:
  explicit OnePassRecords(std::unique_ptr<PointSource> source) : source_(std::move(source)) {}
  // What is wrong with a record that cannot be read is not said.
  Index read(Index max_rows, PointBlock& block);
  const PointSource& source() const { return *source_; }  // const: what is public about it

 private:
  std::unique_ptr<PointSource> source_;
};

// The public numbers of a run, fixed before a record is read.
struct PrivateStreamPlan {
  PrivacyTarget target;
  Index dim;
  int order = 3;
  std::int64_t starts;   // columns of each block
  std::int64_t answers;  // blocks and values in all
  std::int64_t batch;    // records for each answer
  double max_norm = 1;   // records are drawn into this ball

  std::int64_t records() const { return answers * batch; }
};

// What a run asks for, apart from privacy.
struct StreamQuestions {
  int order;
  std::int64_t starts;   // columns of each block
  std::int64_t answers;  // in all
  std::int64_t batch;    // records for each; 0: the records the source knows of, shared out
};

// Dimension and number of records are declared public here; nothing else of the source is looked
// at. Refuses, naming it, a source that cannot have enough records or does not say how many it has
// while no batch is given.
PrivateStreamPlan plan_private_stream(const Sensitive<std::unique_ptr<PointSource>>& data,
                                      const PrivacyTarget& target, double max_norm,
                                      const StreamQuestions& questions);

// A bound on the norm of one record's contribution to the block (power p-1) or the values (p).
double record_bound(const Matrix& block, const PrivateStreamPlan& plan, int power);

// The certificate's words for the record unit.
PrivacyStatement record_statement(const PrivateStreamPlan& plan);

class PrivateStreamOracle final : public SymmetricOracle {
 public:
  // Takes the records over. The ledger must outlive the oracle.
  PrivateStreamOracle(Sensitive<OnePassRecords> records, const PrivateStreamPlan& plan,
                      NoiseKey key, Ledger& ledger);

  Index dim() const override { return plan_.dim; }
  int order() const override { return plan_.order; }
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override;

 private:
  // Hands out the records of the next answer.
  ReadRecords next_batch();
  Matrix release(const Matrix& block, int power, const Matrix& mean);

  PrivateStreamPlan plan_;
  OnePassRecords records_;
  NoiseKey key_;
  Ledger& ledger_;
  int group_;
  double mu_;  // what each release may cost
  std::int64_t answers_left_;
};

}  // namespace sotto
