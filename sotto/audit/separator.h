// Linear separators that are trained on runs over two neighbours.
#pragma once

#include <cstddef>
#include <vector>

#include "sotto/audit/block_moments.h"
#include "sotto/audit/seen_run.h"

namespace sotto::audit {

class LinearSeparator {
 public:
  struct Term {
    std::size_t release, number;
    double centre, weight;
  };
  explicit LinearSeparator(std::vector<Term> terms = {}) : terms_(std::move(terms)) {}

  bool empty() const { return terms_.empty(); }
  // Large where the run looks like one over `there`.
  double of(const SeenRun& run) const;

 private:
  std::vector<Term> terms_;
};

// Each number weighs as much as its means differ in standard deviations, if by more than `least`
// standard errors. The blocks are those of the releases from `first` on.
LinearSeparator separator_by_number(const std::vector<const BlockMoments*>& blocks,
                                    std::size_t first, std::size_t fitted, double least);

// Fisher's discriminant of the numbers that differ most: sees noise that several of them share.
LinearSeparator separator_by_covariance(const NeighbourRuns& runs,
                                        const std::vector<const BlockMoments*>& blocks,
                                        std::size_t first, std::size_t fitted);

}  // namespace sotto::audit
