// sotto reproduce: the experiments of the papers.
#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/io/output_folder.h"
#include "sotto/study/publish.h"
#include "sotto/study/runner.h"
#include "sotto/study/studies.h"

namespace sotto::cli {
namespace {

namespace fs = std::filesystem;

// DIR/NAME/summary.json of every experiment that has one.
std::vector<Json> read_summaries(const std::string& directory) {
  std::vector<Json> summaries;
  for (const Study& study : all_studies()) {
    const std::string path = (fs::path(directory) / study.name / "summary.json").string();
    std::error_code failed;
    if (!fs::exists(path, failed)) continue;
    summaries.push_back(read_json(path));
    SOTTO_REQUIRE_AT(summaries.back().is_object(), path, "is not the summary of an experiment");
  }
  SOTTO_REQUIRE_AT(!summaries.empty(), directory, "holds no NAME/summary.json");
  return summaries;
}

std::string document_of(const std::string& directory) {
  const std::vector<Json> summaries = read_summaries(directory);
  try {
    return reproduction_document(summaries);
  } catch (const Json::exception&) {
    throw Error("holds a summary.json that is not that of an experiment", directory);
  }
}

class Reproduce final : public Command {
 public:
  std::string name() const override { return "reproduce"; }
  std::string summary() const override { return "Run the experiments of the papers again"; }
  std::vector<Positional> positionals() override {
    return {{"NAME", "an experiment, by its name in --list", &study_, true}};
  }
  OptionTable options() override {
    return OptionTable()
        .flag("list", list_, "name the experiments")
        .flag("all", all_, "run every experiment, each in a folder of its name")
        .flag("quick", settings_.quick, "smaller grids: minutes instead of an hour for all")
        .text("data", 0, settings_.data, "DIR",
              "MovieLens 100K (ua.base, ua.test, ub.base, ub.test), for wei-fig4")
        .integer("seed", 0, seed_, {0, std::numeric_limits<std::int64_t>::max()},
                 "seed of data, starts and the noise of the trials")
        .text("document", 0, document_, "DIR",
              "print the table of all findings, from the summaries in DIR")
        .text("out", 'o', out_, "DIR",
              "folder of the results and of the finished trials, which are not run again (default: "
              "reproduced/NAME)")
        .flag("json", json_, "print summary.json to standard output")
        .integer("threads", 0, threads_, {0, 4096}, "trials at a time; 0 for all processors");
  }
  std::string example() const override { return "sotto reproduce --all --quick --out reproduced"; }

  ExitCode run() override {
    if (list_) return print_list();
    if (!document_.empty()) {
      fmt::print("{}", document_of(document_));
      return exit_done;
    }
    SOTTO_REQUIRE(all_ || !study_.empty(), "name an experiment, or --all (see --list)");
    SOTTO_REQUIRE_AT(!all_ || study_.empty(), "--all",
                     "runs every experiment, so no name can be given; got '{}'", study_);
    settings_.seed = static_cast<std::uint64_t>(seed_);
    return all_ ? run_all() : run_one(find_study(study_));
  }

 private:
  static ExitCode print_list() {
    for (const Study& study : all_studies()) {
      fmt::print("{:<26}{} ({})\n", study.name, study.title, study.source);
    }
    return exit_done;
  }

  ExitCode run_one(const Study& study) {
    const std::string directory = out_.empty() ? "reproduced/" + study.name : out_;
    const auto [summary, section] = measure(study, directory, "");
    if (json_) {
      fmt::print("{}", to_text(summary));
    } else {
      print_findings(summary, directory);
    }
    return exit_done;
  }

  ExitCode run_all() {
    const std::string directory = out_.empty() ? "reproduced" : out_;
    Json summaries = Json::array();
    std::vector<PageSection> sections;
    const auto& studies = all_studies();
    for (std::size_t s = 0; s < studies.size(); ++s) {
      const std::string folder = (fs::path(directory) / studies[s].name).string();
      auto [summary, section] =
          measure(studies[s], folder, fmt::format("{} of {}: ", s + 1, studies.size()));
      if (!json_) print_findings(summary, folder);
      std::fflush(stdout);
      summaries.push_back(std::move(summary));
      sections.push_back(std::move(section));
    }
    OutputFolder folder(directory, OutputFolder::Others::keep);
    folder.write_text("report.html", render(page_of(std::move(sections))));
    folder.commit();
    if (json_) fmt::print("{}", to_text(summaries));
    return exit_done;
  }

  struct Measured {
    Json summary;
    PageSection section;
  };

  Measured measure(const Study& study, const std::string& directory, const std::string& before) {
    std::optional<InteractiveProgress> progress(std::in_place);
    const ProgressCallback shown = progress->callback();
    const std::string stage = before + study.name;
    const auto watch = [&](const ProgressReport& report) {
      if (shown({stage.c_str(), report.done, report.total})) return true;
      // Every finished trial is on disk, so there is nothing to wait for.
      progress.reset();
      fmt::print(stderr, "sotto: stopped; finished trials are kept in {}/cells.csv\n", directory);
      std::_Exit(exit_stopped);
    };
    const int threads = threads_ > 0 ? static_cast<int>(threads_) : omp_get_num_procs();
    const StudyRun run = run_study(study, settings_, directory, threads, watch);
    const StudyOutcome outcome = study.conclude(run.table);
    Json summary = summary_of(study, settings_, run.table, outcome);
    publish(directory, summary, run.table, outcome);
    PageSection section = section_of(summary, outcome);
    return {std::move(summary), std::move(section)};
  }

  static void print_findings(const Json& summary, const std::string& directory) {
    fmt::print("{}: {}\n", summary.at("study").get<std::string>(),
               summary.at("source").get<std::string>());
    for (const Json& finding : summary.at("findings")) {
      fmt::print(
          "  {}: {}\n    measured: {}\n", finding.at("same").get<bool>() ? "same" : "NOT same",
          finding.at("states").get<std::string>(), finding.at("measured").get<std::string>());
    }
    fmt::print("  {:.1f} s of one processor; report in {}/report.html\n",
               summary.at("processor_seconds").get<double>(), directory);
  }

  std::string study_;
  bool list_ = false;
  bool all_ = false;
  bool json_ = false;
  std::string document_;
  std::string out_;
  std::int64_t seed_ = 0;
  std::int64_t threads_ = 0;
  StudySettings settings_;
};

}  // namespace

std::unique_ptr<Command> make_reproduce() { return std::make_unique<Reproduce>(); }

}  // namespace sotto::cli
