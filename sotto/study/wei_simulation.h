// The simulation of Wei et al. 2022 (section 5.1), which Figures 2 and 3 share, and what all three
// figures state.
#pragma once

#include <string>
#include <vector>

#include "sotto/study/comparison.h"
#include "sotto/study/private_completion.h"
#include "sotto/study/study.h"

namespace sotto {

// A tensor 20 x 20 x 20 of rank 3, scaled to [0, 1], noise at SNR 1, 80% of the observed entries to
// learn from; lambda 0.01 (Tucker: 0.001, core 0.0001), step 0.005, 100 epochs.
CompletionProblem wei_problem(LowRank model, double missing, std::uint64_t seed);

// The model of a cell.
LowRank model_of(const StudyCell& cell);

// Errors along a parameter, one series a method.
Chart wei_panel(const StudyTable& table, const std::vector<StudyCell>& cells,
                const std::string& parameter, const std::string& title);

// "gradient perturbation is the most accurate, then output, then input", for one clipping constant.
Finding wei_order(const StudyTable& table, const std::vector<StudyCell>& cells,
                  const std::string& clip);

// No private method is better than the baseline, and how good the baseline itself is.
Finding wei_baseline(const StudyTable& table, const std::vector<StudyCell>& cells);

// Compares the strict method of this library with input perturbation, the one published method that
// is private.
Finding wei_strict(const StudyTable& table, const std::vector<StudyCell>& cells);

// How many runs of a published method grew without bound.
std::string wei_divergence(const StudyTable& table);

}  // namespace sotto
