#include "sotto/moments/stream_oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/base/testing/error_of.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

std::unique_ptr<PointSource> in_memory(const RowMatrix& rows, bool sparse = false) {
  return std::make_unique<MemorySource>(rows, sparse);
}

// (1/n) sum x (x.u)^(p-1), one record after the other.
Matrix naive_contract(const RowMatrix& x, const Matrix& u, int order) {
  Matrix y = Matrix::Zero(u.rows(), u.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index l = 0; l < u.cols(); ++l) {
      y.col(l) += std::pow(x.row(i).dot(u.col(l)), order - 1) * x.row(i).transpose();
    }
  }
  return y / static_cast<double>(x.rows());
}

TEST(StreamOracle, answers_from_the_next_batch_each_time) {
  const RowMatrix x = random_matrix(4 * 3000, 40, 1);
  const Matrix u = random_matrix(40, 9, 2);
  for (const bool sparse : {false, true}) {
    for (const int order : {3, 4}) {
      StreamOracle oracle(in_memory(x, sparse), {4, 3000, 1}, order);
      EXPECT_EQ(oracle.order(), order);
      for (Index a = 0; a < 4; ++a) {
        const Matrix expected = naive_contract(x.middleRows(a * 3000, 3000), u, order);
        if (a % 2 == 0) {
          EXPECT_LE((oracle.contract(u) - expected).norm(), 1e-12 * expected.norm());
        } else {
          const Vector values = column_dots(u, expected);
          EXPECT_LE((oracle.values(u) - values).norm(), 1e-11 * expected.norm() * u.norm());
        }
        EXPECT_EQ(oracle.position(), (StreamPosition{a + 1, 0, (a + 1) * 3000}));
      }
      EXPECT_THROW(oracle.contract(u), Error);
    }
  }
}

TEST(StreamOracle, has_the_same_answer_for_any_number_of_threads) {
  const RowMatrix x = random_matrix(20000, 60, 3);
  const Matrix u = random_matrix(60, 16, 4);
  const auto answer = [&] { return StreamOracle(in_memory(x), {1, 20000, 1}).contract(u); };
  const Matrix one = on_threads(1, answer);
  for (const int threads : {3, 6}) EXPECT_EQ(on_threads(threads, answer), one);
}

TEST(StreamOracle, says_how_many_records_it_needs_when_the_stream_ends) {
  const RowMatrix x = random_matrix(250, 5, 5);
  StreamOracle oracle(in_memory(x), {4, 100, 1});
  const Matrix u = random_matrix(5, 2, 6);
  oracle.contract(u);
  oracle.contract(u);
  const std::string said = error_of([&] { oracle.contract(u); });
  EXPECT_NE(said.find("ended after 250 records"), std::string::npos) << said;
  EXPECT_NE(said.find("needs 400 records, 4 answers from 100 each"), std::string::npos) << said;
}

TEST(StreamOracle, reads_again_when_passes_allow_it) {
  const RowMatrix x = random_matrix(250, 5, 7);
  RowMatrix twice(500, 5);
  twice << x, x;
  StreamOracle oracle(in_memory(x), {5, 100, 2});
  const Matrix u = random_matrix(5, 2, 8);
  for (Index a = 0; a < 5; ++a) {
    const Matrix expected = naive_contract(twice.middleRows(a * 100, 100), u, 3);
    EXPECT_LE((oracle.contract(u) - expected).norm(), 1e-13 * expected.norm()) << a;
  }
  EXPECT_EQ(oracle.position(), (StreamPosition{5, 1, 250}));
}

TEST(StreamOracle, resumes_to_the_same_bits) {
  const RowMatrix x = random_matrix(7300, 33, 9);
  const Matrix u = random_matrix(33, 6, 10);
  const StreamPlan plan{6, 2400, 2};  // the fourth answer goes over the end
  StreamOracle whole(in_memory(x), plan);
  for (int a = 0; a < 6; ++a) {
    StreamOracle resumed(in_memory(x), plan);
    resumed.resume_at(whole.position());
    EXPECT_EQ(resumed.position(), whole.position());
    const Matrix y = whole.contract(u);
    EXPECT_EQ(resumed.contract(u), y) << a;
    EXPECT_EQ(resumed.position(), whole.position());
  }
}

TEST(StreamOracle, refuses_a_resume_that_cannot_be) {
  const RowMatrix x = random_matrix(100, 3, 11);
  const Matrix u = random_matrix(3, 1, 12);
  StreamOracle short_of(in_memory(x), {2, 50, 1});
  EXPECT_NE(error_of([&] {
              short_of.resume_at({1, 0, 150});
            }).find("has 100 records, but 150"),
            std::string::npos);
  StreamOracle begun(in_memory(x), {2, 50, 1});
  begun.contract(u);
  EXPECT_THROW(begun.resume_at({1, 0, 50}), Error);
  StreamOracle other(in_memory(x), {2, 50, 1});
  EXPECT_THROW(other.resume_at({3, 0, 0}), Error);
  EXPECT_THROW(other.resume_at({1, 1, 0}), Error);
}

// A stream that begins with other records is refused; whatever follows them may differ.
TEST(StreamOracle, resumes_over_the_same_records_only) {
  const RowMatrix x = random_matrix(300, 4, 17);
  const Matrix u = random_matrix(4, 2, 18);
  const SecretKey key = fresh_secret_key();
  for (const bool sparse : {false, true}) {
    StreamOracle first(in_memory(x, sparse), {3, 100, 1});
    first.keep_digest(key);
    first.contract(u);
    first.contract(u);
    const auto resumed = [&](const RowMatrix& rows) {
      StreamOracle oracle(in_memory(rows, sparse), {3, 100, 1});
      oracle.keep_digest(key);
      return error_of([&] { oracle.resume_at(first.position()); });
    };
    EXPECT_EQ(resumed(x), "");
    RowMatrix other = x;
    other.row(200).setZero();
    EXPECT_EQ(resumed(other), "");
    other.row(199) *= 1 + 1e-15;
    EXPECT_NE(resumed(other).find("its first 200 records are not those"), std::string::npos);
    other = x;
    other.row(0).swap(other.row(150));
    EXPECT_NE(resumed(other).find("its first 200 records are not those"), std::string::npos);
    StreamOracle without(in_memory(x, sparse), {3, 100, 1});
    EXPECT_NE(error_of([&] { without.resume_at(first.position()); }), "");
  }
}

TEST(StreamOracle, the_digest_is_that_of_the_pass) {
  const RowMatrix x = random_matrix(250, 5, 19);
  const Matrix u = random_matrix(5, 2, 20);
  const SecretKey key = fresh_secret_key();
  StreamOracle whole(in_memory(x), {5, 100, 2});
  whole.keep_digest(key);
  for (int a = 0; a < 5; ++a) {
    whole.contract(u);
    StreamOracle resumed(in_memory(x), {5, 100, 2});
    resumed.keep_digest(key);
    resumed.resume_at(whole.position());
    EXPECT_EQ(resumed.position(), whole.position());
  }
}

TEST(StreamOracle, refuses_impossible_plans) {
  const RowMatrix x = random_matrix(100, 3, 13);
  EXPECT_THROW(StreamOracle(in_memory(x), {0, 1, 1}), Error);
  EXPECT_THROW(StreamOracle(in_memory(x), {1, 0, 1}), Error);
  EXPECT_THROW(StreamOracle(in_memory(x), {1, 1, 0}), Error);
  EXPECT_THROW(StreamOracle(in_memory(x), {1, 1, 1}, 5), Error);
}

TEST(PlanStream, shares_out_the_records_there_are) {
  const MemorySource source(random_matrix(100, 3, 14));
  EXPECT_EQ(plan_stream(source, 7, 0, 1).batch, 14);
  EXPECT_EQ(plan_stream(source, 7, 0, 3).batch, 42);
  EXPECT_EQ(plan_stream(source, 7, 5, 1).points(), 35);
}

TEST(PlanStream, refuses_what_the_source_cannot_give) {
  const MemorySource source(random_matrix(100, 3, 15));
  const std::string said = error_of([&] { plan_stream(source, 7, 15, 1); });
  EXPECT_NE(said.find("needs 105 records"), std::string::npos) << said;
  EXPECT_NE(said.find("it has 100"), std::string::npos) << said;
  EXPECT_NO_THROW(plan_stream(source, 7, 15, 2));
  EXPECT_THROW(plan_stream(source, 101, 0, 1), Error);  // not even one record per answer
  EXPECT_THROW(plan_stream(source, 1, -1, 1), Error);
  EXPECT_THROW(plan_stream(source, 1, 1, 0), Error);
  EXPECT_THROW(plan_stream(source, 100, std::numeric_limits<Index>::max() / 10, 1), Error);
  const MemorySource pipe(random_matrix(100, 3, 16), false, MemorySource::Knows::nothing);
  EXPECT_NE(error_of([&] { plan_stream(pipe, 1, 10, 2); }).find("`passes`"), std::string::npos);
  EXPECT_NE(error_of([&] { plan_stream(pipe, 1, 0, 1); }).find("`batch`"), std::string::npos);
}

}  // namespace
}  // namespace sotto
