#include "sotto/tasks/stream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sotto/io/checkpoint.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/choose_stream.h"
#include "sotto/tasks/testing/planned.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

constexpr Index kStreamDim = 6, kStreamRecords = 6000;

// Records at one of the first three axes, the first most often: E[x (x) x (x) x] has weights 1/2,
// 1/3 and 1/6.
RowMatrix axis_rows() {
  RowMatrix rows = RowMatrix::Zero(kStreamRecords, kStreamDim);
  for (Index i = 0; i < kStreamRecords; ++i) rows(i, i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2) = 1;
  return rows;
}

Points axis_records() { return std::make_unique<MemorySource>(axis_rows()); }

Input<Points> public_records() {
  return {SensitivePoints(axis_records()), PublicDeclaration("made by a test")};
}
Input<Points> sensitive_records() { return SensitivePoints(axis_records()); }

StreamTask stream_task() {
  StreamTask task;
  task.stream.components = 3;
  return task;
}

StreamTask private_stream_task() {
  StreamTask task = stream_task();
  task.privacy.epsilon = 20;
  task.privacy.delta = 1e-6;
  task.privacy.max_norm = 1;
  return task;
}

StreamTask searching_task() {
  StreamTask task = private_stream_task();
  task.privacy.set_norm(NormRange{0.01, 100});
  return task;
}

double worst_axis_cosine(const Matrix& found) {
  return found.topRows(3).cwiseAbs().rowwise().maxCoeff().minCoeff();
}

TEST(StreamTask, recovers_the_components_of_public_points) {
  for (const PowerForm method : {PowerForm::robust, PowerForm::simultaneous}) {
    StreamTask task = stream_task();
    task.stream.method = method;
    const StreamResult result = run(public_records(), task);
    EXPECT_GT(worst_axis_cosine(result.found.vectors()), 1 - 1e-6) << name_of(method);
    EXPECT_NEAR(result.found.weights[0], 1.0 / 2, 0.01);
    EXPECT_EQ(result.records, kStreamRecords);
    EXPECT_EQ(result.points_read, result.batch * result.answers);
    EXPECT_FALSE(result.certificate);
  }
}

TEST(StreamTask, recovers_them_privately) {
  EXPECT_GT(worst_axis_cosine(run(sensitive_records(), private_stream_task()).found.vectors()),
            0.95);
}

TEST(StreamTask, a_private_run_releases_what_the_plan_says_and_is_certified) {
  for (const PowerForm method : {PowerForm::robust, PowerForm::simultaneous}) {
    for (StreamTask task : {private_stream_task(), searching_task()}) {
      task.stream.method = method;
      task.given.method = true;
      const Plan announced = plan(task, {kStreamDim, kStreamRecords, "records"});
      const StreamResult result = run(sensitive_records(), task);
      const Certificate& certificate = *result.certificate;
      EXPECT_EQ(releases_of(certificate), releases_of(announced));
      EXPECT_TRUE(certificate.proved) << certificate.why;
      EXPECT_LE(certificate.epsilon, 20);
      EXPECT_EQ(certificate.statement.public_facts, announced.statement.public_facts);
    }
  }
}

TEST(StreamTask, the_settings_of_the_plan_are_those_of_the_run) {
  for (const StreamTask& task : {private_stream_task(), searching_task()}) {
    const auto settings = plan(task, {kStreamDim, kStreamRecords, "records"}).to_json()["settings"];
    const StreamResult result = run(sensitive_records(), task);
    EXPECT_EQ(settings["method"], std::string(name_of(result.stream.method)));
    EXPECT_EQ(settings["starts"], result.stream.starts);
    EXPECT_EQ(settings["iterations"], result.stream.iterations);
    EXPECT_EQ(settings["batch"], result.batch);
    EXPECT_EQ(settings["answers"], result.answers);
    EXPECT_EQ(settings["records"], result.points_read);
    EXPECT_EQ(settings.contains("records_for_bound"), result.records_for_bound.has_value());
  }
  const StreamChoice choice = choose_stream({kStreamDim, 3, 3}, {});
  EXPECT_EQ(run(sensitive_records(), private_stream_task()).stream.starts, choice.starts);
}

TEST(StreamTask, a_bound_is_chosen_privately_within_its_range) {
  const StreamResult result = run(sensitive_records(), searching_task());
  EXPECT_NEAR(result.max_norm, 1, 0.1);
  EXPECT_EQ(result.records_for_bound, kStreamRecords / 20);
  EXPECT_EQ(run(sensitive_records(), private_stream_task()).max_norm, 1);
}

// The bits of a run are those of its parts, joined by hand.
TEST(StreamTask, the_noise_is_that_of_the_oracle) {
  StreamTask task = private_stream_task();
  task.privacy.insecure_seed = 3;
  const StreamResult result = run(sensitive_records(), task);
  const PrivateStreamPlan numbers =
      plan_private_stream({kStreamDim, kStreamRecords, "records"}, task.privacy.target(), 1.0,
                          {3, result.stream.columns(), result.stream.answers()});
  PrivateRun by_hand(record_statement(numbers), NoiseKey::insecure_from_seed(3));
  PrivateStreamOracle oracle(Sensitive<OnePassRecords>(OnePassRecords(axis_records())), numbers,
                             by_hand);
  EXPECT_EQ(decompose_stream(oracle, result.stream).weights, result.found.weights);
}

TEST(StreamTask, input_and_epsilon_must_fit) {
  EXPECT_ERROR(run(sensitive_records(), stream_task()), "`epsilon`: is needed");
  EXPECT_ERROR(run(public_records(), private_stream_task()), "declared public");
  EXPECT_ERROR(plan(stream_task(), {kStreamDim, kStreamRecords, "records"}),
               "`plan`: needs `epsilon`");
}

TEST(StreamTask, a_release_that_is_not_in_the_plan_is_refused) {
  PrivateRun run(plan(private_stream_task(), {kStreamDim, kStreamRecords, "records"}),
                 NoiseKey::from_system());
  const GaussianMechanism unplanned("the longest record", 1, 100, 1);
  EXPECT_ERROR(run.publish(unplanned, std::vector<double>{0}),
               "'the longest record' is not in the plan");
}

TEST(StreamTask, refuses_what_cannot_be_done) {
  StreamTask task = private_stream_task();
  task.stream.passes = 2;
  EXPECT_ERROR(task.check(), "`passes`: ");
  task = private_stream_task();
  task.stream.components = 7;
  EXPECT_ERROR(run(sensitive_records(), task), "cannot exceed the dimension 6");
  task = private_stream_task();
  task.privacy.delta = 0.1;
  EXPECT_ERROR(plan(task, {kStreamDim, kStreamRecords, "records"}), "`delta`: ");
  task = stream_task();
  task.stream.components = 7;
  EXPECT_ERROR(run(public_records(), task), "cannot exceed the dimension 6");
}

TEST(StreamTask, a_shuffled_run_says_so) {
  StreamTask task = private_stream_task();
  task.shuffle = true;
  const StreamResult result = run(sensitive_records(), task);
  EXPECT_TRUE(result.certificate->proved) << result.certificate->why;
  EXPECT_TRUE(mentions(result.certificate->statement.neighbours, "in any order"));
  task = stream_task();
  task.shuffle = true;
  EXPECT_GT(worst_axis_cosine(run(public_records(), task).found.vectors()), 0.99);
}

// ---- checkpoints ----

// Stops a run when it has reported so often.
ProgressCallback stop_after(int reports) {
  return [left = reports](const ProgressReport&) mutable { return left-- > 0; };
}

TEST(StreamTask, an_interrupted_run_goes_on_to_the_same_result) {
  const TemporaryFolder folder;
  for (const bool is_private : {false, true}) {
    StreamTask task = is_private ? searching_task() : stream_task();
    if (is_private) task.privacy.insecure_seed = 5;
    const auto input = [&] { return is_private ? sensitive_records() : public_records(); };
    const StreamResult whole = run(input(), task);
    task.checkpoint = folder / (is_private ? "private" : "public");
    const std::string said = error_of([&] { run(input(), task, stop_after(4)); });
    EXPECT_TRUE(mentions(said, "stopped; the checkpoint " + task.checkpoint + " is kept")) << said;
    EXPECT_EQ(mentions(said, "are spent"), is_private);
    const StreamResult result = run(input(), task);
    EXPECT_GT(result.answers_from_checkpoint, 0);
    EXPECT_LT(result.answers_from_checkpoint, result.answers);
    EXPECT_EQ(result.found.weights, whole.found.weights);
    EXPECT_EQ(result.found.vectors(), whole.found.vectors());
    if (is_private) {
      EXPECT_EQ(result.certificate->to_json(), whole.certificate->to_json());
      EXPECT_EQ(result.max_norm, whole.max_norm);
    }
    result.checkpoint->remove();
    EXPECT_FALSE(std::filesystem::exists(task.checkpoint));
  }
}

TEST(StreamTask, a_shuffled_run_goes_on_in_its_secret_order) {
  const TemporaryFolder folder;
  StreamTask task = private_stream_task();
  task.shuffle = true;
  task.checkpoint = folder / "run";
  EXPECT_ERROR(run(sensitive_records(), task, stop_after(3)), "is kept to resume from");
  // Another order would be records that the answers were not made from.
  const StreamResult result = run(sensitive_records(), task);
  EXPECT_GT(result.answers_from_checkpoint, 0);
  EXPECT_TRUE(result.certificate->proved) << result.certificate->why;
}

TEST(StreamTask, a_checkpoint_of_another_run_is_refused) {
  const TemporaryFolder folder;
  StreamTask task = private_stream_task();
  task.checkpoint = folder / "run";
  EXPECT_ERROR(run(sensitive_records(), task, stop_after(3)), "is kept to resume from");
  const auto refuses = [&](const char* line, const std::function<void(StreamTask&)>& change) {
    StreamTask other = task;
    change(other);
    EXPECT_ERROR(run(sensitive_records(), other), line);
  };
  refuses("'seed 0', this run has 'seed 1'", [](StreamTask& t) { t.stream.seed = 1; });
  refuses("noise multiplier", [](StreamTask& t) { t.privacy.epsilon = 21; });
  refuses("shuffle", [](StreamTask& t) { t.shuffle = true; });
  refuses("max-norm", [](StreamTask& t) { t.privacy.max_norm = 2; });
  refuses("format", [](StreamTask& t) { t.file.format = PointFormat::npy; });
  RowMatrix others = axis_rows();
  others(0, 5) = 0.5;
  EXPECT_ERROR(run(SensitivePoints(std::make_unique<MemorySource>(others)), task),
               "nothing was released by this run");
}

TEST(StreamTask, an_error_says_that_nothing_is_left) {
  const ProgressCallback stop = stop_after(0);
  EXPECT_ERROR(run(sensitive_records(), private_stream_task(), stop),
               "stopped; nothing left this run");
  EXPECT_ERROR(run(public_records(), stream_task(), stop), "stopped; nothing was written");
}

TEST(StreamTask, saves_the_vectors) {
  const TemporaryFolder folder;
  {
    OutputFolder out(folder / "out");
    save(run(public_records(), stream_task()), out);
    out.write_text("result.json", "{}");
    out.commit();
  }
  EXPECT_EQ(read_npy(folder / "out/vectors.npy").dims(), (std::vector<Index>{kStreamDim, 3}));
}

}  // namespace
}  // namespace sotto
