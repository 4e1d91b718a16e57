// The exponential mechanism (McSherry & Talwar 2007): one of several candidates, candidate i with
// probability ~ exp(epsilon score_i / 2 sensitivity). Pure epsilon.
//
// Drawn as a race: the smallest E_i / weight_i wins, E_i independent exponentials, each with full
// relative precision, so no cumulative sum can swallow a rare candidate. O(candidates).
// Proof: exponential.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sotto/privacy/release_record.h"
#include "sotto/privacy/secure_stream.h"

namespace sotto {

class ExponentialMechanism {
 public:
  // `sensitivity` bounds how much any candidate's score changes between neighbours. Scores are
  // clipped to +-score_bound, a public number.
  ExponentialMechanism(std::string what, double epsilon, double sensitivity, double score_bound);

  Cost cost() const { return record_.cost; }
  const ReleaseRecord& record() const { return record_; }

  std::size_t release(std::span<const double> scores, NoiseStream stream) const;

 private:
  double score_bound_;
  double rate_;  // epsilon / 2 sensitivity
  ReleaseRecord record_;
};

// A quantile of records clipped to public bounds (Smith 2011): the exponential mechanism on 2^32 +
// 1 equally spaced points of [low, high]. The score of a point is minus the distance of its rank
// from quantile * count. Neighbours replace one record; `count` is public. O(n log n).
class PrivateQuantile {
 public:
  PrivateQuantile(std::string what, double epsilon, double quantile, double low, double high,
                  std::int64_t count);

  Cost cost() const { return record_.cost; }
  const ReleaseRecord& record() const { return record_; }

  double release(std::span<const double> values, NoiseStream stream) const;

 private:
  std::int64_t count_;
  double target_;  // quantile * count
  double low_;
  double high_;
  double rate_;
  ReleaseRecord record_;
};

}  // namespace sotto
