// How well ratings were predicted, as results of `complete` and of `apply` say it.
#pragma once

#include <string>

#include "sotto/complete/fit/fit.h"
#include "sotto/report/document.h"

namespace sotto {

// `of` says what was predicted: "the test ratings".
void describe_scores(const CompletionScores& scores, const std::string& of,
                     ResultDocument& document);

// "rmse 0.9, mae 0.7, ndcg10 0.8, precision10 0.6 over 100 entries"
std::string scores_text(const CompletionScores& scores);

}  // namespace sotto
