// sotto stream: the components of the third moment of points that pass by once.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/base/version.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_points.h"
#include "sotto/io/replay_oracle.h"
#include "sotto/models/stream_decomposition.h"
#include "sotto/moments/stream_oracle.h"
#include "sotto/release/private_stream.h"
#include "sotto/release/record_options.h"
#include "sotto/report/result.h"

namespace sotto::cli {
namespace {

class Stream final : public Command {
 public:
  std::string name() const override { return "stream"; }
  std::string summary() const override {
    return "Find the components of the moment of points, in memory that does not grow with them";
  }
  std::vector<Positional> positionals() override {
    return {{"POINTS",
             "one record a row: .npy, CSV, raw numbers, UCI, LDA-C, SVMlight; - for stdin",
             &path_}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(stream_.table())
        .append(file_.table())
        .append(privacy_.table())
        .text("checkpoint", 0, checkpoint_path_, "FILE",
              "write each answer to FILE; run again after an interruption, the run goes on from "
              "there. Removed when the result is written")
        .append(common_.table());
  }

  ExitCode run() override {
    privacy_.check();
    common_.apply();
    std::optional<OutputFolder> folder;
    if (!common_.out.empty()) folder.emplace(common_.out);
    Sensitive<std::unique_ptr<PointSource>> data = open();
    return privacy_.asked() ? run_private(std::move(data), folder)
                            : run_public(std::move(data), folder);
  }

 private:
  // A path that is no file is the user's to know about; what stands in the file is not shown.
  Sensitive<std::unique_ptr<PointSource>> open() const {
    try {
      return Sensitive<std::unique_ptr<PointSource>>(open_points(path_, file_));
    } catch (const Error& error) {
      const bool readable = path_ == "-" || std::filesystem::is_regular_file(path_);
      if (!privacy_.asked() || !readable) throw;
      refuse_records(error, path_);
    }
  }

  ExitCode run_public(Sensitive<std::unique_ptr<PointSource>> data,
                      std::optional<OutputFolder>& folder) {
    auto source = std::move(data).open(
        PublicDeclaration("no privacy was asked for: the points are treated as public"));
    check_components(source->dim());
    const StreamPlan plan = plan_stream(*source, stream_.answers(), stream_.batch, stream_.passes);
    Json input;
    input["dim"] = source->dim();
    if (source->records()) input["records"] = *source->records();
    std::optional<CheckpointFile> checkpoint;
    if (!checkpoint_path_.empty()) checkpoint.emplace(checkpoint_path_, describe(plan, input));

    const auto start = std::chrono::steady_clock::now();
    const Decomposition found = decompose(std::move(source), plan, checkpoint);
    const double seconds = seconds_since(start);
    SOTTO_REQUIRE(
        found.status != Status::stopped, "stopped; {}",
        checkpoint ? "the checkpoint is kept, run again to go on" : "nothing was written");
    Json result = make_result(name(), options(), input);
    fill(result, found, {plan.points(), plan.batch, plan.answers}, seconds);
    result["diagnostics"]["answers_from_checkpoint"] = resumed_;
    write(folder, result, found);
    if (!common_.json) {
      print_table(found, {plan.points(), plan.batch, plan.answers}, seconds);
      fmt::print("not private: the points were treated as public\n");
    }
    if (checkpoint) checkpoint->remove();
    return exit_done;
  }

  ExitCode run_private(Sensitive<std::unique_ptr<PointSource>> data,
                       std::optional<OutputFolder>& folder) {
    SOTTO_REQUIRE_AT(stream_.passes == 1, "--passes",
                     "a private run reads every record once, {} passes are refused",
                     stream_.passes);
    SOTTO_REQUIRE_AT(checkpoint_path_.empty(), "--checkpoint", "does not go with --epsilon");
    const StreamQuestions questions{static_cast<int>(stream_.order), stream_.columns(),
                                    stream_.answers(), stream_.batch};
    const PrivateStreamPlan plan =
        plan_private_stream(data, privacy_.target(), privacy_.max_norm.value(), questions);
    check_components(plan.dim);
    Ledger ledger(record_statement(plan));
    PrivateStreamOracle oracle(std::move(data).transform([](std::unique_ptr<PointSource> source) {
      return OnePassRecords(std::move(source));
    }),
                               plan, privacy_.key(), ledger);
    InteractiveProgress progress;
    const auto start = std::chrono::steady_clock::now();
    const Decomposition found = decompose_stream(oracle, stream_, progress.callback());
    const double seconds = seconds_since(start);
    SOTTO_REQUIRE(found.status != Status::stopped, "stopped; nothing was written");
    const Certificate certificate = ledger.certify();

    Json result = make_result(name(), options(), Json{{"dim", plan.dim}});
    result["privacy"] = Json(certificate.to_json());
    fill(result, found, {plan.records(), plan.batch, plan.answers}, seconds);
    write(folder, result, found);
    if (!common_.json) {
      print_table(found, {plan.records(), plan.batch, plan.answers}, seconds);
      fmt::print("{}\n", certificate.to_text());
    }
    return exit_done;
  }

  // How much was read for what.
  struct Reading {
    Index points, batch, answers;
  };

  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void check_components(Index dim) const {
    SOTTO_REQUIRE_AT(stream_.components <= dim, "--components",
                     "cannot exceed the dimension {} of the points, got {}", dim,
                     stream_.components);
  }

  void write(std::optional<OutputFolder>& folder, const Json& result, const Decomposition& found) {
    if (folder) {
      folder->write_npy("vectors.npy", found.vectors());
      folder->write_text("result.json", to_text(result));
      folder->commit();
    }
    if (common_.json) fmt::print("{}", to_text(result));
  }

  // What must be the same for a checkpoint to fit: everything that decides the answers.
  std::string describe(const StreamPlan& plan, const Json& input) {
    std::string text = fmt::format("sotto {}\n", SOTTO_VERSION);
    const OptionTable table = stream_.table();
    for (const Option& option : table.options()) {
      if (option.name != "batch") text += fmt::format("{} {}\n", option.name, option.get().dump());
    }
    text += fmt::format("batch {}\n", plan.batch);
    for (const auto& [key, value] : input.items())
      text += fmt::format("{} {}\n", key, value.dump());
    return text;
  }

  Decomposition decompose(std::unique_ptr<PointSource> source, const StreamPlan& plan,
                          std::optional<CheckpointFile>& checkpoint) {
    InteractiveProgress progress;
    StreamOracle oracle(std::move(source), plan, static_cast<int>(stream_.order));
    if (!checkpoint) return decompose_stream(oracle, stream_, progress.callback());
    ReplayOracle replay(oracle, *checkpoint);
    resumed_ = replay.stored();
    return decompose_stream(replay, stream_, progress.callback());
  }

  void fill(Json& result, const Decomposition& found, const Reading& reading,
            double seconds) const {
    result["weights"] = std::vector<double>(found.weights.begin(), found.weights.end());
    if (!common_.out.empty()) result["files"] = {"vectors.npy"};
    Json& diagnostics = result["diagnostics"];
    diagnostics["status"] = status_text(found.status);
    diagnostics["agreement"] = std::vector<double>(found.agreement.begin(), found.agreement.end());
    diagnostics["iterations"] = found.iterations;
    diagnostics["points_read"] = reading.points;
    diagnostics["batch"] = reading.batch;
    diagnostics["answers"] = reading.answers;
    Json& history = diagnostics["history"];
    for (const HistoryPoint& h : found.history) {
      history["component"].push_back(h.component);
      history["iteration"].push_back(h.iteration);
      history["change"].push_back(h.change);
    }
    result["seconds"] = seconds;  // with reading: the two go on at the same time
  }

  static void print_table(const Decomposition& found, const Reading& reading, double seconds) {
    fmt::print("{:>5}  {:>14}  {:>10}\n", "", "weight", "agreement");
    for (Index j = 0; j < found.weights.size(); ++j) {
      fmt::print("{:>5}  {:>14.8g}  {:>9.0f}%\n", j + 1, found.weights[j],
                 100 * found.agreement[j]);
    }
    fmt::print("{} points in {:.3g} s, {} for each of {} answers\n", reading.points, seconds,
               reading.batch, reading.answers);
  }

  std::string path_;
  std::string checkpoint_path_;
  Index resumed_ = 0;
  StreamOptions stream_;
  PointFileOptions file_;
  RecordPrivacyOptions privacy_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_stream() { return std::make_unique<Stream>(); }

}  // namespace sotto::cli
