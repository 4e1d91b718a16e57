#include <fmt/format.h>

#include "cli/print_found.h"
#include "sotto/report/describe.h"

namespace sotto::cli {
namespace {

void print(const TopicEvaluation& evaluation) {
  if (evaluation.coherence) {
    fmt::print("coherence of the top words: NPMI {:.4f}, UMass {:.3f}; diversity {:.2f}\n",
               evaluation.coherence->npmi.mean(), evaluation.coherence->umass.mean(),
               evaluation.diversity);
  }
  if (evaluation.perplexity) {
    fmt::print(
        "perplexity of the hidden half of each held-out document, given the other half: {:.1f} "
        "(words by their frequency alone: {:.1f})\n",
        evaluation.perplexity->model, evaluation.perplexity->unigram);
  }
  if (evaluation.truth) {
    fmt::print("distance to the true topics: total variation {:.4f}, e_comp {:.4f}\n",
               evaluation.truth->total_variation, evaluation.truth->component_error);
  }
}

void print_chosen_words(const TopicsResult::Private& released, Index words) {
  if (!released.chose_words()) return;
  fmt::print(
      "{} words were chosen privately, and the model knows no others: more documents, a larger "
      "--epsilon or a public list of words (--vocab) give more\n",
      words);
}

void print(const TopicsResult::Private& released, const std::string& exposes) {
  fmt::print("{}\n", with_dashes(released.certificate.to_text()));
  if (!exposes.empty()) fmt::print("{}\n", exposes);
  for (const PublishedCondition& condition : released.conditions) {
    fmt::print("{}: {:.3g} against {:.3g}, {}\n", condition.what, condition.value, condition.limit,
               condition.met() ? "met" : "not met");
  }
}

}  // namespace

void print_found(const TopicsResult& result) {
  for (std::size_t t = 0; t < result.top_words.size(); ++t) {
    std::string line;
    for (const Index w : result.top_words[t]) {
      line += fmt::format(" {} {:.3f}", result.word(w), result.model.topics(w, Index(t)));
    }
    fmt::print("{:>7.4f} {}\n", result.model.alpha[Index(t)], line);
  }
  print(result.evaluation);
  if (result.open) fmt::print("{} documents in {:.3g} s\n", result.documents, result.open->seconds);
  if (result.released) {
    print_chosen_words(*result.released, std::ssize(result.vocabulary));
    print(*result.released, result.exposes);
  }
}

}  // namespace sotto::cli
