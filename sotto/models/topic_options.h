// Options, result and scores of a topic model: only the types.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/corpus.h"

namespace SOTTO_API sotto {

struct TopicModel {
  Matrix topics;  // V x k, columns sum to one
  Vector alpha;   // k: Dirichlet parameters, or (single topic) the probabilities of the topics
};

enum class DocumentClip { median, none };
constexpr auto enum_names(DocumentClip) {
  return std::to_array<EnumName<DocumentClip>>(
      {{DocumentClip::median, "median"}, {DocumentClip::none, "none"}});
}

// Options that are not given are chosen. A private run chooses differently, and has neither clip
// nor form.
struct TopicOptions {
  std::int64_t topics = 0;
  DocumentModel model = DocumentModel::lda;
  double alpha0 = 1;  // LDA only
  std::optional<DocumentClip> clip;
  std::optional<MomentForm> form;
  std::optional<std::int64_t> refine;  // expectation-maximisation steps
  double smoothing = 0.1;
  std::int64_t starts = 32;
  std::int64_t iterations = 100;
  std::int64_t seed = 0;

  OptionTable table();
  bool single_topic() const { return model == DocumentModel::single; }
  double concentration() const { return single_topic() ? 0 : alpha0; }
  // Values of a run without privacy.
  DocumentClip public_clip() const { return clip.value_or(DocumentClip::median); }
  MomentForm public_form() const { return form.value_or(MomentForm::unbiased); }
  std::int64_t public_steps() const { return refine.value_or(5); }
};

// A guess at how many words the topics share, for a plan: where the frequency of a word has in each
// topic a factor from a gamma law, its shape is 0.1, 0.4 or 0.8.
enum class SharedWords { few, some, many };
constexpr auto enum_names(SharedWords) {
  return std::to_array<EnumName<SharedWords>>(
      {{SharedWords::few, "few"}, {SharedWords::some, "some"}, {SharedWords::many, "many"}});
}

// The moments that a private model is made from. A run takes one of the last two.
enum class TopicMechanism { automatic, pairs, triples };
constexpr auto enum_names(TopicMechanism) {
  return std::to_array<EnumName<TopicMechanism>>({{TopicMechanism::automatic, "auto"},
                                                  {TopicMechanism::pairs, "pairs"},
                                                  {TopicMechanism::triples, "triples"}});
}

struct DocumentPrivacyOptions : TargetOptions {
  TopicMechanism mechanism = TopicMechanism::automatic;
  std::optional<std::int64_t> core;

  OptionTable table();
  // Refuses impossible combinations and, without epsilon, every option that only privacy has.
  void check() const;
};

// The paper whose noise a private model has (published_topics.h); off: the noise of this library.
enum class PublishedTopics {
  off,
  agn,
  avn,
  dp_tpm,
  esmaeili_1,
  esmaeili_2,
  esmaeili_3,
  esmaeili_4
};
constexpr auto enum_names(PublishedTopics) {
  return std::to_array<EnumName<PublishedTopics>>({{PublishedTopics::off, "off"},
                                                   {PublishedTopics::agn, "agn"},
                                                   {PublishedTopics::avn, "avn"},
                                                   {PublishedTopics::dp_tpm, "dp-tpm"},
                                                   {PublishedTopics::esmaeili_1, "esmaeili-1"},
                                                   {PublishedTopics::esmaeili_2, "esmaeili-2"},
                                                   {PublishedTopics::esmaeili_3, "esmaeili-3"},
                                                   {PublishedTopics::esmaeili_4, "esmaeili-4"}});
}

// Perplexity by document completion (topic_evaluation.h).
struct Perplexity {
  double model;
  double unigram;  // by the words of `training`
  std::int64_t tokens;
};

// Coherence of the top words of each topic (topic_evaluation.h).
struct Coherence {
  Vector npmi;   // one a topic
  Vector umass;  // one a topic
};
}  // namespace sotto
