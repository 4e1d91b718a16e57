// How far down in epsilon the private streaming power method recovers known components: the
// experiment behind the rules of release/choose_stream.h and the tables of docs/choosing.md.
//
// The records are those of synthetic/points.h, held in memory so that many runs can read them; the
// noise is that of a private run, from a seed, so that every figure can be made again.
#pragma once

#include <cstdint>

#include "sotto/models/stream_decomposition.h"
#include "sotto/release/private_stream.h"
#include "sotto/synthetic/points.h"

namespace sotto {

struct StreamProblem {
  Matrix vectors;  // the truth, d x k
  RowMatrix rows;  // the records
};

StreamProblem stream_problem(const PointModel& model);

// The least over the true components of the largest |cos| to a vector that was found. All records
// are shared out among the answers; `norm` bounds them, or says where to look for a bound.
double worst_cosine(const StreamProblem& problem, const StreamOptions& options,
                    const PrivacyTarget& target, const RecordNorm& norm, std::uint64_t seed);

// The epsilon from which at least `wanted` of `runs` seeds reach a worst cosine of 0.9, by
// bisection to 3%; infinity when 64 times the first guess, epsilon 1, is not enough.
double needed_epsilon(const StreamProblem& problem, const StreamOptions& options, double delta,
                      const RecordNorm& norm, int runs, int wanted);

}  // namespace sotto
