#include "sotto/report/describe_scores.h"

#include <fmt/format.h>

namespace sotto {

void describe_scores(const CompletionScores& scores, const std::string& of,
                     ResultDocument& document) {
  document.fit("rmse", scores.rmse, "RMSE of " + of).fit("mae", scores.mae, "MAE of " + of);
  if (scores.ndcg10) document.fit("ndcg10", *scores.ndcg10, "NDCG@10");
  if (scores.precision10) document.fit("precision10", *scores.precision10, "Precision@10");
  document.value("test", {{"entries", scores.entries}, {"unknown_rows", scores.unknown}});
}

std::string scores_text(const CompletionScores& scores) {
  std::string text = fmt::format("rmse {:.4f}, mae {:.4f}", scores.rmse, scores.mae);
  if (scores.ndcg10) text += fmt::format(", ndcg10 {:.4f}", *scores.ndcg10);
  if (scores.precision10) text += fmt::format(", precision10 {:.4f}", *scores.precision10);
  return text + fmt::format(" over {} entries", scores.entries);
}

}  // namespace sotto
