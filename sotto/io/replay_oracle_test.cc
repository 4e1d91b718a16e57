#include "sotto/io/replay_oracle.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

// Answers that depend on how many came before and on the block; it counts what it was asked.
class CountingOracle final : public StreamedOracle {
 public:
  Index dim() const override { return 3; }
  int order() const override { return 3; }
  Matrix contract(const Matrix& block) override {
    ++asked;
    ++at.answers;
    at.record += 10;
    at.bound = 2.5;
    return block.array().square() + static_cast<double>(at.record);
  }
  Vector values(const Matrix& block) override { return contract(block).colwise().sum(); }
  StreamPosition position() const override { return at; }
  void resume_at(const StreamPosition& position) override { at = position; }
  void replayed(const Matrix& block, Asked kind) override {
    accounts.push_back({kind, block.sum()});
  }

  std::vector<std::pair<Asked, double>> accounts;  // questions answered again
  int asked = 0;
  StreamPosition at;
};

// What a deterministic solver does: each block comes from the answer before. With `stop_after` it
// is interrupted after so many answers.
Matrix solve(SymmetricOracle& oracle, int stop_after = 100) {
  Matrix u = Matrix::Constant(3, 2, 0.25);
  for (int t = 0; t < 5; ++t) {
    if (t == stop_after) return u;
    const Matrix y = oracle.contract(u);
    u = y / y.norm();
  }
  if (stop_after == 5) return u;
  return u * oracle.values(u).asDiagonal();
}

TEST(ReplayOracle, resumes_after_any_answer_to_the_same_result) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  CountingOracle plain;
  const Matrix expected = solve(plain);
  for (int stop = 0; stop <= 6; ++stop) {
    {
      CountingOracle inner;
      CheckpointFile file(path, "seed 1\n");
      ReplayOracle oracle(inner, file);
      solve(oracle, stop);
    }
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    ReplayOracle oracle(inner, file);
    EXPECT_EQ(oracle.stored(), stop);
    EXPECT_EQ(solve(oracle), expected);
    EXPECT_EQ(inner.asked, 6 - stop);
    EXPECT_EQ(inner.at, plain.at);
    file.remove();
    EXPECT_EQ(folder.count(), 0);
  }
}

TEST(ReplayOracle, tells_the_oracle_which_questions_were_answered_again_and_with_which_bound) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  for (const int stop : {6, 3}) {
    {
      CountingOracle inner;
      CheckpointFile file(path, "seed 1\n");
      ReplayOracle oracle(inner, file);
      solve(oracle, stop);
      EXPECT_TRUE(inner.accounts.empty());
    }
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    ReplayOracle oracle(inner, file);
    EXPECT_EQ(inner.at.bound, 2.5);
    solve(oracle);
    ASSERT_EQ(inner.accounts.size(), static_cast<std::size_t>(stop));
    EXPECT_EQ(inner.accounts[0], std::pair(Asked::contract, 1.5));
    EXPECT_EQ(inner.accounts.back().first, stop == 6 ? Asked::values : Asked::contract);
    file.remove();
  }
}

TEST(ReplayOracle, cuts_off_a_torn_record_wherever_it_is_torn) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  CountingOracle plain;
  const Matrix expected = solve(plain);
  {
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    ReplayOracle oracle(inner, file);
    solve(oracle, 3);
  }
  const std::string bytes = get(path);
  // Every answer waits for the disk, so not at every byte.
  for (std::size_t n = bytes.size() % 13; n <= bytes.size(); n += 13) {
    put(path, bytes.substr(0, n));
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    ReplayOracle oracle(inner, file);
    EXPECT_EQ(oracle.stored(), n == bytes.size() ? 3 : oracle.stored());
    EXPECT_EQ(solve(oracle), expected) << n;
    EXPECT_EQ(inner.at, plain.at);
  }
}

TEST(ReplayOracle, never_replays_a_damaged_record) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  CountingOracle plain;
  const Matrix expected = solve(plain);
  {
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    ReplayOracle oracle(inner, file);
    solve(oracle, 3);
  }
  const std::string bytes = get(path);
  for (std::size_t n = 0; n < bytes.size(); n += 7) {
    std::string damaged = bytes;
    damaged[n] = static_cast<char>(damaged[n] ^ 0x10);
    put(path, damaged);
    Matrix found = expected;
    error_of([&] {
      CountingOracle inner;
      CheckpointFile file(path, "seed 1\n");
      ReplayOracle oracle(inner, file);
      found = solve(oracle);
    });
    EXPECT_EQ(found, expected) << n;
  }
}

TEST(ReplayOracle, refuses_another_question) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  CountingOracle inner;
  {
    CheckpointFile file(path, "");
    ReplayOracle(inner, file).contract(Matrix::Ones(3, 1));
  }
  const auto ask = [&](const Matrix& block, bool values) {
    CheckpointFile file(path, "");
    ReplayOracle oracle(inner, file);
    if (values) {
      oracle.values(block);
    } else {
      oracle.contract(block);
    }
  };
  EXPECT_ERROR(ask(Matrix::Zero(3, 1), false), "answer 1 was given to another question");
  EXPECT_ERROR(ask(Matrix::Ones(3, 1), true), "answer 1 was given to another question");
  EXPECT_ERROR(ask(Matrix::Ones(3, 2), false), "answer 1 was given to another question");
  EXPECT_EQ(error_of([&] { ask(Matrix::Ones(3, 1), false); }), "");
}

TEST(CheckpointFile, refuses_another_run_and_says_what_differs) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  { const CheckpointFile file(path, "starts 10\nseed 1\n"); }
  EXPECT_ERROR(CheckpointFile(path, "starts 10\nseed 2\n"),
               "another run: it has 'seed 1', this run has 'seed 2'");
  EXPECT_ERROR(CheckpointFile(path, "starts 10\n"), "it has 'seed 1', this run has ''");
  EXPECT_EQ(error_of([&] { CheckpointFile(path, "starts 10\nseed 1\n"); }), "");
}

TEST(CheckpointFile, refuses_what_is_not_a_checkpoint_and_leaves_it_alone) {
  const TemporaryFolder folder;
  const std::string path = folder / "thesis.txt";
  put(path, "my only copy");
  EXPECT_ERROR(CheckpointFile(path, ""), "not a checkpoint");
  EXPECT_EQ(get(path), "my only copy");
  EXPECT_ERROR(CheckpointFile(folder.path().string(), ""), "cannot be opened");
  EXPECT_ERROR(CheckpointFile("/dev/null", ""), "not a regular file");
}

TEST(CheckpointFile, is_used_by_one_run_at_a_time) {
  const TemporaryFolder folder;
  const CheckpointFile first(folder / "run.ckpt", "");
  EXPECT_ERROR(CheckpointFile(folder / "run.ckpt", ""), "in use by another run");
}

}  // namespace
}  // namespace sotto
