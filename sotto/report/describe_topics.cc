#include "sotto/report/describe.h"
#include "sotto/report/json_parts.h"

namespace sotto {
namespace {

Json cards_of(const TopicsResult& result) {
  Json topics = Json::array();
  for (std::size_t t = 0; t < result.top_words.size(); ++t) {
    const auto topic = static_cast<Index>(t);
    Json words = Json::array();
    for (const Index w : result.top_words[t]) {
      words.push_back(
          Json{{"word", result.word(w)}, {"probability", result.model.topics(w, topic)}});
    }
    topics.push_back(Json{{"weight", result.model.alpha[topic]}, {"words", words}});
  }
  return topics;
}

void describe_public(const TopicsResult::Public& open, ResultDocument& document) {
  document.option("clip", std::string(name_of(open.clip)))
      .option("form", std::string(name_of(open.form)))
      .seconds(open.seconds)
      .spectrum("second_spectrum", list_of(open.second_spectrum))
      .spectrum("third_spectrum", list_of(open.third_spectrum));
}

void describe_private(const TopicsResult& result, ResultDocument& document) {
  const TopicsResult::Private& released = *result.released;
  if (released.published()) {
    document.fact("mechanism", std::string(name_of(released.as_published)));
  } else {
    document.fact("mechanism", std::string(name_of(released.mechanism)))
        .fact("core_words", released.core)
        .fact("expectation_steps", result.steps);
  }
  if (!released.conditions.empty()) {
    Json conditions = Json::array();
    for (const PublishedCondition& condition : released.conditions) {
      conditions.push_back(Json{{"what", condition.what},
                                {"value", condition.value},
                                {"limit", condition.limit},
                                {"met", condition.met()}});
    }
    document.table("diagnostics/conditions", "Conditions of the published method", conditions);
  }
}

void describe_evaluation(const TopicEvaluation& evaluation, ResultDocument& document) {
  document.quality("diversity", evaluation.diversity);
  if (evaluation.coherence) {
    const Coherence& found = *evaluation.coherence;
    document.quality("npmi", found.npmi.mean(), "Coherence, NPMI")
        .quality("umass", found.umass.mean(), "Coherence, UMass")
        .component_column("evaluation/npmi_by_topic", list_of(found.npmi), "NPMI")
        .component_column("evaluation/umass_by_topic", list_of(found.umass), "UMass");
  }
  if (evaluation.perplexity) {
    document.quality("perplexity", evaluation.perplexity->model)
        .quality("unigram_perplexity", evaluation.perplexity->unigram)
        .quality("heldout_tokens", evaluation.perplexity->tokens);
  }
  if (evaluation.truth) {
    document.quality("total_variation", evaluation.truth->total_variation)
        .quality("component_error", evaluation.truth->component_error);
  }
}

}  // namespace

void describe(const TopicsResult& result, ResultDocument& document) {
  const bool refines = !result.released || !result.released->published();
  if (refines) document.option("refine", result.steps);
  document.input("documents", result.documents).input("words", result.model.topics.rows());
  if (result.open) {  // facts that may be published about public documents
    document.input("entries", result.open->entries)
        .input("tokens", result.open->tokens)
        .input("documents_left_out", result.open->documents_left_out);
  }
  if (result.released) document.certificate(result.released->certificate);
  document.weights(result.model.alpha, "topic").topic_cards(cards_of(result));
  if (!result.exposes.empty()) document.exposed(result.exposes, "inferred.npy");
  if (result.open) describe_public(*result.open, document);
  if (result.released) describe_private(result, document);
  describe_evaluation(result.evaluation, document);
}

}  // namespace sotto
