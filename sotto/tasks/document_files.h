// Documents in lists of files: read into memory, or held by shards, which answer the questions of
// the run's coordinator (moments/document_questions.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/moments/document_questions.h"
#include "sotto/tensor/shards.h"

namespace sotto {

// Into memory: several files, all in one format, one after the other.
Input<Corpus> documents_input(const std::vector<std::string>& paths, CorpusFileOptions file,
                              bool is_private);

// Answers questions about documents (moments/document_questions.h) that are in memory: those with
// the numbers `first` and on, of which the pieces that begin before `end` are its own. What is
// wrong is the answer. `before_piece` may throw to end the work.
using AnswerDocuments = std::function<std::string(std::string_view question)>;
AnswerDocuments document_answers(Input<Corpus> held, Index first, Index end,
                                 std::function<void()> before_piece = {});

// From the same text files as sharded_documents(), of which a shard reads its share when it is
// first asked for it.
AnswerQuestion document_file_answers(const std::vector<std::string>& paths, CorpusFileOptions file,
                                     bool is_private, std::function<void()> before_piece = {});

// The documents of these files, which the shards hold. They must outlive the input.
Input<Documents> sharded_documents(const std::vector<std::string>& paths, CorpusFileOptions file,
                                   bool is_private, Shards& shards);

// Documents that answer questions through `ask`. Finds the vocabulary if the documents are public
// and no file has it.
Documents asked_documents(AskedDocuments::Ask ask, Index documents, const CorpusFileOptions& file);

// The words of the documents, as one process finds them: the most frequent first, or by their text.
enum class WordOrder { by_frequency, by_text };
void find_vocabulary(DocumentSource& documents, WordOrder order, std::int64_t min_df = 1);

}  // namespace sotto
