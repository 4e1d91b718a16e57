// sotto generate corpus: documents from a known topic model.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/write_corpus.h"
#include "sotto/report/write_result.h"
#include "sotto/synthetic/corpus.h"

namespace sotto::cli {
namespace {

class GenerateCorpus final : public Command {
 public:
  std::string name() const override { return "generate corpus"; }
  std::string summary() const override { return "Make documents from a known topic model"; }
  OptionTable options() override {
    return OptionTable()
        .append(
            model_.table().notice("vocabulary", vocabulary_given_).notice("topics", topics_given_))
        .text("topics-file", 0, topics_file_, "FILE",
              "use these topics (.npy, words x topics), say those of a real corpus")
        .text("vocab", 0, vocab_, "FILE", "names of the words, one a line (none given: w1, w2, ..)")
        .flag("gzip", gzip_, "write docword.txt.gz")
        .append(common_.table());
  }
  std::string example() const override {
    return "sotto generate corpus -n 20000 -V 300 -k 4 --out corpus";
  }

  ExitCode run() override {
    SOTTO_REQUIRE_AT(!common_.out.empty(), "--out", "say where to write the documents: --out DIR");
    common_.apply();
    OutputFolder folder(common_.out, common_.others());
    const auto start = std::chrono::steady_clock::now();
    const CorpusGenerator generator = make_generator();
    folder.write_npy("topics.npy", generator.topics());
    folder.write_npy("weights.npy", generator.weights());
    if (model_.model == DocumentModel::lda) folder.write_npy("alpha.npy", generator.alpha());
    write_vocabulary(folder.stage("vocab.txt"), words());
    const std::string file = gzip_ ? "docword.txt.gz" : "docword.txt";
    const Size size = write_documents(generator, folder.stage(file));
    ResultDocument result = start_document("A made-up corpus");
    result.weights(generator.weights(), "topic")
        .value("documents", model_.documents)
        .value("vocabulary", model_.vocabulary)
        .value("entries", size.entries)
        .value("tokens", size.tokens);
    result.seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    write_result(folder, result);
    if (common_.json) {
      fmt::print("{}", result_text(result));
    } else {
      fmt::print("{}/{}: {} documents, {} words, {} entries; truth in topics.npy\n", common_.out,
                 file, model_.documents, model_.vocabulary, size.entries);
    }
    return exit_done;
  }

 private:
  struct Size {
    std::int64_t entries = 0, tokens = 0;
  };

  // Topics of a file decide how many words and topics there are.
  CorpusGenerator make_generator() {
    if (topics_file_.empty()) return CorpusGenerator(model_);
    const DenseTensor file = read_npy(topics_file_);
    SOTTO_REQUIRE_AT(file.order() == 2, topics_file_, "expected two dimensions, words x topics");
    take_shape(model_.vocabulary, file.dims()[0], vocabulary_given_, "--vocabulary");
    take_shape(model_.topics, file.dims()[1], topics_given_, "--topics");
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const RowMajor> topics(file.values().data(), file.dims()[0], file.dims()[1]);
    try {
      return CorpusGenerator(model_, topics);
    } catch (const Error& error) {
      if (!error.place().empty()) throw;
      throw Error(error.message(), topics_file_);
    }
  }

  void take_shape(std::int64_t& size, Index of_file, bool given, const char* option) const {
    SOTTO_REQUIRE_AT(!given || size == of_file, option, "{} has {}, not {}", topics_file_, of_file,
                     size);
    size = of_file;
  }

  std::vector<std::string> words() const {
    if (vocab_.empty()) return synthetic_vocabulary(model_.vocabulary);
    auto names = read_vocabulary(vocab_);
    SOTTO_REQUIRE_AT(std::ssize(names) == model_.vocabulary, "--vocab", "{} has {} words, not {}",
                     vocab_, names.size(), model_.vocabulary);
    return names;
  }

  Size write_documents(const CorpusGenerator& generator, const std::string& path) const {
    // Some tens of megabytes at a time.
    const Index block = std::clamp<Index>((Index{1} << 23) / model_.length, 1, 1 << 16);
    DocwordWriter writer(path, model_.documents, model_.vocabulary, gzip_);
    Size size;
    for (Index at = 0; at < model_.documents; at += block) {
      const Corpus corpus = generator.make(at, std::min(block, model_.documents - at));
      for (const std::int32_t count : corpus.count) size.tokens += count;
      writer.write(corpus);
    }
    writer.commit();
    size.entries = writer.entries();
    return size;
  }

  CorpusModel model_;
  bool vocabulary_given_ = false, topics_given_ = false;
  std::string topics_file_, vocab_;
  bool gzip_ = false;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_generate_corpus() { return std::make_unique<GenerateCorpus>(); }

}  // namespace sotto::cli
