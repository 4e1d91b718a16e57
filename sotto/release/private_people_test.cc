#include "sotto/release/private_people.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

const std::vector<Index> kVisits{20, 6, 4, 3};
constexpr Index kRows = 6 + 4 + 3;
const std::vector<std::int32_t> kCoreRows{0, 2, 5, 7, 8, 11};

// What people have; the last ones are special: one event, two alike, two that differ, a heavy user,
// and one with a single cell of very many events.
SparseTensor visits(std::int32_t without = -1) {
  SeededRandom random(7);
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  const auto add = [&](std::int32_t p, std::int32_t a, std::int32_t b, std::int32_t c, double n) {
    if (p == without) return;
    indices.insert(indices.end(), {p, a, b, c});
    values.push_back(n);
  };
  for (std::int32_t p = 0; p < 15; ++p) {
    for (int n = 0; n < 8; ++n) {
      const auto row = [&](Index m) {
        return static_cast<std::int32_t>(
            random.below(static_cast<std::uint64_t>(kVisits[static_cast<std::size_t>(m)])));
      };
      const std::int32_t a = row(1), b = row(2), c = row(3);
      add(p, a, b, c, 1);
    }
  }
  add(15, 0, 1, 2, 1);
  add(16, 2, 2, 2, 2);
  add(17, 0, 1, 2, 1);
  add(17, 2, 2, 2, 1);
  for (std::int32_t n = 0; n < 72; ++n) add(18, n % 6, n / 6 % 4, n / 24, 1000 + n);
  add(19, 5, 2, 2, 0x1p31);
  return SparseTensor(kVisits, indices, values, Duplicates::sum);
}

TripleBasis some_basis() {
  SeededRandom random(1);
  const auto rows = [&](Index n, Index cols) {
    RowMatrix m(n, cols);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
    return m;
  };
  return {{rows(6, 3), rows(4, 3), rows(3, 2)}, rows(kRows, 3)};
}

PersonFactors some_factors() {
  SeededRandom random(2);
  PersonFactors factors{RowMatrix(kRows, 3), Vector::Constant(3, 0.3), 5};
  for (Index i = 0; i < factors.stacked.size(); ++i) factors.stacked.data()[i] = random.uniform();
  return factors;
}

struct Answers {
  std::vector<Matrix> blocks;
  Certificate certificate;
};

// All releases; the same noise for the same seed.
Answers ask(SparseTensor tensor, double epsilon = 1) {
  const PrivacyTarget target{epsilon, 1e-6};
  const PublicPeopleShape shape = people_shape(kVisits, "");
  PrivateRun run(person_statement(shape, target), NoiseKey::insecure_from_seed(5), target.budget());
  PrivatePeople people(Sensitive<AnyTensor>(AnyTensor(std::move(tensor))), run);
  const double mu = affordable_mu(target, 1, 1000) / std::sqrt(5.0) * (1 - 1e-12);
  std::vector<Matrix> blocks;
  blocks.push_back(people.frequencies(mu).value().value);
  blocks.push_back(people.pairs(kCoreRows, Vector{{1, 2, 1, 0.5, 1, 3}}, mu).value().value);
  blocks.push_back(people.triples(some_basis(), mu).value().value);
  blocks.push_back(people.expected_counts(some_factors(), Vector::Ones(kRows), mu).value().value);
  blocks.push_back(people.loadings(some_factors(), 4, mu).value().value);
  return {std::move(blocks), run.certify()};
}

TEST(PrivatePeople, a_person_moves_a_release_by_at_most_the_sensitivity_and_reaches_it) {
  const Answers all = ask(visits());
  double most[5] = {};
  for (std::int32_t p = 0; p < kVisits[0]; ++p) {
    const Answers less = ask(visits(p));
    for (std::size_t n = 0; n < 5; ++n) {
      const double people = n == 4 ? std::sqrt(3.0) : 1;  // loadings are counted in people
      most[n] = std::max(most[n], (all.blocks[n] - less.blocks[n]).norm() / people);
    }
  }
  for (std::size_t n = 0; n < 5; ++n) {
    const double charged = all.certificate.releases[n].record.sensitivity;
    EXPECT_LE(most[n], charged) << n;
    EXPECT_GT(most[n], 0.999 * charged) << n;
  }
}

// Real values: noise, a slice of one entry, one of rank one, one of wild size.
SparseTensor slices(std::int32_t without = -1) {
  SeededRandom random(9);
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  const auto add = [&](std::int32_t p, std::int32_t a, std::int32_t b, std::int32_t c, double v) {
    if (p == without) return;
    indices.insert(indices.end(), {p, a, b, c});
    values.push_back(v);
  };
  for (std::int32_t p = 0; p < 8; ++p) {
    for (std::int32_t n = 0; n < 72; ++n) add(p, n % 6, n / 6 % 4, n / 24, random.normal());
  }
  add(8, 2, 3, 1, -4);
  for (std::int32_t n = 0; n < 72; ++n) add(9, n % 6, n / 6 % 4, n / 24, 1.0 + n % 6);
  add(10, 0, 0, 0, 1e300);
  add(10, 1, 1, 1, -1e300);
  add(11, 5, 2, 0, 0);
  return SparseTensor(kVisits, indices, values, Duplicates::refuse);
}

Answers ask_slices(SparseTensor tensor) {
  const PrivacyTarget target{1, 1e-6};
  PrivateRun run(person_statement(people_shape(kVisits, ""), target),
                 NoiseKey::insecure_from_seed(5), target.budget());
  PrivateSlices people(Sensitive<AnyTensor>(AnyTensor(std::move(tensor))), run);
  const double mu = affordable_mu(target, 1, 1000) / std::sqrt(5.0) * (1 - 1e-12);
  const std::vector<std::int32_t> core{0, 2, 3, 5};
  const TripleBasis basis = some_basis();
  const SliceFactors factors{basis.of_other, Matrix::Identity(3, 3)};
  std::vector<Matrix> blocks;
  blocks.push_back(people.row_norms(mu).value().value);
  blocks.push_back(people.gram(0, core, mu).value().value);
  blocks.push_back(people.compressed(basis.of_mode, mu).value().value);
  blocks.push_back(people.normal(factors, mu).value().value);
  blocks.push_back(people.loadings(factors, 4, mu).value().value);
  return {std::move(blocks), run.certify()};
}

TEST(PrivateSlices, a_person_moves_a_release_by_at_most_the_sensitivity_and_reaches_it) {
  const Answers all = ask_slices(slices());
  double most[5] = {};
  for (std::int32_t p = 0; p < 12; ++p) {
    const Answers less = ask_slices(slices(p));
    for (std::size_t n = 0; n < 5; ++n) {
      const double people = n == 4 ? std::sqrt(3.0) : 1;
      most[n] = std::max(most[n], (all.blocks[n] - less.blocks[n]).norm() / people);
    }
  }
  for (std::size_t n = 0; n < 5; ++n) {
    const double charged = all.certificate.releases[n].record.sensitivity;
    EXPECT_LE(most[n], charged) << n;
    EXPECT_GT(most[n], 0.999 * charged) << n;
  }
}

TEST(PrivatePeople, one_event_makes_no_pair) {
  const Answers all = ask(visits()), less = ask(visits(15));
  EXPECT_EQ(all.blocks[1], less.blocks[1]);
  EXPECT_EQ(all.blocks[2], less.blocks[2]);
  EXPECT_NE(all.blocks[0], less.blocks[0]);
}

TEST(PrivatePeople, the_certificate_says_what_a_person_is_and_holds_the_budget) {
  const Answers all = ask(visits());
  EXPECT_EQ(all.certificate.releases.size(), 5U);
  EXPECT_LE(all.certificate.epsilon, 1);
  EXPECT_NE(all.certificate.statement.unit.find("one person"), std::string::npos);
  EXPECT_TRUE(all.certificate.statement.adds_or_removes);
}

TEST(PrivatePeople, noise_has_the_size_that_is_said) {
  // The same data under two seeds would do; here against the exact sums.
  const SparseTensor tensor = visits();
  const Vector exact = PersonSums(tensor).frequencies();
  const PrivacyTarget target{1, 1e-6};
  double square = 0;
  double deviation = 0;
  constexpr int kRuns = 200;
  for (int n = 0; n < kRuns; ++n) {
    PrivateRun run(person_statement(people_shape(kVisits, ""), target),
                   NoiseKey::insecure_from_seed(static_cast<std::uint64_t>(n)), target.budget());
    PrivatePeople people(Sensitive<AnyTensor>(AnyTensor(visits())), run);
    const Noisy<Vector> noisy = people.frequencies(0.2).value();
    square += (noisy.value - exact).squaredNorm();
    deviation = noisy.deviation;
  }
  EXPECT_NEAR(std::sqrt(square / (kRuns * kRows)) / deviation, 1, 0.05);
  EXPECT_NEAR(deviation, person_noise(kRows, 0.2), 1e-6 * deviation);
}

TEST(PrivatePeople, what_is_no_count_is_refused_without_a_place) {
  const SparseTensor bad({2, 2, 2}, {1, 0, 0}, {-3}, Duplicates::refuse);
  const PrivacyTarget target{1, 1e-6};
  PrivateRun run(person_statement(people_shape({2, 2, 2}, ""), target),
                 NoiseKey::insecure_from_seed(1), target.budget());
  try {
    PrivatePeople people(Sensitive<AnyTensor>(AnyTensor(bad)), run);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message().find("-3"), std::string::npos);
  }
  EXPECT_THROW(people_shape({5, 5}, "x"), Error);
}

}  // namespace
}  // namespace sotto
