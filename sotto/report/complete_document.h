// The results of completion as documents: what result.json and the page show of them.
#pragma once

#include <string>

#include "sotto/report/document.h"
#include "sotto/tasks/complete.h"
#include "sotto/tasks/complete_users.h"

namespace sotto {

void describe(const CompletionResult& result, ResultDocument& document);
void describe(const UserCompletionResult& result, ResultDocument& document);
void describe(const RecommendationResult& result, ResultDocument& document);
void describe(const RatingCheck& check, ResultDocument& document);

// What a terminal shows of them: lines, each with its end.
std::string to_text(const CompletionResult& result);
std::string to_text(const UserCompletionResult& result);
std::string to_text(const RecommendationResult& result);
std::string to_text(const RatingCheck& check);

}  // namespace sotto
