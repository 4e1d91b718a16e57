// A shard of a private run: answers the coordinator's questions about records that stay sensitive.
//
// An answer is an exact sum, without noise, and as secret as the records. It goes to the
// coordinator of the run and to nobody else: the coordinator adds the noise, once, before anything
// leaves. A shard has no key, no budget and no ledger, and keeps nothing between two questions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sotto/tensor/corpus.h"
#include "sotto/tensor/point_source.h"
#include "sotto/tensor/shards.h"

namespace sotto {

struct OwnRecords;

// An error about a record does not say what is wrong with it.
AnswerQuestion private_record_answers(SensitivePoints points);
// The answer of the holder of a partition to one question (tensor/sharded_points.h).
std::string private_record_answer(SensitivePoints held, const OwnRecords& own,
                                  const std::string& question);

// Answers questions about documents in memory, as document_answers() of tasks/document_files.h.
std::function<std::string(std::string_view question)> private_document_answers(
    Sensitive<Corpus> held, Index first, Index end, std::function<void()> before_piece);

}  // namespace sotto
