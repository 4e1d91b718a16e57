// sotto topics: the topics of a corpus.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/not_private.h"
#include "cli/print_found.h"
#include "cli/print_plan.h"
#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/read_corpus.h"
#include "sotto/report/describe.h"
#include "sotto/report/write_result.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/document_files.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/topics.h"

namespace sotto::cli {
namespace {

class Topics final : public Command {
 public:
  std::string name() const override { return "topics"; }
  std::string summary() const override { return "Find the topics of a corpus"; }
  std::vector<Positional> positionals() override {
    return {{"CORPUS",
             "documents: UCI docword, LDA-C, MatrixMarket, SVMlight, or text, one a line; plain or "
             "gzip (- for stdin); several files are read one after the other",
             nullptr, false, &paths_}};
  }
  OptionTable options() override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return OptionTable()
        .append(task_.table())
        .flag("plan", plan_, "say what a private run would do; the documents are not read")
        .integer("documents", 'n', documents_, {1, kMost},
                 "for `plan`: how many documents there are")
        .integer("words", 0, words_, {1, kMost},
                 "for `plan`: how many words the vocabulary has, when `vocab` is not given")
        .real("length", 0, task_.length, {1, 1e9}, "for `plan`: a guess at the words of a document")
        .choice("shared", task_.shared, "for `plan`: a guess at how many words the topics share")
        .append(common_.table());
  }
  std::vector<std::string> usual_options() const override {
    return {"topics", "epsilon",     "delta",  "plan",       "documents", "words",
            "vocab",  "text-column", "format", "stop-words", "min-df",    "heldout",
            "top",    "seed",        "out",    "json"};
  }
  std::string example() const override {
    return "sotto topics titles.txt -k 8 --epsilon 1 --delta 1e-6 --out found";
  }

  TargetOptions* privacy() override { return &task_.privacy; }
  ExitCode run() override {
    common_.apply(ranks);
    const bool is_private = task_.privacy.asked();
    for (const std::string& path : paths_) {
      if (is_private) require_public(task_.companions(), path);
    }
    task_.check();
    SOTTO_REQUIRE_AT(plan_ || (!documents_ && !words_), documents_ ? "`documents`" : "`words`",
                     "only works with `plan`");
    if (plan_) return print_plan(plan(task_, shape()), task_.privacy, kUnit, common_.json);
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, inputs(), task_.privacy);
    SOTTO_REQUIRE_AT(task_.infer.empty() || folder, "`infer`", "needs `out` to write to");
    if (!is_private) say_not_private("the documents are treated as public", common_.json);
    task_.privacy.reserve(name(), kUnit, paths_, paths_of(task_.companions()));
    const Stopwatch reading;
    const TopicsResult result = ranks != nullptr ? run_on_ranks(reading) : run_alone(reading);
    write(result, folder);
    task_.privacy.commit();
    if (!common_.json) print_found(result);
    if (!common_.json && ranks != nullptr && sizes_are_public()) {
      fmt::print("{}\n", ranks->traffic());
    }
    return exit_done;
  }

  bool runs_on_ranks() const override { return true; }
  AnswerQuestion answers() override {
    common_.apply(ranks);
    return document_file_answers(paths_, task_.reading(), task_.privacy.asked());
  }

 private:
  TopicsResult run_alone(const Stopwatch& reading) {
    Input<Corpus> documents = while_reading(
        [&] { return documents_input(paths_, task_.reading(), task_.privacy.asked()); });
    seconds_reading_ = reading.seconds();
    return with_progress([&](const ProgressCallback& progress) {
      return sotto::run(std::move(documents), task_, progress);
    });
  }

  TopicsResult run_on_ranks(const Stopwatch& reading) {
    Input<Documents> documents =
        sharded_documents(paths_, task_.reading(), task_.privacy.asked(), *ranks);
    seconds_reading_ = reading.seconds();
    return with_progress([&](const ProgressCallback& progress) {
      return sotto::run(std::move(documents), task_, progress);
    });
  }

  // The size of the parts in which words are counted is the number of different words, which is not
  // released.
  bool sizes_are_public() const { return !task_.privacy.asked() || !task_.reading().vocab.empty(); }

  PublicCorpusShape shape() const {
    SOTTO_REQUIRE_AT(documents_, "`plan`", "needs `documents`: the corpus is not read");
    const std::string vocab = task_.reading().vocab;
    if (vocab.empty()) return {*documents_, words_.value_or(0)};
    return {*documents_, std::ssize(read_vocabulary(vocab))};
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> paths = paths_;
    for (const auto& companion : task_.companions()) paths.push_back(companion.path);
    return paths;
  }

  void write(const TopicsResult& result, std::optional<OutputFolder>& folder) {
    std::vector<std::string> unused = task_.unused_options();
    unused.insert(unused.end(), {"plan", "documents", "words", "length", "shared"});
    ResultDocument document = start_document("Topics of a corpus", unused);
    describe(result, document);
    if (result.open) document.seconds("reading", seconds_reading_);
    if (folder) {
      save(result, *folder);
      write_result(*folder, document);
    }
    if (common_.json) fmt::print("{}", result_text(document));
  }

  static constexpr const char* kUnit = "document";
  std::vector<std::string> paths_;
  TopicsTask task_;
  double seconds_reading_ = 0;
  bool plan_ = false;
  std::optional<std::int64_t> documents_, words_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_topics() { return std::make_unique<Topics>(); }

}  // namespace sotto::cli
