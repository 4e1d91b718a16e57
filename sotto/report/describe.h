// Declares the results of the tasks for result.json and the page.
#pragma once

#include <string>

#include "sotto/base/export.h"
#include "sotto/report/document.h"
#include "sotto/tasks/apply.h"
#include "sotto/tasks/complete.h"
#include "sotto/tasks/complete_users.h"
#include "sotto/tasks/decompose.h"
#include "sotto/tasks/mixture.h"
#include "sotto/tasks/stream.h"
#include "sotto/tasks/topics.h"

namespace SOTTO_API sotto {

void describe(const ApplyResult& result, ResultDocument& document);
void describe(const DecomposeResult& result, ResultDocument& document);
void describe(const StreamResult& result, ResultDocument& document);
void describe(const TopicsResult& result, ResultDocument& document);
void describe(const MixtureResult& result, ResultDocument& document);
void describe(const CompletionResult& result, ResultDocument& document);
void describe(const UserCompletionResult& result, ResultDocument& document);
void describe(const RatingCheck& check, ResultDocument& document);

// What a terminal shows: lines with line ends.
std::string to_text(const ApplyResult& result);
std::string to_text(const DecomposeResult& result);
std::string to_text(const CompletionResult& result);
std::string to_text(const UserCompletionResult& result);
std::string to_text(const RatingCheck& check);

}  // namespace sotto
