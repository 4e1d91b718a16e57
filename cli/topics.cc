// sotto topics: the topics of a corpus.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/private_run.h"
#include "cli/write_result.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_corpus.h"
#include "sotto/models/private_topics.h"
#include "sotto/models/published_topics.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/models/topic_model.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/private_vocabulary.h"
#include "sotto/report/result.h"

namespace sotto::cli {
namespace {

class Topics final : public Command {
 public:
  std::string name() const override { return "topics"; }
  std::string summary() const override { return "Find the topics of a corpus"; }
  std::vector<Positional> positionals() override {
    return {{"CORPUS",
             "documents: UCI docword, LDA-C, MatrixMarket, SVMlight, or text, one a line; plain or "
             "gzip; - for stdin",
             &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(topics_.table())
        .notice("refine", given_.refine)
        .notice("clip", given_.clip)
        .notice("form", given_.form)
        .append(file_.table())
        .append(privacy_.table())
        .append(published_.table())
        .integer("top", 0, top_, {1, 1000}, "words of each topic to print, and to judge it by")
        .text("heldout", 0, heldout_path_, "FILE",
              "public documents to predict: perplexity by document completion")
        .text("reference", 0, reference_path_, "FILE",
              "public documents for the coherence of the topics; without it the corpus itself")
        .text("infer", 0, infer_path_, "FILE",
              "documents whose topic proportions to write (inferred.npy)")
        .flag("plan", plan_, "say what a private run would do; the documents are not read")
        .integer("documents", 'n', documents_, {1, std::numeric_limits<std::int32_t>::max()},
                 "for --plan: how many documents there are")
        .integer("words", 0, words_, {1, std::numeric_limits<std::int32_t>::max()},
                 "for --plan: how many words the vocabulary has, when --vocab is not given")
        .real("length", 0, length_, {1, 1e9}, "for --plan: a guess at the words of a document")
        .text("truth", 0, truth_path_, "FILE", "true topics (.npy, V x k) to compare with")
        .append(common_.table());
  }

  ExitCode run() override {
    common_.apply();
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, inputs());
    privacy_.check();
    SOTTO_REQUIRE_AT(infer_path_.empty() || folder, "--infer", "needs --out to write to");
    SOTTO_REQUIRE_AT(plan_ || (!documents_ && !words_), documents_ ? "--documents" : "--words",
                     "goes with --plan");
    if (plan_) return print_plan();
    SOTTO_REQUIRE_AT(!published_.on() || privacy_.asked(), "--as-published", "goes with --epsilon");
    if (published_.on()) return run_published(folder);
    return privacy_.asked() ? run_private(folder) : run_public(folder);
  }

 private:
  // Which options the user gave: a private run has other defaults, and refuses some.
  struct Given {
    bool refine = false, clip = false, form = false;
  };

  ExitCode run_public(std::optional<OutputFolder>& folder) {
    check_companions();
    say_not_private("the documents are treated as public", common_.json);
    auto start = std::chrono::steady_clock::now();
    Sensitive<Corpus> data(read_corpus(path_, file_));
    const Corpus corpus = std::move(data).open(
        PublicDeclaration("no privacy was asked for: the documents are treated as public"));
    const double reading = seconds_since(start);

    InteractiveProgress progress;
    start = std::chrono::steady_clock::now();
    const TopicFit fit = fit_topics(corpus, topics_, progress.callback());
    const double computing = seconds_since(start);

    Json result = start_result(describe(corpus), plan_options());
    fill(result, fit.model, corpus.vocabulary);
    result["seconds"] = computing;
    Json& diagnostics = result["diagnostics"];
    diagnostics["second_spectrum"] = as_list(fit.second_spectrum);
    diagnostics["third_spectrum"] = as_list(fit.whitened.weights);
    diagnostics["seconds_reading"] = reading;
    const Vector unigram = to_vector(word_frequency(corpus));
    evaluate(result, fit.model, unigram, reference_path_.empty() ? &corpus : nullptr,
             corpus.vocabulary);
    if (folder) folder->write_npy("proportions.npy", Matrix(proportions(corpus, fit.model)));
    write(folder, result, fit.model, corpus.vocabulary);
    if (!common_.json) {
      print(result, fmt::format("{} documents in {:.3g} s", corpus.documents(), computing));
    }
    return exit_done;
  }

  ExitCode run_private(std::optional<OutputFolder>& folder) {
    check_private();
    check_companions();
    std::string format;
    Sensitive<Corpus> data = read_private(format);
    const PublicCorpusShape shape = public_shape(data);
    const PrivateTopicPlan plan = plan_private_topics(
        shape, topics_, given_.refine ? std::optional(topics_.refine) : std::nullopt, privacy_);
    InteractiveProgress progress;
    PrivacyStatement statement = document_statement(shape, privacy_.target());
    statement.public_facts.push_back(format_fact(format));
    PrivateRun run(statement, privacy_.key(), privacy_.target().budget());
    const PrivateTopicFit fit =
        fit_private_topics(std::move(data), plan, topics_, run, progress.callback());
    Certificate certificate = run.certify();
    name_companions(certificate, companions());

    const std::vector<std::string>& vocabulary = fit.vocabulary;
    const Index words = fit.model.topics.rows();
    Json result =
        start_result(Json{{"documents", shape.documents}, {"words", words}}, unused_options());
    result["options"]["refine"] = fit.steps;
    result["privacy"] = Json(certificate.to_json());
    fill(result, fit.model, vocabulary);
    Json& diagnostics = result["diagnostics"];
    diagnostics["mechanism"] = plan.mechanism;
    diagnostics["core_words"] = fit.core;
    diagnostics["expectation_steps"] = fit.steps;
    evaluate(result, fit.model, fit.frequencies, nullptr, vocabulary);
    write(folder, result, fit.model, vocabulary);
    if (!common_.json) print(result, certificate.to_text() + exposed_text("\n"));
    return exit_done;
  }

  ExitCode run_published(std::optional<OutputFolder>& folder) {
    check_private();
    check_companions();
    SOTTO_REQUIRE_AT(privacy_.mechanism == "auto" && !privacy_.core, "--as-published",
                     "does not go with --mechanism and --core");
    SOTTO_REQUIRE_AT(!given_.refine, "--as-published", "has no expectation steps: no --refine");
    std::string format;
    Sensitive<Corpus> data = read_private(format);
    const PublicCorpusShape shape = public_shape(data);
    privacy_.require_small_delta({shape.documents, "documents"});
    PublishedTopicFit fit = fit_published_topics(data, topics_, published_.as_published,
                                                 privacy_.target(), privacy_.key(), path_);
    fit.certificate.statement.public_facts.push_back(format_fact(format));
    name_companions(fit.certificate, companions());
    const std::vector<std::string> vocabulary = public_words(data);
    std::vector<std::string> unused = unused_options();
    unused.insert(unused.end(), {"refine", "smoothing", "mechanism", "core"});
    Json result =
        start_result(Json{{"documents", shape.documents}, {"words", shape.words}}, unused);
    result["privacy"] = Json(fit.certificate.to_json());
    fill(result, fit.model, vocabulary);
    std::string last = fit.certificate.to_text() + exposed_text("\n");
    for (const PublishedCondition& condition : fit.conditions) {
      result["diagnostics"]["conditions"].push_back(Json{{"what", condition.what},
                                                         {"value", condition.value},
                                                         {"limit", condition.limit},
                                                         {"met", condition.met()}});
      last += fmt::format("\n{}: {:.3g} against {:.3g}, {}", condition.what, condition.value,
                          condition.limit, condition.met() ? "met" : "not met");
    }
    evaluate(result, fit.model, fit.model.topics * fit.model.alpha, nullptr, vocabulary);
    write(folder, result, fit.model, vocabulary);
    if (!common_.json) print(result, last);
    return exit_done;
  }

  ExitCode print_plan() const {
    SOTTO_REQUIRE_AT(privacy_.asked(), "--plan", "needs --epsilon and --delta");
    SOTTO_REQUIRE_AT(documents_, "--plan", "needs --documents: the corpus is not read");
    Index words = words_.value_or(0);
    if (!file_.vocab.empty()) words = std::ssize(read_vocabulary(file_.vocab));
    const PublicCorpusShape shape{*documents_, words};
    const PrivateTopicPlan plan = plan_private_topics(
        shape, topics_, given_.refine ? std::optional(topics_.refine) : std::nullopt, privacy_);
    const TopicForecast expected = forecast_topics(plan, topics_.concentration(), length_);
    const double enough = expected_topic_epsilon(shape, topics_, privacy_, length_);
    Json json{{"mechanism", plan.mechanism},
              {"mu", plan.mu},
              {"shares", Json{{"vocabulary", plan.shares.vocabulary},
                              {"first", plan.shares.first},
                              {"second", plan.shares.second},
                              {"third", plan.shares.third},
                              {"expectation_steps", plan.shares.steps}}},
              {"expectation_steps", plan.steps},
              {"first_noise", expected.first_noise},
              {"second_noise", expected.second_noise},
              {"core_words", expected.core}};
    if (std::isfinite(enough)) json["epsilon"] = enough;
    if (words == 0) json["documents_for_a_word"] = expected.threshold;
    if (common_.json) {
      fmt::print("{}", to_text(json));
      return exit_done;
    }
    fmt::print("{}: shares of the budget:", plan.mechanism);
    for (const auto& [name, share] : json["shares"].items()) {
      if (share.get<double>() > 0) fmt::print(" {} {:.2g}", name, share.get<double>());
    }
    fmt::print("\nfor documents of {:g} different words:\n", length_);
    fmt::print("  noise in a word's frequency {:.2g}, in a pair's {:.2g}\n", expected.first_noise,
               expected.second_noise);
    if (words == 0) {
      fmt::print("  a word is released when it is in about {:.0f} documents or more\n",
                 expected.threshold);
    }
    fmt::print("  about {:.0f} words are expected to stand out in the pair moment\n",
               std::min(expected.core, words > 0 ? double(words) : expected.core));
    if (std::isfinite(enough)) {
      fmt::print("  {} topics are expected from epsilon {:.2g} on\n", topics_.topics, enough);
    } else {
      fmt::print("  {} topics are not expected at any epsilon up to 100\n", topics_.topics);
    }
    return exit_done;
  }

  void check_private() const {
    SOTTO_REQUIRE_AT(file_.min_df == 1, "--min-df",
                     "looks at all documents and does not go with --epsilon; give --vocab");
    SOTTO_REQUIRE_AT(!given_.clip, "--clip",
                     "does not go with --epsilon: a private run scales every document to norm one");
    SOTTO_REQUIRE_AT(!given_.form, "--form",
                     "does not go with --epsilon: products of released means are plug-in");
    require_public(companions(), path_);
  }

  Companions companions() const {
    Companions files{{"--vocab", file_.vocab},
                     {"--heldout", heldout_path_},
                     {"--reference", reference_path_},
                     {"--infer", infer_path_},
                     {"--truth", truth_path_}};
    const bool named = file_.stop_words == "none" || file_.stop_words == "english";
    if (!named) files.push_back({"--stop-words", file_.stop_words});
    return files;
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> paths{path_};
    for (const Companion& companion : companions()) paths.push_back(companion.path);
    return paths;
  }

  // What only --plan looks at.
  static std::vector<std::string> plan_options() {
    return {"plan", "documents", "words", "length"};
  }

  // And what a private run does not look at either.
  static std::vector<std::string> unused_options() {
    std::vector<std::string> unused = plan_options();
    unused.insert(unused.end(), {"clip", "form", "min-df"});
    return unused;
  }

  // The certificate covers the documents of the corpus, not those that --infer shows.
  std::string exposed_text(const std::string& before) const {
    if (infer_path_.empty()) return "";
    return before + fmt::format(
                        "inferred.npy applies the released topics to the documents of {}: it costs "
                        "the protected documents nothing, and shows those of that file to whoever "
                        "reads it.",
                        infer_path_);
  }

  // What has been released cannot be taken back: files that are needed later must be there.
  void check_companions() const {
    for (const auto& [path, option] :
         {std::pair(heldout_path_, "--heldout"), std::pair(reference_path_, "--reference"),
          std::pair(infer_path_, "--infer"), std::pair(truth_path_, "--truth")}) {
      SOTTO_REQUIRE_AT(path.empty() || std::filesystem::is_regular_file(path), option,
                       "there is no file {}", path);
    }
  }

  // What a reader says about the documents quotes them; a private run does not pass it on. What is
  // wrong with the vocabulary, a public file, is said.
  Sensitive<Corpus> read_private(std::string& format) const {
    CorpusFileOptions file = file_;
    file.records_are_private = true;
    try {
      return Sensitive<Corpus>(read_corpus(path_, file, &format));
    } catch (const Error& error) {
      const bool of_words = !file.vocab.empty() && error.place().starts_with(file.vocab + ":");
      if (of_words) throw;
      refuse_records(error, path_ == "-" ? "standard input" : path_);
    }
  }

  bool single() const { return topics_.model == "single"; }

  RowMatrix proportions(const Corpus& corpus, const TopicModel& model) const {
    return single() ? single_topic_proportions(corpus, model) : infer_proportions(corpus, model);
  }

  static Vector to_vector(const std::vector<std::int64_t>& counts) {
    Vector v(static_cast<Index>(counts.size()));
    for (Index i = 0; i < v.size(); ++i) v[i] = static_cast<double>(counts[i]);
    return v;
  }

  static Json describe(const Corpus& corpus) {
    std::int64_t tokens = 0, too_short = 0;
    for (Index n = 0; n < corpus.documents(); ++n) {
      const std::int64_t length = corpus.length(n);
      tokens += length;
      too_short += length < 3;
    }
    return Json{{"documents", corpus.documents()},
                {"words", corpus.vocabulary_size},
                {"entries", corpus.entries()},
                {"tokens", tokens},
                {"documents_left_out", too_short}};
  }

  void evaluate(Json& result, const TopicModel& model, const Vector& unigram,
                const Corpus* reference, const std::vector<std::string>& vocabulary) const {
    const auto tops = top_words(model.topics, top_);
    const Index words = model.topics.rows();
    Json evaluation;
    evaluation["diversity"] = diversity(tops);
    std::optional<Corpus> read;
    if (!reference_path_.empty()) {
      read = read_corpus_over(vocabulary, words, reference_path_, file_);
      reference = &*read;
    }
    if (reference != nullptr) {
      const Coherence found = coherence(*reference, tops);
      evaluation["npmi"] = found.npmi.mean();
      evaluation["umass"] = found.umass.mean();
      evaluation["npmi_by_topic"] = as_list(found.npmi);
      evaluation["umass_by_topic"] = as_list(found.umass);
    }
    if (!heldout_path_.empty()) {
      const Corpus heldout = read_corpus_over(vocabulary, words, heldout_path_, file_);
      const Perplexity perplexity = completion_perplexity(heldout, model, unigram, single());
      evaluation["perplexity"] = perplexity.model;
      evaluation["unigram_perplexity"] = perplexity.unigram;
      evaluation["heldout_tokens"] = perplexity.tokens;
    }
    if (!truth_path_.empty()) {
      const Matrix truth = read_truth(words, model.topics.cols());
      evaluation["total_variation"] = mean_total_variation(truth, model.topics);
      evaluation["component_error"] = component_error(truth, model.topics);
    }
    result["evaluation"] = evaluation;
  }

  Matrix read_truth(Index words, Index k) const {
    const DenseTensor tensor = read_npy(truth_path_);
    SOTTO_REQUIRE_AT(tensor.order() == 2 && tensor.dims()[0] == words && tensor.dims()[1] == k,
                     "--truth", "{} must be {} x {}", truth_path_, words, k);
    return Eigen::Map<const RowMatrix>(tensor.values().data(), words, k);
  }

  void fill(Json& result, const TopicModel& model,
            const std::vector<std::string>& vocabulary) const {
    result["weights"] = as_list(model.alpha);
    Json& topics = result["topics"];
    const auto tops = top_words(model.topics, top_);
    for (std::size_t t = 0; t < tops.size(); ++t) {
      Json words = Json::array();
      for (const Index w : tops[t]) {
        words.push_back(Json{{"word", vocabulary.empty() ? fmt::format("#{}", w) : vocabulary[w]},
                             {"probability", model.topics(w, Index(t))}});
      }
      topics.push_back(Json{{"weight", model.alpha[Index(t)]}, {"words", words}});
    }
    result["diagnostics"] = Json::object();
    if (privacy_.asked() && !infer_path_.empty()) result["exposes"] = exposed_text("");
  }

  void write(std::optional<OutputFolder>& folder, Json& result, const TopicModel& model,
             const std::vector<std::string>& vocabulary) {
    if (folder) {
      folder->write_npy("topics.npy", model.topics);
      folder->write_npy("weights.npy", model.alpha);
      if (!vocabulary.empty()) {
        folder->write_text("vocab.txt", fmt::format("{}\n", fmt::join(vocabulary, "\n")));
      }
      if (!infer_path_.empty()) {
        const Corpus other = read_corpus_over(vocabulary, model.topics.rows(), infer_path_, file_);
        folder->write_npy("inferred.npy", Matrix(proportions(other, model)));
      }
      write_result(*folder, result);
    }
    if (common_.json) fmt::print("{}", to_text(result));
  }

  static void print(const Json& result, const std::string& last) {
    for (const Json& topic : result["topics"]) {
      std::string line;
      for (const Json& word : topic["words"]) {
        line += fmt::format(" {} {:.3f}", word["word"].get<std::string>(),
                            word["probability"].get<double>());
      }
      fmt::print("{:>7.4f} {}\n", topic["weight"].get<double>(), line);
    }
    const Json& evaluation = result["evaluation"];
    if (evaluation.contains("npmi")) {
      fmt::print("coherence of the top words: NPMI {:.4f}, UMass {:.3f}; diversity {:.2f}\n",
                 evaluation["npmi"].get<double>(), evaluation["umass"].get<double>(),
                 evaluation["diversity"].get<double>());
    }
    if (evaluation.contains("perplexity")) {
      fmt::print(
          "perplexity of the hidden half of each held-out document, given the other half: {:.1f} "
          "(words by their frequency alone: {:.1f})\n",
          evaluation["perplexity"].get<double>(), evaluation["unigram_perplexity"].get<double>());
    }
    if (evaluation.contains("total_variation")) {
      fmt::print("distance to the true topics: total variation {:.4f}, e_comp {:.4f}\n",
                 evaluation["total_variation"].get<double>(),
                 evaluation["component_error"].get<double>());
    }
    fmt::print("{}\n", last);
  }

  std::string path_, heldout_path_, reference_path_, infer_path_, truth_path_;
  std::int64_t top_ = 10;
  bool plan_ = false;
  std::optional<std::int64_t> documents_, words_;
  double length_ = 50;
  Given given_;
  TopicOptions topics_;
  CorpusFileOptions file_;
  DocumentPrivacyOptions privacy_;
  PublishedTopicOptions published_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_topics() { return std::make_unique<Topics>(); }

}  // namespace sotto::cli
