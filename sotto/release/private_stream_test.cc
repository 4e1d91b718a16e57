#include "sotto/release/private_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

Matrix random_unit_block(Index dim, Index columns, SeededRandom& random) {
  Matrix block(dim, columns);
  for (Index n = 0; n < block.size(); ++n) block.data()[n] = random.normal();
  return block.colwise().normalized();
}

Sensitive<OnePassRecords> records(const RowMatrix& rows) {
  return Sensitive<OnePassRecords>(OnePassRecords(std::make_unique<MemorySource>(rows)));
}

PrivateStreamPlan plan_for(Index dim, Index starts, Index answers, Index batch) {
  return {{1.0, 1e-6}, dim, 3, starts, answers, batch, 1.0};
}

Matrix contribution(const Vector& x, const Matrix& u, int order) {
  return x * (u.transpose() * x).array().pow(order - 1).matrix().transpose();
}

RowMatrix random_rows(Index n, Index d, double norm, std::uint64_t seed) {
  SeededRandom random(seed);
  const Matrix columns = norm * random_unit_block(d, n, random);
  return columns.transpose();
}

// Gradient ascent of |c(x)| on the sphere from many starts: finds the largest contribution.
double largest_contribution(const Matrix& u, int order, bool values) {
  SeededRandom random(7);
  double best = 0;
  const auto norm = [&](const Vector& x) {
    return values ? (u.transpose() * x).array().pow(order).matrix().norm()
                  : contribution(x, u, order).norm();
  };
  for (int start = 0; start < 30; ++start) {
    Vector x = random_unit_block(u.rows(), 1, random);
    for (int t = 0; t < 300; ++t) {
      // d/dx sum s^(2q) = 2q U s^(2q-1)
      const int q = values ? order : order - 1;
      x = (u * (u.transpose() * x).array().pow(2 * q - 1).matrix() + 0.1 * x).normalized();
    }
    best = std::max(best, norm(x));
  }
  return best;
}

// The smallest bound and the longest records: numbers that are small against the record must not be
// lost, and records that overflow count as zero. Smaller bounds are refused.
TEST(PrivateStream, a_record_of_any_length_moves_an_answer_by_at_most_the_sensitivity) {
  SeededRandom random(9);
  const Matrix u = random_unit_block(3, 1, random);
  for (const double bound : {1e-20, 1.0, 1e20}) {
    PrivateStreamPlan plan = plan_for(3, 1, 1, 1);
    plan.max_norm = bound;
    const auto answer = [&](double length) {
      PrivateRun run(record_statement(plan), NoiseKey::insecure_from_seed(1));
      const RowMatrix row = length * u.transpose();
      PrivateStreamOracle oracle(records(row), plan, run);
      const Matrix found = oracle.contract(u);
      return std::pair(found, run.certify().releases[0].record.sensitivity);
    };
    const auto [nothing, charged] = answer(0);
    for (const double length : {1e-300, 1e-25, 1.0, 1e25, 1e153, 1e200}) {
      EXPECT_LE((answer(length).first - nothing).norm(), charged / 2 * (1 + 1e-6)) << length;
    }
    EXPECT_GE((answer(1e153).first - nothing).norm(), charged / 2 * (1 - 1e-6)) << bound;
  }
  PrivateStreamPlan plan = plan_for(3, 1, 1, 1);
  for (const double bound : {9e-21, 2e20}) {
    plan.max_norm = bound;
    PrivateRun run(record_statement(plan), NoiseKey::from_system());
    EXPECT_THROW(PrivateStreamOracle(records(RowMatrix::Ones(1, 3)), plan, run), Error);
  }
}

TEST(PrivateStream, no_record_passes_the_bound_and_the_worst_reach_it) {
  for (const int order : {3, 4}) {
    PrivateStreamPlan plan = plan_for(6, 4, 1, 1);
    plan.order = order;
    SeededRandom random(1);
    for (int trial = 0; trial < 20; ++trial) {
      const Matrix u = random_unit_block(6, 4, random);
      EXPECT_LE(largest_contribution(u, order, false), record_bound(u, plan, order - 1));
      EXPECT_LE(largest_contribution(u, order, true), record_bound(u, plan, order));
    }
    // The blocks for which the bound is attained: orthonormal starts, and starts that all agree.
    const Matrix orthonormal = orthonormal_columns(random_unit_block(6, 4, random));
    const Matrix agreed = random_unit_block(6, 1, random).replicate(1, 4);
    for (const Matrix& u : {orthonormal, agreed}) {
      EXPECT_GE(largest_contribution(u, order, false), 0.999 * record_bound(u, plan, order - 1));
      EXPECT_LE(largest_contribution(u, order, false), record_bound(u, plan, order - 1));
      EXPECT_GE(largest_contribution(u, order, true), 0.999 * record_bound(u, plan, order));
    }
  }
}

TEST(PrivateStream, neighbours_move_the_mean_by_at_most_the_sensitivity_and_nearly_reach_it) {
  const Index n = 10;
  SeededRandom random(2);
  const Matrix u = orthonormal_columns(random_unit_block(6, 3, random));
  RowMatrix rows = random_rows(n, 6, 1, 3);
  rows.row(4) = u.col(1).transpose();
  RowMatrix other = rows;
  other.row(4) = -u.col(1).transpose();
  Matrix difference = Matrix::Zero(6, 3);
  for (Index i = 0; i < n; ++i) {
    difference += contribution(rows.row(i), u, 3) - contribution(other.row(i), u, 3);
  }
  PrivateStreamPlan plan = plan_for(6, 3, 1, n);
  const double sensitivity = 2 * record_bound(u, plan, 2) / n;
  EXPECT_LE(difference.norm() / n, sensitivity);
  EXPECT_GE(difference.norm() / n, 0.999 * sensitivity);
}

// Answers minus the exact mean, over many fresh runs.
TEST(PrivateStream, answers_are_the_exact_mean_plus_noise_of_the_recorded_size) {
  const Index n = 50, d = 5, starts = 3;
  const RowMatrix rows = random_rows(n, d, 0.9, 4);
  SeededRandom random(5);
  const Matrix u = random_unit_block(d, starts, random);
  Matrix exact = Matrix::Zero(d, starts);
  for (Index i = 0; i < n; ++i) exact += contribution(rows.row(i), u, 3) / n;
  double sum = 0, squares = 0, noise = 0;
  int count = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    PrivateRun run(record_statement(plan_for(d, starts, 1, n)), NoiseKey::insecure_from_seed(seed));
    PrivateStreamOracle oracle(records(rows), plan_for(d, starts, 1, n), run);
    const Matrix error = oracle.contract(u) - exact;
    noise = run.certify().releases[0].record.noise;
    sum += error.sum();
    squares += error.squaredNorm();
    count += static_cast<int>(error.size());
  }
  const double share = squares / count / (noise * noise);
  EXPECT_NEAR(sum / count / noise, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(share, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_GT(std::abs(1.1 * 1.1 * share - 1), 5 * std::sqrt(2.0 / count));  // a 10% error shows
}

TEST(PrivateStream, all_answers_together_cost_one_release_and_no_more_than_was_asked) {
  const Index n = 20, d = 4, starts = 2, answers = 5;
  const PrivateStreamPlan plan = plan_for(d, starts, answers, n);
  PrivateRun run(record_statement(plan), NoiseKey::from_system());
  PrivateStreamOracle oracle(records(random_rows(n * answers, d, 1, 6)), plan, run);
  SeededRandom random(7);
  for (int a = 0; a < 4; ++a) oracle.contract(random_unit_block(d, starts, random));
  oracle.values(random_unit_block(d, starts, random));
  const Certificate certificate = run.certify();
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_LE(certificate.epsilon, plan.target.epsilon);
  EXPECT_GT(certificate.epsilon, plan.target.epsilon * (1 - 1e-6));
  ASSERT_EQ(certificate.releases.size(), 5u);
  for (const CertifiedRelease& release : certificate.releases) EXPECT_EQ(release.parallel, 1);
  // No answer beyond the plan, since every record has been read.
  EXPECT_THROW(oracle.contract(random_unit_block(d, starts, random)), Error);
}

TEST(PrivateStream, long_records_are_clipped_and_overflowing_ones_left_out) {
  const Index n = 4, d = 3;
  RowMatrix rows = random_rows(n, d, 1, 8);
  RowMatrix scaled = rows;
  scaled.row(1) *= 1e6;
  scaled.row(2) *= 1e200;
  rows.row(2).setZero();
  SeededRandom random(9);
  const Matrix u = random_unit_block(d, 2, random);
  std::vector<Matrix> answers;
  for (const RowMatrix& data : {rows, scaled}) {
    PrivateStreamPlan plan = plan_for(d, 2, 2, n / 2);
    PrivateRun run(record_statement(plan), NoiseKey::insecure_from_seed(1));
    PrivateStreamOracle oracle(records(data), plan, run);
    answers.push_back(oracle.contract(u));
    answers.back().row(0) += oracle.values(u).transpose();
    EXPECT_FALSE(run.certify().proved);  // an insecure seed
  }
  EXPECT_TRUE(answers[1].allFinite());
  EXPECT_LT((answers[0] - answers[1]).norm(), 1e-7 * answers[0].norm());
}

PrivateStreamPlan searching_plan(Index dim, Index starts, Index answers, Index batch) {
  PrivateStreamPlan plan = plan_for(dim, starts, answers, batch);
  plan.max_norm = 16;
  plan.search = NormSearch{{0.25, 16}, 400, plan.target.epsilon};
  return plan;
}

// Asks `answers` questions of a run, each question depending on the answer before it.
std::vector<Matrix> transcript(SymmetricOracle& oracle, Index starts, int answers) {
  SeededRandom random(20);
  Matrix u = random_unit_block(oracle.dim(), starts, random);
  std::vector<Matrix> result;
  for (int a = 0; a < answers; ++a) {
    result.push_back(a % 3 == 2 ? Matrix(oracle.values(u)) : oracle.contract(u));
    if (a % 3 != 2) u = result.back().colwise().normalized();
  }
  return result;
}

TEST(PrivateStream, a_bound_that_is_found_costs_records_and_no_epsilon) {
  const Index n = 300, d = 4, starts = 2, answers = 3;
  const PrivateStreamPlan plan = searching_plan(d, starts, answers, n);
  EXPECT_EQ(plan.records(), 400 + 3 * 300);
  PrivateRun run(record_statement(plan), NoiseKey::from_system());
  PrivateStreamOracle oracle(records(random_rows(plan.records(), d, 2, 21)), plan, run);
  transcript(oracle, starts, answers);
  EXPECT_NEAR(oracle.max_norm(), 2, 0.4);
  const Certificate certificate = run.certify();
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_LE(certificate.epsilon, plan.target.epsilon);
  EXPECT_GT(certificate.epsilon, plan.target.epsilon * (1 - 1e-6));
  ASSERT_EQ(certificate.releases.size(), 4u);
  for (const CertifiedRelease& release : certificate.releases) EXPECT_EQ(release.parallel, 1);
  EXPECT_EQ(oracle.position(), (StreamPosition{3, 0, plan.records(), oracle.max_norm()}));
}

// The noise depends on the bound that was chosen, not on the range.
TEST(PrivateStream, noise_is_that_of_the_bound_found) {
  const PrivateStreamPlan plan = searching_plan(4, 2, 1, 300);
  const RowMatrix rows = random_rows(plan.records(), 4, 2, 22);
  SeededRandom random(20);
  const Matrix u = random_unit_block(4, 2, random);
  PrivateRun run(record_statement(plan), NoiseKey::from_system());
  PrivateStreamOracle oracle(records(rows), plan, run);
  oracle.contract(u);
  PrivateStreamPlan fixed = plan;
  fixed.max_norm = oracle.max_norm();
  const double sensitivity = 2 * record_bound(u, fixed, 2) / 300;
  EXPECT_NEAR(run.certify().releases[1].record.noise, sensitivity / stream_mu(plan),
              1e-6 * sensitivity);
}

// With the same noise, streams that differ in one record take the same steps: the same reads, the
// same releases with the same parameters. Only the values under the noise differ.
TEST(PrivateStream, neighbours_take_the_same_steps) {
  const Index n = 50, d = 4, starts = 2, answers = 3;
  const PrivateStreamPlan plan = searching_plan(d, starts, answers, n);
  const RowMatrix rows = random_rows(plan.records(), d, 1, 23);
  const auto run_on = [&](const RowMatrix& data) {
    PrivateRun run(record_statement(plan), NoiseKey::insecure_from_seed(5));
    PrivateStreamOracle oracle(records(data), plan, run);
    const std::vector<Matrix> answered = transcript(oracle, starts, answers);
    return std::tuple(answered, run.certify(), oracle.position());
  };
  const auto [answers_of, certificate, position] = run_on(rows);
  for (const Index place : {0, 399, 400, 449, 450, 549}) {
    for (const double factor : {0.0, -1.0, 1e3, 1e200}) {
      RowMatrix other = rows;
      other.row(place) *= factor;
      const auto [other_answers, other_certificate, other_position] = run_on(other);
      EXPECT_EQ(position, other_position) << place;
      EXPECT_NEAR(certificate.epsilon, other_certificate.epsilon, 1e-9);
      ASSERT_EQ(certificate.releases.size(), other_certificate.releases.size());
      // Answers before the batch of the record are equal to the last bit.
      const Index batch = place < 400 ? -1 : (place - 400) / n;
      for (Index a = 0; a < batch; ++a) EXPECT_EQ(answers_of[a], other_answers[a]) << place;
    }
  }
}

TEST(PrivateStream, a_resumed_run_repeats_no_release_and_certifies_the_same) {
  const Index n = 60, d = 4, starts = 2, answers = 6;
  const PrivateStreamPlan plan = searching_plan(d, starts, answers, n);
  const RowMatrix rows = random_rows(plan.records(), d, 1, 24);
  PrivateRun run(record_statement(plan), NoiseKey::insecure_from_seed(6));
  PrivateStreamOracle oracle(records(rows), plan, run);
  const std::vector<Matrix> whole = transcript(oracle, starts, answers);
  for (const int before : {1, 3, 5, 6}) {
    PrivateRun first_run(record_statement(plan), NoiseKey::insecure_from_seed(6));
    PrivateStreamOracle first(records(rows), plan, first_run);
    const std::vector<Matrix> stored = transcript(first, starts, before);
    const StreamPosition position = first.position();

    PrivateRun second_run(record_statement(plan), NoiseKey::insecure_from_seed(6));
    PrivateStreamOracle second(records(rows), plan, second_run);
    second.resume_at(position);
    EXPECT_EQ(second.max_norm(), oracle.max_norm());
    SeededRandom random(20);
    Matrix u = random_unit_block(d, starts, random);
    for (int a = 0; a < answers; ++a) {
      const bool values = a % 3 == 2;
      if (a < before) {
        second.replayed(u, values ? Asked::values : Asked::contract);
      } else {
        EXPECT_EQ(values ? Matrix(second.values(u)) : second.contract(u), whole[a]) << a;
      }
      if (!values) u = whole[a].colwise().normalized();
    }
    EXPECT_EQ(second.position(), oracle.position());
    EXPECT_EQ(second_run.certify().to_text(), run.certify().to_text());
    EXPECT_EQ(second_run.certify().epsilon, run.certify().epsilon);
    EXPECT_THROW(second.contract(u), Error);
  }
}

// The records that the given answers have read must be the same; later ones may differ.
TEST(PrivateStream, goes_on_over_the_same_records_only) {
  const PrivateStreamPlan plan = searching_plan(3, 2, 4, 10);
  const RowMatrix rows = random_rows(plan.records(), 3, 1, 26);
  const SecretKey key = fresh_secret_key();
  PrivateRun run(record_statement(plan), NoiseKey::from_system());
  const auto begin = [&](const RowMatrix& data) {
    auto oracle = std::make_unique<PrivateStreamOracle>(records(data), plan, run);
    oracle->keep_digest(key);
    return oracle;
  };
  const auto first = begin(rows);
  transcript(*first, 2, 2);
  const auto resumes = [&](const RowMatrix& data) {
    try {
      begin(data)->resume_at(first->position());
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(resumes(rows));
  for (const Index place : {0, 399, 400, 419, 420, 439}) {
    RowMatrix other = rows;
    other.row(place) *= 0.5;
    EXPECT_EQ(resumes(other), place >= 420) << place;
    RowMatrix swapped = rows;
    swapped.row(place).swap(swapped.row(439 - place));
    EXPECT_EQ(resumes(swapped), false) << place;
  }
}

PrivateStreamPlan shuffling_plan(Index dim, Index starts, Index answers, Index batch) {
  PrivateStreamPlan plan = plan_for(dim, starts, answers, batch);
  plan.shuffled = answers * batch;
  return plan;
}

// The noise of a seed is the same for all data, so a difference of answers is one of their batches.
std::vector<Matrix> answers_to(const RowMatrix& rows, const PrivateStreamPlan& plan,
                               const std::optional<OrderSeed>& order) {
  PrivateRun run(record_statement(plan), NoiseKey::insecure_from_seed(1));
  PrivateStreamOracle oracle(records(rows), plan, run, order);
  const Matrix u = Matrix::Identity(plan.dim, plan.starts);
  std::vector<Matrix> answers;
  for (Index a = 0; a < plan.answers; ++a) answers.push_back(oracle.contract(u));
  return answers;
}

// A file sorted by size, and the same with its smallest record replaced by the largest: every
// record has moved, and so has every batch. Read in a secret order, the two have the same law
// except for one record: for every order of the one there is an order of the other that puts equal
// records into equal places, and this coupling covers all orders.
TEST(PrivateStream, in_a_secret_order_a_sorted_file_differs_from_its_neighbour_in_one_batch) {
  const Index n = 4;
  RowMatrix rows(n, 1), other(n, 1);
  rows << 0.1, 0.2, 0.3, 0.4;
  other << 0.2, 0.3, 0.4, 0.5;
  PrivateStreamPlan plan = plan_for(1, 1, n, 1);
  const auto fixed = answers_to(rows, plan, {}), moved = answers_to(other, plan, {});
  for (Index a = 0; a < n; ++a) EXPECT_NE(fixed[a], moved[a]);

  const auto differing = [&](const RowMatrix& x, const RowMatrix& y) {
    const auto a = answers_to(x, plan, {}), b = answers_to(y, plan, {});
    Index count = 0;
    for (Index i = 0; i < n; ++i) count += a[i] == b[i] ? 0 : 1;
    return count;
  };
  std::set<std::vector<double>> images;
  std::vector<Index> order{0, 1, 2, 3};
  do {
    // Record i of the one is record i - 1 of the other; the replaced one is the new one.
    std::vector<Index> coupled;
    for (const Index i : order) coupled.push_back(i == 0 ? n - 1 : i - 1);
    const RowMatrix x = rows(order, Eigen::all), y = other(coupled, Eigen::all);
    EXPECT_EQ(differing(x, y), 1);
    images.insert({y.data(), y.data() + n});
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(images.size(), 24u);  // the coupled orders are all orders
}

TEST(PrivateStream, a_secret_order_is_that_of_its_seed) {
  const PrivateStreamPlan plan = shuffling_plan(2, 1, 4, 5);
  const RowMatrix rows = random_rows(20, 2, 1, 27);
  const OrderSeed seed = OrderSeed::from_system();
  const RowMatrix shuffled = rows(secret_permutation(20, seed), Eigen::all);
  EXPECT_EQ(answers_to(rows, plan, seed), answers_to(shuffled, plan_for(2, 1, 4, 5), {}));
  EXPECT_NE(answers_to(rows, plan, seed), answers_to(rows, plan, OrderSeed::from_system()));
}

TEST(PrivateStream, the_statement_says_what_the_order_does) {
  const PrivacyStatement fixed = record_statement(plan_for(2, 1, 4, 5));
  EXPECT_NE(fixed.neighbours.find("in its place"), std::string::npos);
  EXPECT_EQ(fixed.public_facts[1],
            "that the order of the records does not depend on what is in them");
  const PrivacyStatement shuffled = record_statement(shuffling_plan(2, 1, 4, 5));
  EXPECT_NE(shuffled.neighbours.find("in any order"), std::string::npos);
  EXPECT_EQ(shuffled.neighbours.find("in its place"), std::string::npos);
}

TEST(PrivateStream, a_plan_to_shuffle_has_an_order_and_proves_nothing_with_a_known_one) {
  const PrivateStreamPlan plan = shuffling_plan(2, 1, 1, 20);
  const RowMatrix rows = random_rows(20, 2, 1, 28);
  PrivateRun run(record_statement(plan), NoiseKey::from_system());
  const auto make = [&](const PrivateStreamPlan& made, std::optional<OrderSeed> order) {
    return PrivateStreamOracle(records(rows), made, run, order);
  };
  EXPECT_THROW(make(plan, {}), Error);
  EXPECT_THROW(make(plan_for(2, 1, 1, 20), OrderSeed::from_system()), Error);
  PrivateStreamPlan more = plan;
  more.shuffled = 21;
  EXPECT_THROW(make(more, OrderSeed::from_system()), Error);
  make(plan, OrderSeed::from_system()).contract(Matrix::Ones(2, 1));
  EXPECT_TRUE(run.certify().proved);
  make(plan, OrderSeed::insecure_from_seed(1));
  EXPECT_FALSE(run.certify().proved);
}

TEST(PrivateStream, a_plan_to_shuffle_needs_a_file_of_known_length_that_allows_it) {
  const StreamQuestions shuffle{3, 8, 7, 10, true};
  const PrivacyTarget target{0.1, 1e-6};
  EXPECT_EQ(plan_private_stream({50, 1000, "p"}, target, 1.0, shuffle).shuffled, 1000);
  EXPECT_THROW(plan_private_stream({50, {}, "p"}, target, 1.0, shuffle), Error);
  EXPECT_THROW(plan_private_stream({50, 1000, "p", false}, target, 1.0, shuffle), Error);
}

TEST(PrivateStream, refuses_a_position_of_another_run) {
  const PrivateStreamPlan plan = searching_plan(3, 2, 4, 10);
  const RowMatrix rows = random_rows(plan.records(), 3, 1, 25);
  for (const StreamPosition& position :
       {StreamPosition{0, 0, 400, 1}, StreamPosition{5, 0, 450, 1}, StreamPosition{1, 1, 410, 1},
        StreamPosition{1, 0, 411, 1}, StreamPosition{1, 0, 410, 0},
        StreamPosition{1, 0, 410, 17}}) {
    PrivateRun run(record_statement(plan), NoiseKey::from_system());
    PrivateStreamOracle oracle(records(rows), plan, run);
    EXPECT_THROW(oracle.resume_at(position), Error);
  }
}

TEST(PrivateStream, a_plan_shares_out_what_the_bound_leaves) {
  const StreamQuestions questions{3, 8, 7, 0};
  const PrivacyTarget target{0.1, 1e-6};
  const PrivateStreamPlan given = plan_private_stream({50, 1000000, "p"}, target, 1.0, questions);
  EXPECT_EQ(given.batch, 1000000 / 7);
  EXPECT_FALSE(given.search);
  const PrivateStreamPlan found =
      plan_private_stream({50, 1000000, "p"}, target, NormRange{0.1, 10}, questions);
  EXPECT_EQ(found.search->records, 10000);
  EXPECT_EQ(found.batch, 990000 / 7);
  EXPECT_LE(found.records(), 1000000);
  const StreamQuestions with_batch{3, 8, 7, 1000};
  EXPECT_EQ(plan_private_stream({50, {}, "p"}, target, NormRange{0.1, 10}, with_batch).records(),
            7350);
  EXPECT_THROW(plan_private_stream({50, {}, "p"}, target, 1.0, questions), Error);
  const StreamQuestions endless{3, 8, 7, std::numeric_limits<std::int64_t>::max()};
  EXPECT_THROW(plan_private_stream({50, {}, "p"}, target, 1.0, endless), Error);
  EXPECT_THROW(plan_private_stream({50, 6999, "p"}, target, 1.0, with_batch), Error);
  EXPECT_THROW(plan_private_stream({50, 7349, "p"}, target, NormRange{0.1, 10}, with_batch), Error);
}

TEST(PrivateStream, refuses_short_streams_bad_records_and_other_shapes) {
  const PrivateStreamPlan plan = plan_for(3, 2, 4, 10);
  SeededRandom random(10);
  const Matrix u = random_unit_block(3, 2, random);
  PrivateRun run(record_statement(plan), NoiseKey::from_system());
  PrivateStreamOracle short_stream(records(random_rows(15, 3, 1, 11)), plan, run);
  short_stream.contract(u);
  try {
    short_stream.contract(u);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ended after 15 records; this run needs 40"),
              std::string::npos)
        << error.what();
  }
  RowMatrix bad = random_rows(40, 3, 1, 12);
  bad(5, 1) = std::nan("");
  PrivateStreamOracle with_nan(records(bad), plan, run);
  EXPECT_THROW(with_nan.contract(u), Error);
  PrivateStreamOracle other(records(random_rows(40, 3, 1, 13)), plan, run);
  EXPECT_THROW(other.contract(random_unit_block(3, 5, random)), Error);
  PrivateStreamPlan negative = plan;
  negative.max_norm = -1;
  EXPECT_THROW(PrivateStreamOracle(records(bad), negative, run), Error);
}

}  // namespace
}  // namespace sotto
