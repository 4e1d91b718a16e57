#include "sotto/tasks/stream.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/stopwatch.h"
#include "sotto/base/version.h"
#include "sotto/io/checkpoint.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/replay_oracle.h"
#include "sotto/moments/span_share.h"
#include "sotto/moments/stream_oracle.h"
#include "sotto/release/choose_stream.h"
#include "sotto/release/private_stream.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/point_columns.h"

namespace sotto {
namespace {

void require_components(const StreamTask& task, Index dim) {
  SOTTO_REQUIRE_AT(task.stream.components >= 1, "`components`", "must be at least 1, got {}",
                   task.stream.components);
  SOTTO_REQUIRE_AT(task.stream.components <= dim, "`components`",
                   "cannot exceed the dimension {} of the points, got {}", dim,
                   task.stream.components);
}

// ---- what the options and public numbers decide; the records have no say ----

// A private run before it has seen anything.
struct PrivateStream {
  StreamOptions stream;
  PrivateStreamPlan numbers;
  Plan plan;
};

StreamOptions chosen_options(const StreamTask& task, Index dim) {
  const StreamShape shape{dim, task.stream.components, static_cast<int>(task.stream.order)};
  const StreamChoice choice =
      choose_stream(shape, task.given.method ? std::optional(task.stream.method) : std::nullopt);
  StreamOptions stream = task.stream;
  stream.method = choice.method;
  if (!task.given.starts) stream.starts = choice.starts;
  if (!task.given.iterations) stream.iterations = choice.iterations;
  return stream;
}

PrivateStream settle(const StreamTask& task, const PublicStream& source,
                     const std::vector<std::string>& facts = {}) {
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon` and `delta`");
  task.check();
  require_components(task, source.dim);
  const StreamOptions stream = chosen_options(task, source.dim);
  const PrivateStreamPlan numbers =
      plan_private_stream(source, task.privacy.target(), task.privacy.norm(),
                          {static_cast<int>(stream.order), stream.columns(), stream.answers(),
                           stream.batch, task.shuffle});
  task.privacy.require_small_delta({numbers.records(), "records"});
  PrivateStream settled{stream, numbers, plan_releases(numbers, stream.rounds())};
  settled.plan.settings = {{"method", std::string(name_of(stream.method))},
                           {"starts", stream.starts},
                           {"iterations", stream.iterations},
                           {"answers", numbers.answers},
                           {"batch", numbers.batch},
                           {"records", numbers.records()}};
  if (numbers.search) {
    settled.plan.settings.push_back({"records_for_bound", numbers.search->records});
  }
  std::vector<std::string>& stated = settled.plan.statement.public_facts;
  stated.insert(stated.end(), facts.begin(), facts.end());
  return settled;
}

std::vector<Forecast> forecasts_of(const StreamTask& task, const PrivateStream& settled) {
  const PrivateStreamPlan& numbers = settled.numbers;
  const StreamShape shape{numbers.dim, settled.stream.components, numbers.order};
  const PowerForm method = settled.stream.method;
  const StreamForecast expected = forecast_stream(shape, method, numbers);
  const double multiplier = 1 / stream_mu(numbers);
  const double weight = task.weight.value_or(0.5 / static_cast<double>(settled.stream.components));
  const double epsilon = expected_epsilon(shape, method, numbers, weight);
  const std::string unit = fmt::format("max-norm^{}", numbers.order);
  return {{"noise_multiplier", multiplier, fmt::format("noise multiplier {:.4g}", multiplier)},
          {"noise", expected.noise,
           fmt::format("noise in a coordinate of an answer: {:.3g} {}", expected.noise, unit)},
          {"weight", expected.weight,
           fmt::format("at epsilon {:g} components of weight {:.3g} {} and more are expected to be "
                       "recovered",
                       numbers.target.epsilon, expected.weight, unit)},
          {"epsilon", epsilon,
           fmt::format("components of weight {:.3g} {} are expected from epsilon {:.3g} on", weight,
                       unit, epsilon)}};
}

// ---- the checkpoint ----

std::string lines(const OptionTable& table) {
  std::string text;
  for (const Option& option : table.options()) {
    text += fmt::format("{} {}\n", option.name, json_text(option.get()));
  }
  return text;
}

// What must be the same for a checkpoint to be used: everything that decides the answers.
std::string description(const StreamTask& task, StreamOptions stream, Index batch,
                        const std::vector<std::string>& facts) {
  std::string text = fmt::format("sotto {}\n", SOTTO_VERSION);
  stream.batch = batch;  // as settled
  PointFileOptions file = task.file;
  text += lines(stream.table()) + lines(file.table());
  text += fmt::format("shuffle {}\n", task.shuffle);
  for (const std::string& fact : facts) text += fact + "\n";
  return text;
}

std::string description(const StreamTask& task, const PointSource& source, Index batch,
                        const std::vector<std::string>& facts) {
  std::string text = description(task, task.stream, batch, facts);
  text += fmt::format("dim {}\n", source.dim());
  if (source.records()) text += fmt::format("records {}\n", *source.records());
  return text;
}

// And what decides the noise: a stored answer was paid for under these numbers.
std::string description(const StreamTask& task, const PrivateStream& settled,
                        const std::vector<std::string>& facts) {
  std::string text = description(task, settled.stream, settled.numbers.batch, facts);
  text += fmt::format("dim {}\nnoise multiplier {}\nrecords {}\n", settled.numbers.dim,
                      1 / stream_mu(settled.numbers), settled.numbers.records());
  RecordPrivacyOptions privacy = task.privacy;
  return text + lines(privacy.table());
}

std::unique_ptr<CheckpointFile> open_checkpoint(const StreamTask& task,
                                                const std::string& description) {
  if (task.checkpoint.empty()) return nullptr;
  return std::make_unique<CheckpointFile>(task.checkpoint, description);
}

// A resumed run takes the order it began with.
std::optional<OrderSeed> order_seed(const StreamTask& task, const CheckpointFile* checkpoint) {
  if (!task.shuffle) return std::nullopt;
  if (task.privacy.insecure_seed) {
    return OrderSeed::insecure_from_seed(static_cast<std::uint64_t>(*task.privacy.insecure_seed));
  }
  if (checkpoint != nullptr) return OrderSeed{checkpoint->order_key(), true};
  return OrderSeed::from_system();
}

// Of a run that ends early. Answers in a checkpoint were released, and can be used again.
std::string what_is_left(const StreamTask& task, const StreamResult& result) {
  const bool is_private = task.privacy.asked();
  if (!result.checkpoint) return is_private ? "nothing left this run" : "nothing was written";
  const std::int64_t answers = result.checkpoint->answers();
  const bool idle = is_private && answers == result.answers_from_checkpoint;
  return fmt::format("{}the checkpoint {} is kept to resume from{}",
                     idle ? "nothing was released by this run; " : "", result.checkpoint->path(),
                     is_private && answers > 0 ? ", the answers in it are spent" : "");
}

// ---- runs ----

// Asks the oracle, or first the checkpoint of the result, where it has one.
void solve(StreamedOracle& oracle, const StreamTask& task, StreamResult& result,
           const ProgressCallback& progress) {
  std::optional<ReplayOracle> replay;
  try {
    if (result.checkpoint) {
      result.answers_from_checkpoint = result.checkpoint->answers();
      replay.emplace(oracle, *result.checkpoint);
    }
    SymmetricOracle& asked = replay ? static_cast<SymmetricOracle&>(*replay) : oracle;
    result.found = decompose_stream(asked, result.stream, progress);
    if (result.found.status == Status::stopped) throw Error("stopped", "", Fault::stopped);
  } catch (const Error& error) {
    throw Error(error.message() + "; " + what_is_left(task, result), error.place(), error.fault());
  }
}

// A look back at the first points: long streams are not read a second time.
void look_back(PointSource& points, StreamResult& result) {
  constexpr Index kMostRecords = 100000;
  if (!points.can_rewind()) return;
  const SpanShare found = span_share(points, result.found.vectors(), kMostRecords);
  result.spanned = found.share;
  result.spanned_records = found.records;
}

StreamResult run_public(Points source, const StreamTask& task,
                        const std::vector<std::string>& facts, const ProgressCallback& progress) {
  const StreamOptions& stream = task.stream;
  require_components(task, source->dim());
  const StreamPlan numbers = plan_stream(*source, stream.answers(), stream.batch, stream.passes);
  if (task.shuffle) {
    require_random_access(source->has_random_access(), source->name());
    const auto seed = OrderSeed::insecure_from_seed(static_cast<std::uint64_t>(stream.seed));
    source->read_in_order(secret_permutation(source->records().value(), seed));
  }
  StreamResult result;
  result.stream = stream;
  result.dim = source->dim();
  result.columns = source->columns();
  result.records = source->records();
  result.points_read = numbers.points();
  result.batch = numbers.batch;
  result.answers = numbers.answers;
  result.checkpoint = open_checkpoint(task, description(task, *source, numbers.batch, facts));
  StreamOracle oracle(std::move(source), numbers, static_cast<int>(stream.order));
  const Stopwatch computing;
  solve(oracle, task, result, progress);
  result.seconds = computing.seconds();
  look_back(oracle.source(), result);
  return result;
}

StreamResult run_private(SensitivePoints points, const StreamTask& task,
                         const std::vector<std::string>& facts, const ProgressCallback& progress) {
  const PrivateStream settled = settle(task, public_stream(points), facts);
  const PrivateStreamPlan& numbers = settled.numbers;
  StreamResult result;
  result.stream = settled.stream;
  result.dim = numbers.dim;
  result.points_read = numbers.records();
  result.batch = numbers.batch;
  result.answers = numbers.answers;
  if (numbers.search) result.records_for_bound = numbers.search->records;
  result.checkpoint = open_checkpoint(task, description(task, settled, facts));
  PrivateRun run(settled.plan, task.privacy);
  PrivateStreamOracle oracle(
      std::move(points).transform([](Points source) { return OnePassRecords(std::move(source)); }),
      numbers, run, order_seed(task, result.checkpoint.get()));
  solve(oracle, task, result, progress);
  result.max_norm = oracle.max_norm();
  result.certificate = run.certify();
  return result;
}

}  // namespace

OptionTable StreamTask::table() {
  return OptionTable()
      .append(stream.table())
      .notice("starts", given.starts)
      .notice("iterations", given.iterations)
      .notice("method", given.method)
      .append(file.table())
      .flag("shuffle", shuffle,
            "read the records of a plain .npy or raw file in a random order, which a private run "
            "keeps secret: the order in the file may then depend on the data. Takes 8 bytes of "
            "memory a record; without `epsilon` the order comes from `seed`")
      .append(privacy.table())
      .text("checkpoint", 0, checkpoint, "FILE",
            "write each answer to FILE; a run that is started again after an interruption resumes "
            "from there. FILE is removed when the result has been written. Keep it secret");
}

void StreamTask::check() const {
  privacy.check();
  SOTTO_REQUIRE_AT(!privacy.asked() || stream.passes == 1, "`passes`",
                   "a private run reads every record once, {} passes are refused", stream.passes);
}

Plan plan(const StreamTask& task, const PublicStream& stream) {
  PrivateStream settled = settle(task, stream);
  settled.plan.forecasts = forecasts_of(task, settled);
  return std::move(settled.plan);
}

StreamResult run(Input<Points> points, const StreamTask& task, const ProgressCallback& progress) {
  task.check();
  require_declared(points, task.privacy.asked());
  const std::vector<std::string> facts = points.public_facts();
  if (points.is_public()) return run_public(std::move(points).open(), task, facts, progress);
  return run_private(std::move(points).sensitive(), task, facts, progress);
}

void save(const StreamResult& result, OutputFolder& folder) {
  folder.write_npy("vectors.npy", result.found.vectors());
  save_columns(result.columns, folder);
}

}  // namespace sotto
