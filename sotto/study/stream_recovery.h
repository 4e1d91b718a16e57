// The least epsilon at which the private streaming power method recovers known components. The
// rules of release/choose_stream.h and the tables of docs/choosing.md rest on this experiment.
//
// The records are those of synthetic/points.h, kept in memory so that many runs can read them. The
// noise is that of a private run, from a seed, so that every figure can be reproduced.
#pragma once

#include <cstdint>

#include "sotto/models/stream_decomposition.h"
#include "sotto/release/choose_stream.h"
#include "sotto/release/private_stream.h"
#include "sotto/synthetic/points.h"

namespace sotto {

struct StreamProblem {
  Matrix vectors;  // the truth, d x k
  RowMatrix rows;  // the records
};

StreamProblem stream_problem(const PointModel& model);

// The components of the model, with the starts and iterations of a choice.
StreamOptions stream_options(const PointModel& model, const StreamChoice& choice);

// The least over the true components of the largest |cos| to a found vector. All records are shared
// out among the answers; `norm` is their bound, or the range in which to choose it.
double worst_cosine(const StreamProblem& problem, const StreamOptions& options,
                    const PrivacyTarget& target, const RecordNorm& norm, std::uint64_t seed);

// The epsilon from which at least `wanted` of `runs` seeds reach a worst cosine of 0.9, by
// bisection to 3%; infinity when 64 times the first guess, epsilon 1, is not enough.
double needed_epsilon(const StreamProblem& problem, const StreamOptions& options, double delta,
                      const RecordNorm& norm, int runs, int wanted);

}  // namespace sotto
