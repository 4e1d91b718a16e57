// A bound on the norm of the records, chosen privately: a quantile of the norms by the exponential
// mechanism. A stream takes it from records that are read for this and for nothing else, a mixture
// from all of them.
//
// The candidates are 2^(j/32) within a public range. Wanted is the smallest that a tenth of the
// records or less exceed: noise grows with a power of the bound, and a record that is shortened is
// not lost. The score of a candidate is minus the distance of that tenth from the numbers of
// records that exceed it and the candidate before it. Records of equal norm, which make the usual
// rank score indifferent between all larger bounds, get the candidate at their norm. Neighbours
// replace one record in its place; pure epsilon. Cost: O(n d), memory that does not depend on n.
// Proof: norm_bound.md.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/privacy/exponential.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/privacy_options.h"

namespace sotto {

struct NormSearch {
  NormRange range;
  std::int64_t records;  // how many are read for it
  double epsilon;        // what it may cost, precision included
};

// How many records fit within each candidate: all that the choice looks at.
class NormTally {
 public:
  explicit NormTally(const NormRange& range);

  // A record so long that its square overflows is longer than every candidate.
  void add(const Vector& squared_norms);

  const std::vector<double>& candidates() const { return candidates_; }
  std::int64_t records() const { return records_; }
  std::vector<double> scores() const;  // of the candidates

 private:
  std::vector<double> candidates_;  // increasing
  // Records that fit within a candidate and not within the one before; last, those beyond all.
  std::vector<std::int64_t> fits_;
  std::int64_t records_ = 0;
};

// As many records as the choice needs to be sharp at this epsilon, and at most a twentieth of what
// the run reads.
std::int64_t norm_search_records(double epsilon, std::int64_t run_records);

class NormBound {
 public:
  explicit NormBound(const NormSearch& search);

  std::vector<double> candidates() const { return NormTally(search_.range).candidates(); }
  const ReleaseRecord& record() const { return mechanism_.record(); }

  // Reads as many records as the search says, from where they stand.
  NormTally tally(OnePassRecords& records) const;
  // From as many records as the search says.
  double release(const NormTally& tally, NoiseStream stream) const;

 private:
  NormSearch search_;
  ExponentialMechanism mechanism_;
};

}  // namespace sotto
