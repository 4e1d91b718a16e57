#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/join_text.h"
#include "sotto/io/read_corpus.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/models/topic_model.h"
#include "sotto/tasks/apply_kinds.h"
#include "sotto/tasks/topics.h"

namespace sotto {
namespace {

TopicModel saved_topics(const ResultFolder& folder) {
  TopicModel model{folder.matrix("topics.npy"), folder.weights()};
  folder.require_together(model.topics.cols() == model.alpha.size() &&
                          model.topics.minCoeff() >= 0 && model.alpha.minCoeff() >= 0 &&
                          model.alpha.sum() > 0);
  return model;
}

std::vector<std::string> saved_words(const ResultFolder& folder, Index words) {
  if (!folder.lists("vocab.txt")) return {};
  std::vector<std::string> vocabulary = read_vocabulary(folder.file("vocab.txt"));
  folder.require_together(std::ssize(vocabulary) == words);
  return vocabulary;
}

// Text is cut into words as in the training run.
CorpusFileOptions reading_of_documents(const ResultFolder& folder, const ApplyTask& task) {
  CorpusFileOptions file;
  file.format = format_named<CorpusFormat>(task);
  file.vocab = task.vocab;
  file.header = task.header;
  file.separator = task.separator;
  file.index_base = task.index_base;
  file.id_column = task.id_column;
  file.text_column = task.text_column;
  const Json& text_column = folder.find("options/text-column");
  if (file.text_column.empty() && text_column.is_string()) {
    file.text_column = text_column.get<std::string>();
  }
  file.keep_case = folder.flag("keep-case");
  if (folder.lists(kStopWordsFile)) {
    file.stop_words = folder.file(kStopWordsFile);
  } else if (folder.find("options/stop-words") == std::string(name_of(StopWords::english))) {
    file.stop_words = name_of(StopWords::english);
  }
  return file;
}

// "2: wolf, lamb, moon": the number of a topic, and its most probable words where they have names.
std::vector<std::string> names_of_topics(const TopicModel& model,
                                         const std::vector<std::string>& vocabulary) {
  constexpr Index kWordsOfAName = 3;
  std::vector<std::string> names;
  for (const std::vector<Index>& top : top_words(model.topics, kWordsOfAName)) {
    std::vector<std::string> words;
    words.reserve(top.size());
    for (const Index w : top) words.push_back(vocabulary[static_cast<std::size_t>(w)]);
    names.push_back(fmt::format("{}: {}", names.size() + 1, join_text(words, ", ")));
  }
  return names;
}

// None where no document has a token to predict.
std::optional<Perplexity> perplexity_of(const Corpus& documents, const TopicModel& model,
                                        DocumentModel kind) {
  for (Index n = 0; n < documents.documents(); ++n) {
    if (documents.length(n) < 2) continue;
    // The words of the training documents are not in the folder: the floor is the mean of the
    // topics.
    return completion_perplexity(documents, model, model.topics * model.alpha, kind);
  }
  return std::nullopt;
}

}  // namespace

ApplyResult apply_topics(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task) {
  const TopicModel model = saved_topics(folder);
  const auto kind = folder.named<DocumentModel>("options/model");
  const std::vector<std::string> vocabulary = saved_words(folder, model.topics.rows());
  Corpus documents =
      read_corpus_over(vocabulary, model.topics.rows(), path, reading_of_documents(folder, task))
          .open(callers_own_data());
  SOTTO_REQUIRE_AT(documents.documents() > 0, path, "has no documents");
  ApplyResult result;
  result.model.what =
      fmt::format("{} topics over {} words", model.alpha.size(), model.topics.rows());
  result.input = "documents";
  result.records = documents.documents();
  result.rows_are = "proportions";
  result.rows = topic_proportions(documents, model, kind);
  result.perplexity = perplexity_of(documents, model, kind);
  if (!vocabulary.empty()) result.components = names_of_topics(model, vocabulary);
  result.ids = std::move(documents.ids);
  return result;
}

}  // namespace sotto
