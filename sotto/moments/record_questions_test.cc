#include "sotto/moments/record_questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/testing/error_of.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/moments/component_expectation.h"
#include "sotto/moments/mixture_expectation.h"
#include "sotto/moments/point_grid.h"
#include "sotto/moments/stream_sums.h"
#include "sotto/moments/testing/some_components.h"
#include "sotto/tensor/sharded_points.h"
#include "sotto/tensor/testing/local_shards.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

AnswerQuestion answers_from(const RowMatrix& rows) {
  return [source = std::make_shared<MemorySource>(rows)](const std::string& question, Index shard) {
    return answer_or_error([&] { return answer_record_question(*source, question, shard); });
  };
}

GaussianMixture some_mixture(Index d) {
  return {random_points(d, 3, 5), Vector::Constant(3, 1.0 / 3), 0.7};
}

// One of each kind, over records of dimension d.
std::vector<std::unique_ptr<RecordSum>> all_kinds(Index d) {
  const RowMatrix u = random_points(d, 4, 6);
  const Vector centre = random_points(d, 1, 7);
  std::vector<std::unique_ptr<RecordSum>> kinds;
  kinds.push_back(std::make_unique<PowerProducts>(u, 2));
  kinds.push_back(std::make_unique<PowerProducts>(u, 3, 1.5));
  kinds.push_back(std::make_unique<PowerValues>(u, 4, 1.5));
  kinds.push_back(std::make_unique<NormCounts>(std::vector{1.0, 3.0, 5.0}));
  kinds.push_back(std::make_unique<MomentSums>(centre, 4.0));
  kinds.push_back(std::make_unique<SpreadSums>(centre, 4.0));
  kinds.push_back(std::make_unique<CubeSum>(centre, u.leftCols(2), 4.0, 2.0));
  kinds.push_back(
      std::make_unique<ExpectationSum>(some_mixture(d), 4.0, ContributionClip{1.0, 2.0}));
  kinds.push_back(std::make_unique<GridCounts>(
      PointGrid{centre, u.leftCols(2), Vector::Constant(2, 3.0), 5}, 4.0));
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    kinds.push_back(std::make_unique<ComponentSum>(some_components(kind, d, 3), 4.0,
                                                   ComponentClip{1.0, 0.5, 2.0}));
  }
  return kinds;
}

TEST(RecordQuestions, sums_have_the_same_bits_for_any_number_of_shards) {
  const Index d = 40, n = 30000;
  const RowMatrix x = random_points(n, d, 1);
  for (const auto& kind : all_kinds(d)) {
    MemorySource alone(x);
    alone.skip(100);
    const RecordTotal expected = alone.sum_next(*kind, 29000);
    EXPECT_EQ(expected.records, 29000);
    for (const std::size_t shards : {1, 2, 3, 8}) {
      LocalShards local(std::vector<AnswerQuestion>(shards - 1, answers_from(x)), shards);
      ShardedPoints points(std::make_unique<MemorySource>(x), local);
      points.skip(100);
      const RecordTotal found = points.sum_next(*kind, 29000);
      EXPECT_EQ(found.records, 29000);
      EXPECT_EQ(found.sum, expected.sum) << shards;
      EXPECT_EQ(points.position(), 29100);
      // The rest, which is less than was asked for.
      EXPECT_EQ(points.sum_next(*kind, n).records, 900);
      EXPECT_EQ(points.sum_next(*kind, n).records, 0);
    }
  }
}

// Partitions at these places. The holder of one has its own records and `reach` behind them; all
// others are NaN, whose use would be an error.
RemotePoints::Ask held_in_partitions(const RowMatrix& x, const std::vector<Index>& cuts,
                                     Index* longest_reach) {
  return [=](const std::string& question, Index reach) {
    *longest_reach = std::max(*longest_reach, reach);
    std::string answers;
    for (std::size_t p = cuts.size() - 1; p > 0; --p) {  // in no particular order
      const OwnRecords own{cuts[p - 1], cuts[p]};
      const Index end = std::min(own.end + reach, x.rows());
      RowMatrix held =
          RowMatrix::Constant(x.rows(), x.cols(), std::numeric_limits<double>::quiet_NaN());
      held.middleRows(own.first, end - own.first) = x.middleRows(own.first, end - own.first);
      MemorySource source(std::move(held));
      const std::string answer =
          answer_or_error([&] { return answer_record_question(source, question, own); });
      answers = answers.empty() ? answer : joined_answers(answers, answer);
    }
    return answers;
  };
}

TEST(RecordQuestions, sums_have_the_same_bits_for_any_partitions) {
  const Index d = 40, n = 9000;
  const RowMatrix x = random_points(n, d, 1);
  const std::vector<std::vector<Index>> cut = {
      {0, n}, {0, 4321, n}, {0, 0, 1, 2, 3, 700, 700, 5000, 5001, n, n}};
  for (const auto& kind : all_kinds(d)) {
    for (const std::vector<Index>& cuts : cut) {
      Index longest_reach = 0;
      MemorySource alone(x);
      RemotePoints remote(held_in_partitions(x, cuts, &longest_reach), "remote", d, n, true);
      for (const Index records : {Index{100}, Index{5500}, n}) {  // the last one gets what is left
        const RecordTotal expected = alone.sum_next(*kind, records);
        const RecordTotal found = remote.sum_next(*kind, records);
        EXPECT_EQ(found.records, expected.records);
        EXPECT_EQ(found.sum, expected.sum);
      }
      EXPECT_GT(longest_reach, 0);
    }
  }
}

TEST(RecordQuestions, partitions_that_do_not_make_up_the_records_are_refused) {
  const RowMatrix x = random_points(3000, 4, 2);
  const PowerValues kind(random_points(4, 2, 9), 3);
  const auto with = [&](const std::vector<Index>& cuts, Index records) {
    Index reach = 0;
    RemotePoints remote(held_in_partitions(x, cuts, &reach), "remote", 4, records, true);
    remote.sum_next(kind, records);
  };
  EXPECT_NO_THROW(with({0, 2500, 3000}, 3000));
  EXPECT_THROW(with({0, 2500, 3000}, 2999), Error);  // one has more than there are
  EXPECT_THROW(with({2500, 3000}, 3000), Error);     // one is missing
  PointBlock block;
  RemotePoints remote({}, "remote", 4, 10, true);
  EXPECT_THROW(remote.read(1, block), Error);
}

TEST(RecordQuestions, sums_have_the_same_bits_for_any_number_of_threads) {
  const RowMatrix x = random_points(9000, 50, 2);
  for (const auto& kind : all_kinds(50)) {
    RowMatrix first;
    for (const int threads : {1, 2, 3, 7}) {
      on_threads(threads, [&] {
        MemorySource source(x);
        const RowMatrix sum = source.sum_next(*kind, 9000).sum;
        if (first.size() == 0) first = sum;
        EXPECT_EQ(sum, first);
      });
    }
  }
}

TEST(RecordQuestions, sparse_and_dense_records_have_the_same_sums) {
  const RowMatrix x = random_points(3000, 30, 3, 0.3);
  for (const auto& kind : all_kinds(30)) {
    MemorySource dense(x), sparse(x, true);
    const RowMatrix expected = dense.sum_next(*kind, 3000).sum;
    EXPECT_LE((sparse.sum_next(*kind, 3000).sum - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(RecordQuestions, powers_equal_the_naive_ones) {
  const Index d = 7;
  const RowMatrix x = random_points(500, d, 4), u = random_points(d, 3, 5);
  for (const double bound : {kNoBound, 1.5}) {
    RowMatrix products = RowMatrix::Zero(d, 3), values = RowMatrix::Zero(1, 3);
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector clipped = x.row(i).transpose() * std::min(1.0, bound / x.row(i).norm());
      const Vector s = u.transpose() * clipped;
      products += clipped * s.array().square().matrix().transpose();
      values += s.array().cube().matrix().transpose();
    }
    MemorySource source(x);
    const RowMatrix p = source.sum_next(PowerProducts(u, 2, bound), 500).sum;
    source.rewind();
    const RowMatrix v = source.sum_next(PowerValues(u, 3, bound), 500).sum;
    EXPECT_LE((p - products).norm(), 1e-12 * products.norm());
    EXPECT_LE((v - values).norm(), 1e-12 * values.norm());
  }
}

// What a shard sends does not grow with the records.
TEST(RecordQuestions, parts_have_few_nodes_for_any_number_of_records) {
  for (const Index pieces : {1, 5, 64, 1000, 123457, 99999999}) {
    for (const Index shards : {1, 3, 8, 100}) {
      Index end = 0;
      for (Index s = 0; s < shards; ++s) {
        const auto [first, last] = pieces_of_shard(pieces, s, shards);
        EXPECT_EQ(first, end);
        end = last;
        const Index edge = last == pieces ? 2 * pieces : last;  // the last node may be cut short
        Index nodes = 0;  // of the run of pieces, greedily from the left
        for (Index at = first; at < last; ++nodes) {
          Index size = 1;
          while (at % (2 * size) == 0 && at + 2 * size <= edge) size *= 2;
          at += size;
        }
        EXPECT_LE(nodes, 10);
        EXPECT_LE(last - first, pieces / shards + pieces / shards / 8 + 1);
      }
      EXPECT_EQ(end, pieces);
    }
  }
}

TEST(RecordQuestions, what_is_wrong_with_a_shard_is_said_once) {
  const RowMatrix x = random_points(20000, 10, 8);
  const PowerValues kind(random_points(10, 2, 9), 3);
  const auto with = [&](const AnswerQuestion& other) {
    return error_of([&] {
      LocalShards local({answers_from(x), other}, 1);
      ShardedPoints points(std::make_unique<MemorySource>(x), local);
      points.sum_next(kind, 20000);
    });
  };
  EXPECT_EQ(with(answers_from(x)), "");
  EXPECT_NE(with(answers_from(x.topRows(19999))).find("19999 records"), std::string::npos);
  EXPECT_NE(with(answers_from(x.leftCols(9))).find("dimension 9"), std::string::npos);
  RowMatrix spoilt = x;
  spoilt(19990, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(with(answers_from(spoilt)).find("record 19991"), std::string::npos);
  const AnswerQuestion altered = [&](const std::string& question, Index shard) {
    std::string answer = answers_from(x)(question, shard);
    answer[answer.size() / 2] ^= 4;
    return answer;
  };
  EXPECT_NE(with(altered).find("was altered"), std::string::npos);
  const AnswerQuestion twice = [&](const std::string& question, Index) {
    return answers_from(x)(question, 1);
  };
  EXPECT_NE(with(twice).find("came twice"), std::string::npos);
}

TEST(RecordQuestions, refuses_questions_of_no_known_kind) {
  MemorySource source(random_points(10, 2, 10));
  ByteWriter bytes;
  ShardQuestion{0, 1, 2, 10, 0, 10}.write(bytes);
  bytes.integer(999);
  EXPECT_THROW(answer_record_question(source, std::move(bytes).sealed(), 0), Error);
  EXPECT_THROW(answer_record_question(source, "nonsense", 0), Error);
}

TEST(RecordQuestions, records_that_cannot_be_read_from_any_place_are_refused) {
  LocalShards none({}, 1);
  EXPECT_THROW(ShardedPoints(std::make_unique<MemorySource>(random_points(10, 2, 11), false,
                                                            MemorySource::Knows::nothing),
                             none),
               Error);
}

}  // namespace
}  // namespace sotto
