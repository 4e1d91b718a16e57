// The seam between a run and those who hold its records: ask every shard for its part of a sum, and
// add the parts.
//
// The coordinator has the plan, the key, the noise, the ledger and the result. A shard answers one
// question after the other, each with an exact part of a sum over its records. An answer depends on
// the records and the question alone: what a shard keeps in between only saves time. Questions and
// answers are bytes with a version and a checksum, so that anything can carry them: threads, MPI,
// an engine. Whoever carries them sees exact sums: an answer is as secret as the records.
#pragma once

#include <functional>
#include <string>

#include "sotto/linalg/matrix.h"

namespace sotto {

// The answer of shard number `shard`. Does not throw an Error: what is wrong is the answer.
using AnswerQuestion = std::function<std::string(const std::string& question, Index shard)>;

class Shards {
 public:
  virtual ~Shards() = default;
  // The coordinator is one of them, number 0.
  virtual Index count() const = 0;
  // Hands the question to all shards, `own` being that of the coordinator, and returns the answers,
  // joined in any order by joined_answers(). Throws an Error where a shard was lost.
  virtual std::string ask(const std::string& question, const AnswerQuestion& own) = 0;
  // For long work of the coordinator: throws where a shard is known to be lost.
  virtual void require_all() const {}
};

// Adds two answers to one question. An answer that says what is wrong takes precedence, the first
// before the second.
std::string joined_answers(const std::string& first, const std::string& second);

}  // namespace sotto
