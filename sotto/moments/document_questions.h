// Documents that others hold: sums over them are questions as bytes, and a holder's answer is a
// part as bytes (tensor/shards.h). Free of files and of what carries the bytes.
//
// A question says all that an answer depends on, so any holder can answer it at any time, a second
// one in place of the first, too. A holder keeps its documents cut into pieces as it was last asked
// for them, and the parameters of its last expectation step. Both only save time.
// Privacy: parts are exact, and as secret as the documents.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sotto/moments/documents.h"

namespace sotto {

class AskedDocuments final : public DocumentSource {
 public:
  // Hands a question to all holders and returns their answers, joined by joined_answers().
  using Ask = std::function<std::string(const std::string& question)>;
  AskedDocuments(Ask ask, Index documents, DocumentWords words)
      : DocumentSource(std::move(words)), ask_(std::move(ask)), documents_(documents) {}

  Index documents() const override { return documents_; }
  RowMatrix sum(const DocumentSum& sum) override;
  RowMatrix rows(const DocumentRows& rows) override;
  PartialWords count_words(Index own_words) override;

 private:
  Ask ask_;
  Index documents_;
  Index questions_ = 0;
};

// The answer of a holder. Throws an Error where it cannot answer.
std::string answer_document_question(HeldDocuments& held, std::string_view question,
                                     const std::function<void()>& before_piece = {});

}  // namespace sotto
