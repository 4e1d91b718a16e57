// What limits the noise in Figure 1 of Wang & Anandkumar 2016: an experiment that tells the
// explanations apart (wang_fig1.cc has the figure itself).
//
// The tensor is e_1^(x)3 + e_2^(x)3 + e_3^(x)3 plus noise; uniform starts make the choice of axes
// immaterial. Theory: a start overlaps with a component by a normal number over sqrt(d), and the
// best of n by sqrt(2 ln n / d). A step raises an overlap x to weight x^2 over the length
// |E(I,u,u)| of the noise. So a component grows out of noise of length l at random starts while
//   random noise:      l < weight sqrt(2 ln n / d).
// Random noise adds a new normal number to the overlap in every step, so n is starts times
// iterations. Weakly correlated noise is a sum of components of its own, sigma each; the one with
// the largest overlap, sqrt(2 ln d / d), competes, and steps add nothing:
//   weakly correlated: sigma < weight sqrt(ln n / ln d), n the starts.
// Levels of noise are multiples of these limits, so the transition is near 1 where they hold.
// Cost: weakly correlated noise is never stored, so d can be large; random noise is d^3/6 numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/study/study.h"

namespace sotto::wang_fig1_study {

std::vector<StudyCell> limit_cells(const StudySettings& settings);
std::vector<std::string> limit_measures();
// In the order of limit_measures(): the failure rate at each level; for random noise the length
// |E(I,u,u)| over the operator norm.
std::vector<double> limit_trial(const StudyCell& cell, std::uint64_t seed);
std::vector<Finding> limit_findings(const StudyTable& table);

}  // namespace sotto::wang_fig1_study
