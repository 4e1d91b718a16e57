#include "sotto/tasks/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_corpus.h"
#include "sotto/models/private_topics.h"
#include "sotto/models/private_topics_plan.h"
#include "sotto/models/published_topics.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/models/topic_model.h"
#include "sotto/moments/document_sums.h"
#include "sotto/release/private_documents.h"
#include "sotto/release/private_vocabulary.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/declare.h"

namespace sotto {
namespace {

// ---- what the options and public numbers decide; the documents have no say ----

// A private run before it has seen anything.
struct PrivateTopicsTask {
  PrivateTopicPlan numbers;  // not as published
  Plan plan;
};

PrivateTopicsTask settle(const TopicsTask& task, const PublicCorpusShape& shape,
                         const std::vector<std::string>& facts = {}) {
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon` and `delta`");
  task.check();
  task.privacy.require_small_delta({shape.documents, "documents"});
  PrivateTopicsTask settled;
  if (task.published()) {
    settled.plan =
        plan_published_topics(shape, task.topics, task.as_published, task.privacy.target());
  } else {
    settled.numbers = plan_private_topics(shape, task.topics, task.privacy);
    settled.plan = run_plan(settled.numbers);
  }
  std::vector<std::string>& stated = settled.plan.statement.public_facts;
  stated.insert(stated.end(), facts.begin(), facts.end());
  name_companions(settled.plan.statement, task.companions());
  return settled;
}

std::vector<Forecast> forecasts_of(const TopicsTask& task, const PrivateTopicPlan& numbers) {
  const TopicForecast expected = forecast_topics(numbers, task.topics.concentration(), task.length);
  std::vector<Forecast> list = {
      {"first_noise", expected.first_noise,
       fmt::format("for documents of {:g} different words: noise in a word's frequency {:.2g}",
                   task.length, expected.first_noise)},
      {"second_noise", expected.second_noise,
       fmt::format("noise in the frequency of a pair {:.2g}", expected.second_noise)}};
  const Index words = numbers.shape.words;
  if (words == 0) {
    list.push_back({"documents_for_a_word", expected.threshold,
                    fmt::format("a word is released when it is in about {:.0f} documents or more",
                                expected.threshold)});
    list.push_back({"chosen_words", expected.chosen,
                    fmt::format("of text without stop words about {:.0f} words are expected to be "
                                "released",
                                expected.chosen)});
  }
  const double core = words > 0 ? std::min(expected.core, double(words)) : expected.core;
  list.push_back(
      {"core_words", core,
       fmt::format("about {:.0f} words are expected to stand out in the pair moment", core)});
  const TopicEpsilon epsilon =
      expected_topic_epsilon(numbers.shape, task.topics, task.privacy, task.length, task.shared);
  const auto at = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.2g}", value) : std::string("above 100");
  };
  if (std::isfinite(epsilon.expected)) {
    list.push_back({"epsilon", epsilon.expected,
                    fmt::format("{} topics are expected from epsilon {} on; {} to {} by how many "
                                "words they share",
                                task.topics.topics, at(epsilon.expected), at(epsilon.least),
                                at(epsilon.most))});
  } else {
    list.push_back(
        {"epsilon",
         {},
         fmt::format("{} topics are not expected at any epsilon up to 100", task.topics.topics)});
  }
  return list;
}

// ---- other files ----

// The files beside the documents, over the same words.
struct TopicCompanions {
  std::optional<Corpus> heldout, reference, infer;
  std::optional<Matrix> truth;
};

std::optional<Corpus> read_companion(const std::string& path, const TopicsTask& task,
                                     const std::vector<std::string>& vocabulary, Index words) {
  if (path.empty()) return std::nullopt;
  return opened_companion(read_corpus_over(vocabulary, words, path, task.reading()));
}

Matrix read_true_topics(const std::string& path, Index words, Index k) {
  const DenseTensor tensor = read_npy(path);
  SOTTO_REQUIRE_AT(tensor.order() == 2 && tensor.dims()[0] == words && tensor.dims()[1] == k,
                   "`truth`", "{} must be {} x {}", path, words, k);
  return Eigen::Map<const RowMatrix>(tensor.values().data(), words, k);
}

TopicCompanions read_companions(const TopicsTask& task, const std::vector<std::string>& vocabulary,
                                Index words) {
  const auto read = [&](const std::string& path) {
    return read_companion(path, task, vocabulary, words);
  };
  TopicCompanions companions;
  companions.heldout = read(task.heldout);
  companions.reference = read(task.reference);
  companions.infer = read(task.infer);
  if (!task.truth.empty()) {
    companions.truth = read_true_topics(task.truth, words, task.topics.topics);
  }
  return companions;
}

// ---- what is made of the topics ----

// `reference` null: no documents to judge coherence by. `unigram` holds a weight for each word.
TopicEvaluation evaluate(const TopicsResult& result, const TopicCompanions& companions,
                         const Vector& unigram, DocumentSource* reference) {
  TopicEvaluation evaluation;
  evaluation.diversity = diversity(result.top_words);
  if (reference != nullptr) evaluation.coherence = coherence(*reference, result.top_words);
  if (companions.heldout) {
    evaluation.perplexity =
        completion_perplexity(*companions.heldout, result.model, unigram, result.kind);
  }
  if (companions.truth) {
    evaluation.truth = {mean_total_variation(*companions.truth, result.model.topics),
                        component_error(*companions.truth, result.model.topics)};
  }
  return evaluation;
}

// The certificate covers the documents of the corpus, not those that `infer` shows.
std::string exposed_documents(const TopicsTask& task) {
  if (task.infer.empty() || !task.privacy.asked()) return "";
  return fmt::format(
      "inferred.npy applies the released topics to the documents of {}: it costs the protected "
      "documents nothing, and shows those of that file to whoever reads it.",
      task.infer);
}

TopicsResult start_result(const TopicsTask& task, TopicModel model,
                          std::vector<std::string> vocabulary, Index documents) {
  TopicsResult result;
  result.top_words = top_words(model.topics, task.top);
  result.model = std::move(model);
  result.kind = task.topics.model;
  result.vocabulary = std::move(vocabulary);
  result.documents = documents;
  if (const std::string file = task.file.stop_words_file(); !file.empty()) {
    result.stop_words = read_vocabulary(file);
  }
  result.exposes = exposed_documents(task);
  return result;
}

// ---- runs ----

std::int64_t whole(double count) { return static_cast<std::int64_t>(count); }

TopicsResult run_public(std::shared_ptr<DocumentSource> documents, const TopicsTask& task,
                        const ProgressCallback& progress) {
  const DocumentWords words = documents->vocabulary();
  TopicCompanions companions = read_companions(task, words.names, words.size);
  const Stopwatch computing;
  TopicFit fit = fit_topics(*documents, task.topics, progress);
  const double seconds = computing.seconds();
  TopicsResult result =
      start_result(task, std::move(fit.model), words.names, documents->documents());
  result.steps = task.topics.public_steps();
  std::optional<LocalDocuments> other;
  if (companions.reference) other.emplace(&*companions.reference);
  DocumentSource& reference = other ? static_cast<DocumentSource&>(*other) : *documents;
  result.evaluation = evaluate(result, companions, word_frequencies(*documents).col(0), &reference);
  result.to_infer = std::move(companions.infer);
  result.open = {
      std::move(documents),           whole(fit.totals.entries),       whole(fit.totals.tokens),
      whole(fit.totals.too_short),    task.topics.public_clip(),       task.topics.public_form(),
      std::move(fit.second_spectrum), std::move(fit.whitened.weights), seconds};
  return result;
}

void evaluate_released(TopicsResult& result, TopicCompanions companions, const Vector& unigram) {
  std::optional<LocalDocuments> reference;
  if (companions.reference) reference.emplace(&*companions.reference);
  result.evaluation = evaluate(result, companions, unigram, reference ? &*reference : nullptr);
  result.to_infer = std::move(companions.infer);
}

// Words are found in it by their names.
std::optional<WordCounts> read_background(const TopicsTask& task,
                                          const Sensitive<Documents>& documents) {
  if (task.background.empty()) return std::nullopt;
  SOTTO_REQUIRE_AT(public_shape(documents).words == 0 || !public_words(documents).empty(),
                   "`background`", "needs the names of the words: give `vocab`");
  return read_word_counts(task.background);
}

TopicsResult run_private(Sensitive<Documents> documents, const TopicsTask& task,
                         const std::vector<std::string>& facts, const ProgressCallback& progress) {
  const PublicCorpusShape shape = public_shape(documents);
  const PrivateTopicsTask settled = settle(task, shape, facts);
  // A run must not fail over these files when its budget is spent. They cannot be read earlier
  // where the words are chosen privately.
  std::optional<TopicCompanions> companions;
  if (shape.words > 0) companions = read_companions(task, public_words(documents), shape.words);
  const std::optional<WordCounts> background = read_background(task, documents);
  PrivateRun run(settled.plan, task.privacy);
  PrivateTopicFit fit = fit_private_topics(std::move(documents), settled.numbers, task.topics,
                                           background ? &*background : nullptr, run, progress);
  TopicsResult result =
      start_result(task, std::move(fit.model), std::move(fit.vocabulary), shape.documents);
  result.steps = fit.steps;
  result.released = {run.certify(), PublishedTopics::off, settled.numbers.mechanism, fit.core, {}};
  if (!companions) {
    companions = read_companions(task, result.vocabulary, result.model.topics.rows());
  }
  evaluate_released(result, std::move(*companions), fit.frequencies);
  return result;
}

TopicsResult run_published(const Sensitive<Corpus>& corpus, const TopicsTask& task,
                           const std::vector<std::string>& facts) {
  const PublicCorpusShape shape = public_shape(corpus);
  const PrivateTopicsTask settled = settle(task, shape, facts);
  std::vector<std::string> words = public_words(corpus);
  TopicCompanions companions = read_companions(task, words, shape.words);
  PrivateRun run(settled.plan, task.privacy);
  PublishedTopicFit fit =
      fit_published_topics(corpus, task.topics, task.as_published, task.privacy.target(), run);
  TopicsResult result = start_result(task, std::move(fit.model), std::move(words), shape.documents);
  result.released = {run.certify(), task.as_published, TopicMechanism::automatic, 0,
                     std::move(fit.conditions)};
  const Vector unigram = result.model.topics * result.model.alpha;
  evaluate_released(result, std::move(companions), unigram);
  return result;
}

}  // namespace

OptionTable TopicsTask::table() {
  return OptionTable()
      .append(topics.table())
      .append(file.table())
      .append(privacy.table())
      .choice("as-published", as_published,
              "the noise of a paper, for comparison: Imtiaz & Sarwate 2018 (agn, avn, dp-tpm; "
              "single topic) or a configuration of Esmaeili & Huang 2018; at most 500 words")
      .integer("top", 0, top, {1, 1000},
               "words of each topic to print, and to compute its coherence from")
      .text("heldout", 0, heldout, "FILE",
            "public documents to predict: perplexity by document completion")
      .text("reference", 0, reference, "FILE",
            "public documents for the coherence of the topics; without it the corpus itself")
      .text("infer", 0, infer, "FILE",
            "write the topic proportions of these documents (inferred.npy)")
      .text("truth", 0, truth, "FILE", "true topics (.npy, V x k) to compare with")
      .text("background", 0, background, "FILE",
            "word counts of a public corpus, with a line `word TAB count` for each word; a private "
            "run takes them as the prior of words that do not stand out of the noise; its words "
            "are the vocabulary if `vocab` is not given");
}

void TopicsTask::check() const {
  privacy.check();
  SOTTO_REQUIRE_AT(!published() || privacy.asked(), "`as-published`", "needs `epsilon`");
  if (privacy.asked()) {
    SOTTO_REQUIRE_AT(file.min_df == 1, "`min-df`",
                     "looks at all documents and does not work with `epsilon`; give `vocab`");
    SOTTO_REQUIRE_AT(!topics.clip, "`clip`",
                     "does not work with `epsilon`: a private run scales every document to norm "
                     "one");
    SOTTO_REQUIRE_AT(!topics.form, "`form`",
                     "does not work with `epsilon`: products of released means are plug-in");
  }
  if (published()) {
    SOTTO_REQUIRE_AT(privacy.ledger.empty(), "`as-published`", "does not work with `ledger`");
    SOTTO_REQUIRE_AT(privacy.mechanism == TopicMechanism::automatic && !privacy.core,
                     "`as-published`", "does not work with `mechanism` and `core`");
    SOTTO_REQUIRE_AT(!topics.refine, "`as-published`", "has no expectation steps: no `refine`");
  }
  SOTTO_REQUIRE_AT(background.empty() || privacy.asked(), "`background`",
                   "is for private runs, and needs `epsilon`");
  SOTTO_REQUIRE_AT(background.empty() || !published(), "`as-published`",
                   "does not work with `background`");
  for (const auto& [option, path] :
       std::vector<std::pair<std::string, std::string>>{{"heldout", heldout},
                                                        {"reference", reference},
                                                        {"infer", infer},
                                                        {"truth", truth},
                                                        {"background", background}}) {
    SOTTO_REQUIRE_AT(path.empty() || std::filesystem::is_regular_file(path),
                     fmt::format("`{}`", option), "there is no file {}", path);
  }
}

CorpusFileOptions TopicsTask::reading() const {
  CorpusFileOptions options = file;
  if (options.vocab.empty()) options.vocab = background;
  return options;
}

Companions TopicsTask::companions() const {
  return {{"vocab", "the vocabulary file", file.vocab},
          {"background", "the file of background counts", background},
          {"heldout", "the file of held-out documents", heldout},
          {"reference", "the file of reference documents", reference},
          {"infer", "the file of documents to infer", infer},
          {"truth", "the file of true topics", truth},
          {"stop-words", "the file of stop words", file.stop_words_file()}};
}

std::vector<std::string> TopicsTask::unused_options() const {
  std::vector<std::string> unused;
  if (privacy.asked()) unused = {"clip", "form", "min-df"};
  if (published()) unused.insert(unused.end(), {"refine", "smoothing", "mechanism", "core"});
  return unused;
}

bool TopicsResult::Private::chose_words() const {
  return !certificate.releases.empty() && certificate.releases[0].record.what == kVocabularyRelease;
}

std::string TopicsResult::word(Index number) const {
  if (vocabulary.empty()) return fmt::format("#{}", number);
  return vocabulary[static_cast<std::size_t>(number)];
}

Plan plan(const TopicsTask& task, const PublicCorpusShape& shape) {
  PrivateTopicsTask settled = settle(task, shape);
  if (!task.published()) settled.plan.forecasts = forecasts_of(task, settled.numbers);
  return std::move(settled.plan);
}

TopicsResult run(Input<Corpus> documents, const TopicsTask& task,
                 const ProgressCallback& progress) {
  task.check();
  require_declared(documents, task.privacy.asked());
  const std::vector<std::string> facts = documents.public_facts();
  if (documents.is_public()) {
    return run_public(std::make_shared<LocalDocuments>(std::move(documents).open()), task,
                      progress);
  }
  Sensitive<Corpus> corpus = std::move(documents).sensitive();
  return task.published()
             ? run_published(corpus, task, facts)
             : run_private(sensitive_documents(std::move(corpus)), task, facts, progress);
}

TopicsResult run(Input<Documents> documents, const TopicsTask& task,
                 const ProgressCallback& progress) {
  task.check();
  require_declared(documents, task.privacy.asked());
  SOTTO_REQUIRE_AT(!task.published(), "`as-published`",
                   "needs all documents in one place, and does not work on several ranks");
  const std::vector<std::string> facts = documents.public_facts();
  if (documents.is_public()) return run_public(std::move(documents).open(), task, progress);
  return run_private(std::move(documents).sensitive(), task, facts, progress);
}

RowMatrix infer(const TopicsResult& result, const Corpus& documents) {
  return topic_proportions(documents, result.model, result.kind);
}

void save(const TopicsResult& result, OutputFolder& folder) {
  if (result.open && result.open->documents) {
    DocumentSource& documents = *result.open->documents;
    folder.write_npy("proportions.npy",
                     Matrix(topic_proportions(documents, result.model, result.kind)));
    const std::vector<std::string> ids = documents.ids();
    if (!ids.empty()) folder.write_text("documents.txt", fmt::format("{}\n", join_text(ids, "\n")));
  }
  folder.write_npy("topics.npy", result.model.topics);
  folder.write_npy("weights.npy", result.model.alpha);
  if (!result.vocabulary.empty()) {
    folder.write_text("vocab.txt", fmt::format("{}\n", join_text(result.vocabulary, "\n")));
  }
  if (!result.stop_words.empty()) {
    folder.write_text(kStopWordsFile, fmt::format("{}\n", join_text(result.stop_words, "\n")));
  }
  if (result.to_infer) {
    folder.write_npy("inferred.npy", Matrix(infer(result, *result.to_infer)));
  }
}

}  // namespace sotto
