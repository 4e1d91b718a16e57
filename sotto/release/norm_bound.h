// A bound on the norm of the records, chosen privately: a quantile of the norms by the exponential
// mechanism. A stream chooses it from records that are read for this purpose only, a mixture from
// all records.
//
// The candidates are 2^(j/32) within a public range. The best is the smallest one that at most a
// tenth of the records exceed: noise grows with a power of the bound, and a record that is clipped
// is not lost. Let N_i be the number of records that exceed candidate i. Its score is minus the
// distance of that tenth from the interval [N_i, N_(i-1)]. With the usual rank score, records of
// equal norm make all larger bounds equally good; with this one they select the candidate at their
// norm. Neighbours replace one record in its place; pure epsilon. Cost: O(n d), memory that does
// not depend on n. Proof: norm_bound.md.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/moments/point_moments.h"
#include "sotto/privacy/exponential.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/privacy_options.h"

namespace sotto {

struct NormSearch {
  NormRange range;
  std::int64_t records;  // how many are read for it
  double epsilon;        // what it may cost, precision included
};

// How many records fit within each candidate. The choice depends on nothing else.
class NormTally {
 public:
  explicit NormTally(const NormRange& range);

  // Asks for the records by their norms. A record so long that its square overflows is longer than
  // every candidate.
  NormCounts question() const { return NormCounts(candidates_); }
  void add(const RecordTotal& counts);

  const std::vector<double>& candidates() const { return candidates_; }
  std::int64_t records() const { return records_; }
  std::vector<double> scores() const;  // of the candidates

 private:
  std::vector<double> candidates_;  // increasing
  // The records that fit within a candidate and not within the previous one; last, those beyond
  // all.
  std::vector<std::int64_t> fits_;
  std::int64_t records_ = 0;
};

// The number of records that the choice needs to be sharp at this epsilon, and at most a twentieth
// of those that the run reads.
std::int64_t norm_search_records(double epsilon, std::int64_t run_records);

class NormBound {
 public:
  explicit NormBound(const NormSearch& search);

  std::vector<double> candidates() const { return NormTally(search_.range).candidates(); }
  const ReleaseRecord& record() const { return mechanism_.record(); }

  // Reads as many records as the search says, from the current position.
  NormTally tally(OnePassRecords& records) const;
  // From as many records as the search says.
  double release(const NormTally& tally, NoiseStream stream) const;

 private:
  NormSearch search_;
  ExponentialMechanism mechanism_;
};

}  // namespace sotto
