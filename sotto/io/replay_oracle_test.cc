#include "sotto/io/replay_oracle.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

// Gives answers that depend on the block and on the number of earlier answers, and counts the
// questions.
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
  StreamPosition position() const override {
    StreamPosition position = at;
    KeyedDigest digest(key);
    digest.add(&data, sizeof data);
    digest.add(&at.record, sizeof at.record);
    position.digest = digest.value();
    return position;
  }
  void keep_digest(const SecretKey& digest_key) override { key = digest_key; }
  void resume_at(const StreamPosition& position) override {
    at = position;
    at.digest = {};
    SOTTO_REQUIRE(this->position() == position, "other records");
  }
  void replayed(const Matrix& block, Asked kind) override {
    accounts.push_back({kind, block.sum()});
  }

  std::vector<std::pair<Asked, double>> accounts;  // questions answered again
  int asked = 0;
  int data = 0;  // stands for the records
  SecretKey key{};
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

// A checkpoint with three answers.
std::string three_answers(const std::string& path) {
  CountingOracle inner;
  CheckpointFile file(path, "seed 1\n");
  ReplayOracle oracle(inner, file);
  solve(oracle, 3);
  return get(path);
}

// How many answers a run would take from these bytes; -1 when they are refused, and then they must
// still be there.
std::int64_t usable_answers(const std::string& path, const std::string& bytes) {
  put(path, bytes);
  try {
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    return ReplayOracle(inner, file).stored();
  } catch (const Error& error) {
    EXPECT_EQ(get(path), bytes);
    return -1;
  }
}

TEST(ReplayOracle, cuts_off_a_torn_record_wherever_it_is_torn) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  CountingOracle plain;
  const Matrix expected = solve(plain);
  const std::string bytes = three_answers(path);
  const std::size_t answer = 16 + 96 + 8 * 6;
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    const std::size_t missing = (bytes.size() - n + answer - 1) / answer;
    const std::int64_t left = missing > 3 ? 0 : 3 - static_cast<std::int64_t>(missing);
    ASSERT_EQ(usable_answers(path, bytes.substr(0, n)), left) << n;
  }
  // Every answer waits for the disk, so not at every byte.
  for (std::size_t n = bytes.size() % 41; n <= bytes.size(); n += 41) {
    put(path, bytes.substr(0, n));
    CountingOracle inner;
    CheckpointFile file(path, "seed 1\n");
    ReplayOracle oracle(inner, file);
    EXPECT_EQ(solve(oracle), expected) << n;
    EXPECT_EQ(inner.at, plain.at);
  }
}

TEST(ReplayOracle, cuts_off_zeros_that_made_room_for_an_answer) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  const std::string bytes = three_answers(path);
  for (const std::size_t zeros : {1, 12, 16, 160, 4096}) {
    EXPECT_EQ(usable_answers(path, bytes + std::string(zeros, '\0')), 3);
  }
  EXPECT_EQ(usable_answers(path, bytes + std::string(40, '\0') + "x"), -1);
  EXPECT_EQ(usable_answers(path, bytes + "0123456789abcdef"), -1);
  const std::string mark = bytes.substr(0, 8);
  EXPECT_EQ(usable_answers(path, mark + std::string(bytes.size() - 8, '\0')), -1);
  EXPECT_EQ(usable_answers(path, std::string(bytes.size(), '\0')), -1);
}

// The answers were released: if they can no longer be used, none may be drawn in their place.
TEST(ReplayOracle, a_flipped_bit_never_makes_the_answers_fewer) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  const std::string bytes = three_answers(path);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    ASSERT_EQ(usable_answers(path, damaged), -1) << bit;
  }
  put(path, bytes.substr(0, bytes.size() - 1) + "!");
  EXPECT_ERROR(CheckpointFile(path, "seed 1\n"), "answer 3 is damaged");
  EXPECT_ERROR(CheckpointFile(path, "seed 1\n"), "are spent");
  std::string description = bytes;
  description[8 + 16 + 64] ^= 1;
  put(path, description);
  EXPECT_ERROR(CheckpointFile(path, "seed 1\n"), "its description is damaged");
}

TEST(ReplayOracle, goes_on_over_the_same_records_only) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  three_answers(path);
  CountingOracle other;
  other.data = 1;
  CheckpointFile file(path, "seed 1\n");
  EXPECT_ERROR(ReplayOracle(other, file), "other records");
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

::mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

TEST(CheckpointFile, refuses_what_is_not_a_checkpoint_and_leaves_it_alone) {
  const TemporaryFolder folder;
  const std::string path = folder / "thesis.txt";
  put(path, "my only copy");
  ::chmod(path.c_str(), 0644);
  EXPECT_ERROR(CheckpointFile(path, ""), "not a checkpoint");
  EXPECT_EQ(get(path), "my only copy");
  EXPECT_EQ(mode_of(path), 0644u);
  EXPECT_ERROR(CheckpointFile(folder.path().string(), ""), "cannot be opened");
  EXPECT_ERROR(CheckpointFile("/dev/null", ""), "not a regular file");
}

TEST(CheckpointFile, keeps_its_keys_and_no_two_files_have_the_same) {
  const TemporaryFolder folder;
  SecretKey digest, order;
  {
    const CheckpointFile file(folder / "a", "");
    digest = file.digest_key();
    order = file.order_key();
  }
  const CheckpointFile again(folder / "a", ""), other(folder / "b", "");
  EXPECT_EQ(again.digest_key(), digest);
  EXPECT_EQ(again.order_key(), order);
  EXPECT_NE(digest, order);
  EXPECT_NE(other.digest_key(), digest);
  EXPECT_NE(other.order_key(), order);
}

TEST(CheckpointFile, is_for_its_owner_alone_also_when_it_was_there_before) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt", link = folder / "link";
  { const CheckpointFile file(path, ""); }
  EXPECT_EQ(mode_of(path), 0600u);
  ::chmod(path.c_str(), 0666);
  { const CheckpointFile file(path, ""); }
  EXPECT_EQ(mode_of(path), 0600u);
  put(path, "");
  ::chmod(path.c_str(), 0644);
  std::filesystem::create_symlink(path, link);
  {
    CheckpointFile file(link, "");
    EXPECT_EQ(mode_of(path), 0600u);
    file.remove();  // what the link leads to; the link stays, and can be used again
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  const CheckpointFile file(link, "");
  EXPECT_EQ(mode_of(path), 0600u);
}

TEST(CheckpointFile, refuses_a_file_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const TemporaryFolder folder;
  const std::string path = folder / "run.ckpt";
  put(path, "");
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_ERROR(CheckpointFile(path, ""), "belongs to another user");
  EXPECT_EQ(get(path), "");
}

TEST(CheckpointFile, is_used_by_one_run_at_a_time) {
  const TemporaryFolder folder;
  const CheckpointFile first(folder / "run.ckpt", "");
  EXPECT_ERROR(CheckpointFile(folder / "run.ckpt", ""), "in use by another run");
}

}  // namespace
}  // namespace sotto
