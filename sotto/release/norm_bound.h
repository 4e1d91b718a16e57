// A bound on the norm of the records, chosen privately: the exponential mechanism over
// 2^(j/32) within a public range, on records that are read for this and for nothing else.
//
// The score of a bound B is minus the number of records longer than B, less a tenth of all records
// for each doubling of B: a larger bound must spare that many records from being shortened, since
// it makes the noise of a third moment eight times as large. It is a quantile of the norms that
// moves with their tail, and it does not run off where many norms are equal.
// Neighbours replace one record; pure epsilon. Cost: O(n d), memory that does not depend on n.
// Proof: norm_bound.md.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/privacy/exponential.h"
#include "sotto/release/one_pass_records.h"

namespace sotto {

// Where the bound is sought: a public range, 0 < low < high.
struct NormRange {
  double low;
  double high;
};

struct NormSearch {
  NormRange range;
  std::int64_t records;  // how many are read for it
  double epsilon;        // what it may cost, precision included
};

// As many records as the choice needs to be sharp at this epsilon, and at most a twentieth of what
// the run reads.
std::int64_t norm_search_records(double epsilon, std::int64_t run_records);

class NormBound {
 public:
  explicit NormBound(const NormSearch& search);

  const std::vector<double>& candidates() const { return candidates_; }
  const ReleaseRecord& record() const { return mechanism_.record(); }

  // Reads the records from where they stand. A record so long that its square overflows is longer
  // than every candidate.
  double release(OnePassRecords& records, NoiseStream stream) const;

 private:
  std::vector<double> scores(OnePassRecords& records) const;

  NormSearch search_;
  std::vector<double> candidates_;  // increasing
  std::vector<double> preference_;  // whole numbers, public: what a candidate's score begins with
  ExponentialMechanism mechanism_;
};

}  // namespace sotto
