#include "sotto/tasks/topics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sotto/base/random.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/testing/planned.h"

namespace sotto {
namespace {

constexpr Index kTopicWords = 12, kTopicDocuments = 6000;
constexpr int kTopicTokens = 15;

// Three topics with four words each, the first of them most probable.
Matrix three_topics() {
  Matrix topics = Matrix::Zero(kTopicWords, 3);
  for (Index t = 0; t < 3; ++t) topics.col(t).segment(4 * t, 4) << 0.4, 0.3, 0.2, 0.1;
  return topics;
}

std::int32_t word_of_topic(std::uint64_t topic, SeededRandom& random) {
  const double u = random.uniform();
  return static_cast<std::int32_t>(4 * topic) + (u < 0.4 ? 0 : u < 0.7 ? 1 : u < 0.9 ? 2 : 3);
}

// Every document has one topic, or (lda) one for each half of its words.
Corpus made_documents(DocumentModel model, Index documents = kTopicDocuments) {
  SeededRandom random(7);
  Corpus corpus;
  corpus.vocabulary_size = kTopicWords;
  corpus.vocabulary_is_declared = true;
  for (Index n = 0; n < documents; ++n) {
    const std::uint64_t first = random.below(3), second = random.below(3);
    std::vector<std::int32_t> counts(kTopicWords, 0);
    for (int t = 0; t < kTopicTokens; ++t) {
      const bool other = model == DocumentModel::lda && t % 2 == 1;
      ++counts[static_cast<std::size_t>(word_of_topic(other ? second : first, random))];
    }
    for (std::int32_t w = 0; w < kTopicWords; ++w) {
      if (counts[static_cast<std::size_t>(w)] == 0) continue;
      corpus.word.push_back(w);
      corpus.count.push_back(counts[static_cast<std::size_t>(w)]);
    }
    corpus.begin.push_back(std::ssize(corpus.word));
  }
  return corpus;
}

Corpus named(Corpus corpus) {
  for (Index w = 0; w < corpus.vocabulary_size; ++w) {
    corpus.vocabulary.push_back(fmt::format("word{}", w));
  }
  return corpus;
}

Input<Corpus> public_documents(DocumentModel model = DocumentModel::lda) {
  return {Sensitive<Corpus>(made_documents(model)), PublicDeclaration("made by a test")};
}
Input<Corpus> sensitive_documents(DocumentModel model = DocumentModel::lda) {
  return Sensitive<Corpus>(made_documents(model));
}

TopicsTask topics_task(DocumentModel model = DocumentModel::lda) {
  TopicsTask task;
  task.topics.topics = 3;
  task.topics.model = model;
  task.topics.starts = 8;
  task.top = 4;
  return task;
}

TopicsTask private_topics_task(DocumentModel model = DocumentModel::lda) {
  TopicsTask task = topics_task(model);
  task.privacy.epsilon = 5;
  task.privacy.delta = 1e-6;
  return task;
}

double distance_to_truth(const TopicsResult& result) {
  return mean_total_variation(three_topics(), result.model.topics);
}

// Stops at each report in turn.
TEST(TopicsTask, can_be_stopped_anywhere) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    for (int last = 0; last < 5; ++last) {
      TopicsTask task;
      task.topics.topics = 2;
      task.topics.model = model;
      int reports = 0;
      const auto stop = [&](const ProgressReport&) { return reports++ < last; };
      try {
        run(public_documents(model), task, stop);
        ADD_FAILURE() << "was not stopped at report " << last;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::stopped) << error.what();
      }
    }
  }
}

TEST(TopicsTask, recovers_the_topics_of_public_documents) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    const TopicsResult result = run(public_documents(model), topics_task(model));
    EXPECT_LT(distance_to_truth(result), 0.03) << name_of(model);
    EXPECT_FALSE(result.released);
    ASSERT_TRUE(result.open);
    EXPECT_EQ(result.documents, kTopicDocuments);
    EXPECT_EQ(result.steps, 5);
    EXPECT_EQ(result.evaluation.diversity, 1);  // no two topics share a word
    ASSERT_TRUE(result.evaluation.coherence);   // judged by the documents themselves
    EXPECT_EQ(result.word(3), "#3");
    EXPECT_EQ(result.exposes, "");
  }
}

TEST(TopicsTask, recovers_them_privately) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    const TopicsResult result = run(sensitive_documents(model), private_topics_task(model));
    EXPECT_LT(distance_to_truth(result), 0.15) << name_of(model);
    EXPECT_FALSE(result.open);
    EXPECT_FALSE(result.evaluation.coherence);
  }
}

TEST(TopicsTask, a_private_run_releases_what_the_plan_says_and_is_certified) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    for (const TopicMechanism mechanism : {TopicMechanism::pairs, TopicMechanism::triples}) {
      TopicsTask task = private_topics_task(model);
      task.privacy.mechanism = mechanism;
      task.privacy.core = 10;
      if (model == DocumentModel::lda) task.topics.refine = 2;
      const Plan announced = plan(task, {kTopicDocuments, kTopicWords});
      const TopicsResult result = run(sensitive_documents(model), task);
      const Certificate& certificate = result.released->certificate;
      EXPECT_EQ(releases_of(certificate), releases_of(announced)) << name_of(mechanism);
      EXPECT_TRUE(certificate.proved) << certificate.why;
      EXPECT_LE(certificate.epsilon, 5);
      EXPECT_EQ(certificate.statement.public_facts, announced.statement.public_facts);
      EXPECT_EQ(result.released->mechanism, mechanism);
      EXPECT_EQ(result.released->core, 10);
      ASSERT_EQ(announced.releases.size(), certificate.releases.size());
      double shares = 0;
      for (std::size_t r = 0; r < announced.releases.size(); ++r) {
        const PlannedRelease& planned = announced.releases[r];
        const ReleaseRecord& record = certificate.releases[r].record;
        EXPECT_EQ(planned.values, record.values) << planned.what;
        EXPECT_NEAR(*planned.noise / record.noise, 1, 1e-6) << planned.what;
        shares += planned.share;
      }
      EXPECT_NEAR(shares, 1, 1e-12);
    }
  }
}

// Where the first moment decides, the plan allows for both.
TEST(TopicsTask, a_plan_that_may_skip_steps_holds_the_run_either_way) {
  for (const Index documents : {Index{40}, kTopicDocuments}) {
    TopicsTask task = private_topics_task();
    // As many topics as words do not stand out of few documents.
    if (documents == 40) task.topics.topics = kTopicWords;
    const Plan announced = plan(task, {documents, kTopicWords});
    const TopicsResult result =
        run(Sensitive<Corpus>(made_documents(DocumentModel::lda, documents)), task);
    EXPECT_EQ(result.steps, documents == 40 ? 0 : 3);
    EXPECT_EQ(announced.releases.size(), 5u);
    EXPECT_EQ(result.released->certificate.releases.size(), std::size_t(2 + result.steps));
    EXPECT_TRUE(result.released->certificate.proved);
    EXPECT_FALSE(announced.releases[1].noise);
  }
}

// How many numbers a release has follows from how many words are released.
ReleaseCounts of_any_size(ReleaseCounts releases) {
  for (auto& [what, release] : releases) std::get<2>(release) = 0;
  return releases;
}

TEST(TopicsTask, words_that_are_chosen_privately_are_planned_as_well) {
  Corpus corpus = named(made_documents(DocumentModel::lda));
  corpus.vocabulary_is_declared = false;
  for (const TopicMechanism mechanism : {TopicMechanism::pairs, TopicMechanism::triples}) {
    TopicsTask task = private_topics_task();
    task.privacy.mechanism = mechanism;
    task.topics.refine = 1;
    const Plan announced = plan(task, {kTopicDocuments, 0});
    const TopicsResult result = run(Sensitive<Corpus>(corpus), task);
    EXPECT_EQ(of_any_size(releases_of(result.released->certificate)),
              of_any_size(releases_of(announced)));
    EXPECT_TRUE(result.released->certificate.proved) << result.released->certificate.why;
    EXPECT_EQ(result.vocabulary.size(), std::size_t{kTopicWords});
    EXPECT_EQ(announced.releases[0].values, 0);
  }
}

TEST(TopicsTask, published_methods_release_what_the_plan_says) {
  for (const auto& [method, name] : enum_names(PublishedTopics{})) {
    if (method == PublishedTopics::off) continue;
    TopicsTask task = private_topics_task(DocumentModel::single);
    task.as_published = method;
    const Plan announced = plan(task, {kTopicDocuments, kTopicWords});
    const TopicsResult result = run(sensitive_documents(DocumentModel::single), task);
    const Certificate& certificate = result.released->certificate;
    EXPECT_EQ(releases_of(certificate), releases_of(announced)) << name;
    EXPECT_EQ(certificate.statement.claimed->epsilon, 5) << name;
    EXPECT_EQ(result.released->as_published, method);
    EXPECT_TRUE(announced.forecasts.empty());
  }
}

TEST(TopicsTask, the_plan_tells_what_to_expect) {
  const auto json = plan(private_topics_task(), {100000, 0}).to_json();
  EXPECT_GT(json["forecasts"]["documents_for_a_word"], 1);
  EXPECT_GT(json["forecasts"]["epsilon"], 0);
  EXPECT_EQ(json["settings"]["refine"], 3);
  // Ten documents have no topics at any epsilon.
  const auto none = plan(private_topics_task(), {10, 1000}).to_json();
  EXPECT_TRUE(none["forecasts"]["epsilon"].is_null());
  EXPECT_FALSE(none["forecasts"].contains("documents_for_a_word"));
}

TEST(TopicsTask, an_insecure_seed_repeats_and_proves_nothing) {
  TopicsTask task = private_topics_task();
  task.privacy.insecure_seed = 5;
  const TopicsResult one = run(sensitive_documents(), task), two = run(sensitive_documents(), task);
  EXPECT_EQ(one.model.topics, two.model.topics);
  EXPECT_FALSE(one.released->certificate.proved);
}

TEST(TopicsTask, input_and_epsilon_must_fit) {
  EXPECT_ERROR(run(sensitive_documents(), topics_task()), "`epsilon`: is needed");
  EXPECT_ERROR(run(public_documents(), private_topics_task()), "declared public");
  EXPECT_ERROR(plan(topics_task(), {100, 20}), "`plan`: needs `epsilon`");
}

TEST(TopicsTask, refuses_what_cannot_be_combined) {
  const auto refuses = [](auto change, const std::string& says) {
    TopicsTask task = private_topics_task();
    change(task);
    EXPECT_ERROR(plan(task, {kTopicDocuments, kTopicWords}), says);
    EXPECT_ERROR(run(sensitive_documents(), task), says);
  };
  refuses([](auto& t) { t.topics.clip = DocumentClip::none; }, "`clip`: does not work");
  refuses([](auto& t) { t.topics.form = MomentForm::plug_in; }, "`form`: does not work");
  refuses([](auto& t) { t.file.min_df = 2; }, "`min-df`: looks at all documents");
  refuses([](auto& t) { t.topics.topics = 13; }, "`topics`: cannot exceed the 12 words");
  refuses([](auto& t) { t.privacy.core = 2; }, "`core`: must lie between");
  refuses([](auto& t) { t.privacy.delta = 0.1; }, "`accept-large-delta`");
  refuses([](auto& t) { t.privacy.delta.reset(); }, "`epsilon`: needs `delta`");
  refuses([](auto& t) { t.heldout = "nowhere"; }, "`heldout`: there is no file nowhere");
  refuses([](auto& t) { t.as_published = PublishedTopics::agn; }, "a method for `model` single");
  refuses(
      [](auto& t) {
        t.as_published = PublishedTopics::esmaeili_1;
        t.topics.refine = 1;
      },
      "no `refine`");
  refuses(
      [](auto& t) {
        t.as_published = PublishedTopics::esmaeili_1;
        t.privacy.core = 4;
      },
      "does not work with `mechanism` and `core`");
  TopicsTask task = topics_task();
  task.as_published = PublishedTopics::agn;
  EXPECT_ERROR(run(public_documents(), task), "`as-published`: needs `epsilon`");
}

class TopicFiles : public testing::Test {
 protected:
  void put_documents(const std::string& name, const Corpus& corpus) {
    std::string text =
        fmt::format("{}\n{}\n{}\n", corpus.documents(), corpus.vocabulary_size, corpus.entries());
    for (Index n = 0; n < corpus.documents(); ++n) {
      for (std::size_t e = 0; e < corpus.words_of(n).size(); ++e) {
        text += fmt::format("{} {} {}\n", n + 1, corpus.words_of(n)[e] + 1, corpus.counts_of(n)[e]);
      }
    }
    put(folder_ / name, text);
  }

  TemporaryFolder folder_;
};

TEST_F(TopicFiles, other_files_judge_the_topics_and_are_named_as_public) {
  put_documents("docword.txt", made_documents(DocumentModel::lda, 200));
  write_npy(folder_ / "truth.npy", three_topics());
  TopicsTask task = private_topics_task();
  task.heldout = task.reference = task.infer = folder_ / "docword.txt";
  task.truth = folder_ / "truth.npy";
  const TopicsResult result = run(sensitive_documents(), task);
  EXPECT_EQ(result.evaluation.truth->total_variation, distance_to_truth(result));
  EXPECT_LT(result.evaluation.perplexity->model, 0.8 * result.evaluation.perplexity->unigram);
  EXPECT_GT(result.evaluation.coherence->npmi.mean(), 0);
  const std::vector<std::string>& facts = result.released->certificate.statement.public_facts;
  EXPECT_EQ(std::count(facts.begin(), facts.end(),
                       fmt::format("the file of true topics, {}", task.truth)),
            1);
  // A certificate is read without the command line: it names no option.
  for (const std::string& fact : facts) EXPECT_EQ(fact.find('`'), std::string::npos) << fact;
  EXPECT_NE(result.exposes.find(task.infer), std::string::npos);

  const std::string out = folder_ / "out";
  OutputFolder folder(out);
  save(result, folder);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"topics.npy", "weights.npy", "inferred.npy"}));
  folder.write_text("result.json", "{}");
  folder.commit();
  EXPECT_EQ(read_npy(out + "/inferred.npy").dims(), (std::vector<Index>{200, 3}));

  put_documents("wide.txt", [] {
    Corpus corpus = made_documents(DocumentModel::lda, 5);
    ++corpus.vocabulary_size;
    return corpus;
  }());
  task.heldout = folder_ / "wide.txt";
  EXPECT_ERROR(run(sensitive_documents(), task), "wide.txt: is over 13 words, not over 12");
  task.heldout.clear();
  task.topics.topics = 2;
  EXPECT_ERROR(run(sensitive_documents(), task), "`truth`: ");
}

TEST_F(TopicFiles, public_documents_leave_with_their_proportions) {
  TopicsTask task = topics_task(DocumentModel::single);
  put_documents("docword.txt", made_documents(DocumentModel::single));
  const TopicsResult result = run(documents_input(folder_ / "docword.txt", task.file, false), task);
  const RowMatrix shares = infer(result, made_documents(DocumentModel::lda));
  EXPECT_NEAR(shares.rowwise().sum().minCoeff(), 1, 1e-9);
  EXPECT_GT(shares.rowwise().maxCoeff().mean(), 0.99);
  OutputFolder folder(folder_ / "out");
  save(result, folder);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"proportions.npy", "topics.npy", "weights.npy"}));
}

TEST_F(TopicFiles, the_format_of_a_protected_file_is_in_the_certificate) {
  put_documents("docword.txt", made_documents(DocumentModel::lda, 500));
  const TopicsTask task = private_topics_task();
  const TopicsResult result = run(documents_input(folder_ / "docword.txt", task.file, true), task);
  const std::vector<std::string>& facts = result.released->certificate.statement.public_facts;
  EXPECT_EQ(facts.back(), "the format of the file: uci");
}

}  // namespace
}  // namespace sotto
