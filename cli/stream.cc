// sotto stream: the components of the third moment of points that pass by once.
#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <optional>
#include <system_error>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/private_run.h"
#include "cli/write_result.h"
#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/base/version.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_points.h"
#include "sotto/io/replay_oracle.h"
#include "sotto/models/stream_decomposition.h"
#include "sotto/moments/stream_oracle.h"
#include "sotto/release/choose_stream.h"
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
        .notice("starts", given_.starts)
        .notice("iterations", given_.iterations)
        .notice("method", given_.method)
        .append(file_.table())
        .flag("shuffle", shuffle_,
              "read the records of a plain .npy or raw file in a random order, which a private run "
              "keeps secret: then the order in which they stand may depend on the data. Takes 8 "
              "bytes of memory a record; without --epsilon the order comes from --seed")
        .append(privacy_.table())
        .text("checkpoint", 0, checkpoint_path_, "FILE",
              "write each answer to FILE; run again after an interruption, the run goes on from "
              "there. Removed when the result has been written. Keep it to yourself")
        .flag(
            "plan", plan_,
            "say what a private run would do; no record is read, and with --dim and --records (or "
            "--batch) no file is opened")
        .integer("records", 0, records_, {1, std::numeric_limits<std::int64_t>::max()},
                 "number of records for --plan")
        .real("weight", 0, weight_, {0, 1, true},
              "for --plan: at which epsilon a component of this weight is recovered, as a share of "
              "max-norm^p (none given: 1/2k)")
        .append(common_.table());
  }

  ExitCode run() override {
    privacy_.check();
    common_.apply();
    SOTTO_REQUIRE_AT(plan_ || (!records_ && !weight_), records_ ? "--records" : "--weight",
                     "goes with --plan");
    if (plan_) return print_plan();
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, {path_});
    if (!privacy_.asked()) say_not_private("the points are treated as public", common_.json);
    Sensitive<std::unique_ptr<PointSource>> data = open();
    return privacy_.asked() ? run_private(std::move(data), folder)
                            : run_public(std::move(data), folder);
  }

 private:
  Sensitive<std::unique_ptr<PointSource>> open() {
    PointFileOptions file = file_;
    file.records_are_private = privacy_.asked();
    const auto opened = [&] {
      return Sensitive<std::unique_ptr<PointSource>>(open_points(path_, file, &format_));
    };
    return privacy_.asked() ? read_unquoted(path_, opened) : opened();
  }

  ExitCode run_public(Sensitive<std::unique_ptr<PointSource>> data,
                      std::optional<OutputFolder>& folder) {
    auto source = std::move(data).open(
        PublicDeclaration("no privacy was asked for: the points are treated as public"));
    check_components(source->dim());
    const StreamPlan plan = plan_stream(*source, stream_.answers(), stream_.batch, stream_.passes);
    if (shuffle_) {
      require_random_access(source->has_random_access(), source->name());
      const auto seed = OrderSeed::insecure_from_seed(static_cast<std::uint64_t>(stream_.seed));
      source->read_in_order(secret_permutation(source->records().value(), seed));
    }
    Json input;
    input["dim"] = source->dim();
    if (source->records()) input["records"] = *source->records();
    std::optional<CheckpointFile> checkpoint;
    if (!checkpoint_path_.empty())
      checkpoint.emplace(checkpoint_path_, describe(plan.batch, input));

    StreamOracle oracle(std::move(source), plan, static_cast<int>(stream_.order));
    const auto start = std::chrono::steady_clock::now();
    const Decomposition found = decompose(oracle, checkpoint);
    const double seconds = seconds_since(start);
    Json result = start_result(input, plan_options());
    const Reading reading{plan.points(), plan.batch, plan.answers};
    fill(result, found, reading);
    result["seconds"] = seconds;  // with reading: the two go on at the same time
    write(folder, result, found);
    show(result, checkpoint,
         [&] { print_table(found, reading, fmt::format(" in {:.3g} s", seconds)); });
    return exit_done;
  }

  ExitCode run_private(Sensitive<std::unique_ptr<PointSource>> data,
                       std::optional<OutputFolder>& folder) {
    const PrivateStreamPlan plan = make_plan(public_stream(data));
    std::optional<CheckpointFile> checkpoint;
    if (!checkpoint_path_.empty()) checkpoint.emplace(checkpoint_path_, describe_private(plan));
    PrivacyStatement statement = record_statement(plan);
    statement.public_facts.push_back(format_fact(format_));
    PrivateRun run(statement, privacy_.key());
    PrivateStreamOracle oracle(std::move(data).transform([](std::unique_ptr<PointSource> source) {
      return OnePassRecords(std::move(source));
    }),
                               plan, run, order_seed(checkpoint));
    const Decomposition found = decompose(oracle, checkpoint);
    const Certificate certificate = run.certify();

    Json result = start_result(Json{{"dim", plan.dim}}, plan_options());
    const Reading reading{plan.records(), plan.batch, plan.answers};
    result["privacy"] = Json(certificate.to_json());
    fill(result, found, reading);
    result["diagnostics"]["max_norm"] = oracle.max_norm();
    write(folder, result, found);
    show(result, checkpoint, [&] {
      print_table(found, reading, "");
      if (plan.search) {
        fmt::print("records longer than {:.4g}, found from the first {}, were shortened\n",
                   oracle.max_norm(), plan.search->records);
      }
      fmt::print("{}\n", certificate.to_text());
    });
    return exit_done;
  }

  // A run that goes on takes the order it began with.
  std::optional<OrderSeed> order_seed(const std::optional<CheckpointFile>& checkpoint) const {
    if (!shuffle_) return std::nullopt;
    if (privacy_.insecure_seed) {
      return OrderSeed::insecure_from_seed(static_cast<std::uint64_t>(*privacy_.insecure_seed));
    }
    if (checkpoint) return OrderSeed{checkpoint->order_key(), true};
    return OrderSeed::from_system();
  }

  // The answers are given up only when the result made from them has arrived.
  template <class Print>
  void show(const Json& result, std::optional<CheckpointFile>& checkpoint, Print print) const {
    bool arrived = false;
    try {
      if (common_.json) {
        fmt::print("{}", to_text(result));
      } else {
        print();
      }
      arrived = std::fflush(stdout) == 0;
    } catch (const std::system_error&) {  // from fmt::print
    }
    if (!arrived) {
      const std::string kept =
          checkpoint ? fmt::format("; the checkpoint {} is kept, run again", checkpoint->path())
                     : "";
      throw Error("cannot write to standard output" + kept, "", Fault::system);
    }
    if (checkpoint) checkpoint->remove();
  }

  // Which options the user gave: a private run has other defaults.
  struct Given {
    bool starts = false, iterations = false, method = false;
  };

  // Everything is decided here, from public numbers and the options; the records have no say.
  PrivateStreamPlan make_plan(const PublicStream& stream) {
    SOTTO_REQUIRE_AT(stream_.passes == 1, "--passes",
                     "a private run reads every record once, {} passes are refused",
                     stream_.passes);
    check_components(stream.dim);
    const auto order = static_cast<int>(stream_.order);
    const StreamChoice choice =
        choose_stream({stream.dim, stream_.components, order},
                      given_.method ? std::optional<std::string>(stream_.method) : std::nullopt);
    stream_.method = choice.method;
    if (!given_.starts) stream_.starts = choice.starts;
    if (!given_.iterations) stream_.iterations = choice.iterations;
    const PrivateStreamPlan plan =
        plan_private_stream(stream, privacy_.target(), privacy_.norm(),
                            {order, stream_.columns(), stream_.answers(), stream_.batch, shuffle_});
    privacy_.require_small_delta({plan.records(), "records"});
    return plan;
  }

  // The shape from the options, or from the header of an .npy file; no more of it is read.
  PublicStream stream_for_plan() const {
    if (file_.dim && (records_ || stream_.batch > 0)) return {*file_.dim, records_, "the stream"};
    const NpyHeader header = npy_header();
    SOTTO_REQUIRE_AT(header.shape.size() == 2, path_,
                     "points have two dimensions, this array has {}", header.shape.size());
    return {header.shape[1], header.shape[0], path_};
  }

  NpyHeader npy_header() const {
    try {
      return read_npy_header(path_);
    } catch (const Error& error) {
      if (error.fault() != Fault::input) throw;
      throw Error("needs --dim and --records, or an .npy file, whose header has them", "--plan");
    }
  }

  ExitCode print_plan() {
    SOTTO_REQUIRE_AT(privacy_.asked(), "--plan", "needs --epsilon and --delta");
    const PrivateStreamPlan plan = make_plan(stream_for_plan());
    const double weight = weight_.value_or(0.5 / static_cast<double>(stream_.components));
    const StreamShape shape{plan.dim, stream_.components, plan.order};
    const StreamForecast expected = forecast_stream(shape, stream_.method, plan);
    Json json;
    json["method"] = stream_.method;
    json["starts"] = stream_.starts;
    json["iterations"] = stream_.iterations;
    json["answers"] = plan.answers;
    json["batch"] = plan.batch;
    json["records"] = plan.records();
    json["records_for_bound"] = plan.search ? plan.search->records : 0;
    json["noise_multiplier"] = 1 / stream_mu(plan);
    json["noise"] = expected.noise;
    json["weight"] = expected.weight;
    json["epsilon"] = expected_epsilon(shape, stream_.method, plan, weight);
    if (common_.json) {
      fmt::print("{}", to_text(json));
      return exit_done;
    }
    fmt::print("{}, {} starts, {} iterations: {} answers from {} records each, {} records in all\n",
               stream_.method, stream_.starts, stream_.iterations, plan.answers, plan.batch,
               plan.records());
    if (plan.search) {
      fmt::print("the first {} records choose the bound on the norm\n", plan.search->records);
    }
    fmt::print("noise multiplier {:.4g}; noise in a coordinate of an answer: {:.3g} max-norm^{}\n",
               1 / stream_mu(plan), expected.noise, plan.order);
    fmt::print(
        "at epsilon {:g} components of weight {:.3g} max-norm^{} and more are expected to be "
        "recovered\n",
        plan.target.epsilon, expected.weight, plan.order);
    fmt::print("components of weight {:.3g} max-norm^{} are expected from epsilon {:.3g} on\n",
               weight, plan.order, json["epsilon"].get<double>());
    return exit_done;
  }

  // How much was read for what.
  struct Reading {
    Index points, batch, answers;
  };

  void check_components(Index dim) const {
    SOTTO_REQUIRE_AT(stream_.components <= dim, "--components",
                     "cannot exceed the dimension {} of the points, got {}", dim,
                     stream_.components);
  }

  void write(std::optional<OutputFolder>& folder, Json& result, const Decomposition& found) {
    if (folder) {
      folder->write_npy("vectors.npy", found.vectors());
      write_result(*folder, result);
    }
  }

  // What must be the same for a checkpoint to fit: everything that decides the answers.
  std::string describe(Index batch, const Json& input) {
    std::string text = fmt::format("sotto {}\n", SOTTO_VERSION);
    text += lines(stream_.table(), "batch") + lines(file_.table(), "");
    text += fmt::format("shuffle {}\n", shuffle_);
    text += fmt::format("read as {}\n", format_);
    text += fmt::format("batch {}\n", batch);
    for (const auto& [key, value] : input.items())
      text += fmt::format("{} {}\n", key, value.dump());
    return text;
  }

  // And what decides the noise: a stored answer was paid for under these numbers.
  std::string describe_private(const PrivateStreamPlan& plan) {
    const Json input{
        {"dim", plan.dim}, {"noise multiplier", 1 / stream_mu(plan)}, {"records", plan.records()}};
    return describe(plan.batch, input) + lines(privacy_.table(), "");
  }

  static std::string lines(const OptionTable& table, const std::string& but) {
    std::string text;
    for (const Option& option : table.options()) {
      if (option.name != but) text += fmt::format("{} {}\n", option.name, option.get().dump());
    }
    return text;
  }

  Decomposition decompose(StreamedOracle& oracle, std::optional<CheckpointFile>& checkpoint) {
    InteractiveProgress progress;
    std::optional<ReplayOracle> replay;
    try {
      if (checkpoint) {
        resumed_ = checkpoint->answers();
        replay.emplace(oracle, *checkpoint);
      }
      SymmetricOracle& asked = replay ? static_cast<SymmetricOracle&>(*replay) : oracle;
      Decomposition found = decompose_stream(asked, stream_, progress.callback());
      if (found.status == Status::stopped) throw Error("stopped", "", Fault::stopped);
      return found;
    } catch (const Error& error) {
      throw Error(error.message() + "; " + what_is_left(checkpoint), error.place(), error.fault());
    }
  }

  // Of a run that ends early. Answers in a checkpoint were released, and can be used again.
  std::string what_is_left(const std::optional<CheckpointFile>& checkpoint) const {
    if (!checkpoint) return privacy_.asked() ? "nothing left this run" : "nothing was written";
    const bool spent = privacy_.asked() && checkpoint->answers() > 0;
    const bool idle = privacy_.asked() && checkpoint->answers() == resumed_;
    return fmt::format("{}the checkpoint {} is kept to go on from{}",
                       idle ? "nothing was released by this run; " : "", checkpoint->path(),
                       spent ? ", the answers in it are spent" : "");
  }

  // What only --plan looks at.
  static std::vector<std::string> plan_options() { return {"plan", "records", "weight"}; }

  void fill(Json& result, const Decomposition& found, const Reading& reading) const {
    result["weights"] = std::vector<double>(found.weights.begin(), found.weights.end());
    result["largest_entries"]["vectors"] = largest_entries(found.vectors());
    Json& diagnostics = result["diagnostics"];
    diagnostics["status"] = status_text(found.status);
    diagnostics["agreement"] = std::vector<double>(found.agreement.begin(), found.agreement.end());
    diagnostics["iterations"] = found.iterations;
    diagnostics["points_read"] = reading.points;
    diagnostics["batch"] = reading.batch;
    diagnostics["answers"] = reading.answers;
    diagnostics["answers_from_checkpoint"] = resumed_;
    Json& history = diagnostics["history"];
    for (const HistoryPoint& h : found.history) {
      history["component"].push_back(h.component);
      history["iteration"].push_back(h.iteration);
      history["change"].push_back(h.change);
    }
  }

  static void print_table(const Decomposition& found, const Reading& reading,
                          const std::string& time) {
    fmt::print("{:>5}  {:>14}  {:>10}\n", "", "weight", "agreement");
    for (Index j = 0; j < found.weights.size(); ++j) {
      fmt::print("{:>5}  {:>14.8g}  {:>9.0f}%\n", j + 1, found.weights[j],
                 100 * found.agreement[j]);
    }
    fmt::print("{} points{}, {} for each of {} answers\n", reading.points, time, reading.batch,
               reading.answers);
  }

  std::string path_;
  std::string checkpoint_path_;
  std::string format_;  // of the file
  Index resumed_ = 0;
  Given given_;
  bool plan_ = false;
  bool shuffle_ = false;
  std::optional<std::int64_t> records_;
  std::optional<double> weight_;
  StreamOptions stream_;
  PointFileOptions file_;
  RecordPrivacyOptions privacy_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_stream() { return std::make_unique<Stream>(); }

}  // namespace sotto::cli
