// The task of `sotto topics`: the topics of documents, public or protected document by document.
//
//   TopicsTask task;
//   task.topics.topics = 10;
//   task.privacy.epsilon = 1;
//   task.privacy.delta = 1e-6;
//   TopicsResult result = run(documents_input("abstracts.txt", task.file, true), task);
//
// Which releases a private run is made of follows from public numbers alone
// (models/private_topics_plan.h), or from a paper (models/published_topics.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/models/topic_options.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"
#include "sotto/tensor/corpus.h"

namespace SOTTO_API sotto {

class DocumentSource;  // moments/documents.h
class OutputFolder;
struct Companion;

// The words of a file of stop words, kept beside the topics: text that comes later is read alike.
inline constexpr const char* kStopWordsFile = "stop_words.txt";

struct TopicsTask {
  TopicOptions topics;
  CorpusFileOptions file;  // how documents are read, those of the files below too
  DocumentPrivacyOptions privacy;
  PublishedTopics as_published = PublishedTopics::off;
  std::int64_t top = 10;  // words by which a topic is judged
  // Files beside the documents, public ones in a private run; empty: not given.
  std::string heldout;    // documents to predict
  std::string reference;  // documents for the coherence of the topics
  std::string infer;      // documents whose proportions of topics are wanted
  std::string truth;      // true topics, V x k
  // Counts of words in some public corpus, for a private run; the vocabulary, too, where no other
  // is given.
  std::string background;
  // Guesses at the different words of a document and at the words that topics share: for what
  // plan() expects.
  double length = 50;
  SharedWords shared = SharedWords::some;

  OptionTable table();  // without these two, which only plans use

  // Refuses what cannot be combined, and companions that are not there, whatever the documents.
  void check() const;

  bool published() const { return as_published != PublishedTopics::off; }
  // How documents are to be read: as `file` says, over the words of the background where it names
  // no others.
  CorpusFileOptions reading() const;
  std::vector<Companion> companions() const;
  // Options that a run of this task does not use.
  std::vector<std::string> unused_options() const;
};

// How good the topics are, on documents that may be looked at.
struct TopicEvaluation {
  struct Truth {
    double total_variation, component_error;
  };
  double diversity = 0;
  std::optional<Coherence> coherence;
  std::optional<Perplexity> perplexity;
  std::optional<Truth> truth;
};

struct TopicsResult {
  TopicModel model;
  DocumentModel kind = DocumentModel::lda;
  std::vector<std::string> vocabulary;  // names of the words; empty when they have none
  std::vector<std::string> stop_words;  // those of a file
  std::vector<std::vector<Index>> top_words;
  TopicEvaluation evaluation;
  Index documents = 0;
  std::int64_t steps = 0;          // expectation steps that were made
  std::optional<Corpus> to_infer;  // documents of `infer`, for save()
  // A sentence that says whose data inferred.npy shows in spite of the certificate; else empty.
  std::string exposes;

  // Of a run that is not private.
  struct Public {
    std::shared_ptr<DocumentSource> documents;  // null: save() writes no proportions
    std::int64_t entries = 0, tokens = 0;
    std::int64_t documents_left_out = 0;  // those with fewer than 3 tokens
    DocumentClip clip;
    MomentForm form;
    Vector second_spectrum, third_spectrum;
    double seconds = 0;
  };
  std::optional<Public> open;

  // Of a private run.
  struct Private {
    Certificate certificate;
    PublishedTopics as_published = PublishedTopics::off;
    // Not as published.
    TopicMechanism mechanism = TopicMechanism::automatic;
    Index core = 0;  // words of the second moment
    // As published: of the theorem, numbers of the data.
    std::vector<PublishedCondition> conditions;

    bool published() const { return as_published != PublishedTopics::off; }
    bool chose_words() const;  // the vocabulary is one of the releases
  };
  std::optional<Private> released;

  // The name of a word, or "#7".
  std::string word(Index number) const;
};

// What a private run would do. Refuses a task without epsilon, and what this shape rules out.
Plan plan(const TopicsTask& task, const PublicCorpusShape& shape);

// Refuses sensitive documents without epsilon and public documents with it. Throws where the caller
// stops it.
TopicsResult run(Input<Corpus> documents, const TopicsTask& task,
                 const ProgressCallback& progress = {});
// The same for documents that may be elsewhere; not as published.
TopicsResult run(Input<std::unique_ptr<DocumentSource>> documents, const TopicsTask& task,
                 const ProgressCallback& progress = {});

// Proportions of the topics in documents over the same words: N x k.
RowMatrix infer(const TopicsResult& result, const Corpus& documents);

// Writes topics.npy, weights.npy, vocab.txt where words have names, stop_words.txt where a file had
// them, the proportions of public documents (proportions.npy) and of those to infer (inferred.npy).
void save(const TopicsResult& result, OutputFolder& folder);

}  // namespace sotto
