#include "sotto/release/private_power.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/base/testing/sanitized.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr PrivacyTarget kPowerTarget{1, 1e-6};

Matrix random_block(Index d, Index columns, SeededRandom& random) {
  Matrix u(d, columns);
  for (double& x : u.reshaped()) x = random.normal();
  return u.colwise().normalized();
}

SymmetricTensor random_tensor(Index d, int order, std::uint64_t seed) {
  SeededRandom random(seed);
  SymmetricTensor t(d, order);
  for (double& x : t.packed()) x = random.normal();
  return t;
}

// symmetrize(e_i x e_j x ..) for every choice of indices: the unique entry moves by
// p!/multiplicity.
std::vector<SymmetricTensor> all_moves(Index d, int order) {
  std::vector<SymmetricTensor> moves;
  for_unique_entries(d, order, [&](const std::vector<Index>& index, double multiplicity) {
    SymmetricTensor move(d, order);
    move.packed()[move.position(index)] = (order == 3 ? 6 : 24) / multiplicity;
    moves.push_back(std::move(move));
  });
  return moves;
}

double largest_change(const std::vector<SymmetricTensor>& moves, const Matrix& u, bool products) {
  double most = 0;
  for (const SymmetricTensor& move : moves) {
    const Matrix y = contract_reference(move, u);
    most = std::max(most, products ? y.norm() : column_dots(u, y).norm());
  }
  return most;
}

// Coordinate search for the block whose largest change comes closest to its bound.
Matrix adversarial_block(const std::vector<SymmetricTensor>& moves, Matrix u, int order, int power,
                         SeededRandom& random) {
  const auto ratio = [&](const Matrix& v) {
    return largest_change(moves, v, power < order) / block_sensitivity(v, order, power);
  };
  double best = ratio(u);
  for (int step = unless_sanitized(60, 3); step > 0; --step) {
    Matrix v = u + 0.3 * random_block(u.rows(), u.cols(), random);
    v.colwise().normalize();
    const double r = ratio(v);
    if (r > best) {
      best = r;
      u = v;
    }
  }
  return u;
}

TEST(BlockSensitivity, is_reached_and_never_passed_over_all_neighbours) {
  SeededRandom random(1);
  for (int order : {3, 4}) {
    const auto moves = all_moves(6, order);
    for (int power : {order - 1, order}) {
      for (Index columns : {1, 3, 8}) {
        const Matrix start = random_block(6, columns, random);
        for (const Matrix& u : {start, adversarial_block(moves, start, order, power, random)}) {
          const double most = largest_change(moves, u, power < order);
          const double bound = block_sensitivity(u, order, power);
          EXPECT_LE(most, bound);
          EXPECT_GE(most, 0.999 * bound);
          EXPECT_GT(most, 0.95 * bound);  // a bound 10% too small would be exceeded
        }
      }
    }
  }
}

TEST(BlockSensitivity, holds_for_blocks_that_are_axes_and_blocks_that_are_flat) {
  for (int order : {3, 4}) {
    const auto moves = all_moves(6, order);
    for (const Matrix& u : {Matrix(Matrix::Identity(6, 6)), Matrix(Matrix::Constant(6, 4, 0.4))}) {
      for (int power : {order - 1, order}) {
        const double most = largest_change(moves, u, power < order);
        EXPECT_LE(most, block_sensitivity(u, order, power));
        EXPECT_GE(most, 0.999 * block_sensitivity(u, order, power));
      }
    }
  }
}

TEST(InputPerturbation, sensitivity_is_p_factorial_in_frobenius_norm) {
  for (int order : {3, 4}) {
    double most = 0;
    for (const SymmetricTensor& move : all_moves(6, order)) {
      most = std::max(most, move.frobenius_norm());
    }
    EXPECT_NEAR(most, order == 3 ? 6 : 24, 1e-12);
  }
}

PowerShape shape_of(Index d, int order) { return {d, order, 2, 5, 3}; }

Certificate full_run(const PowerNoise& noise, NoiseKey key, Matrix* last = nullptr) {
  PrivateRun run(plan_power(noise), std::move(key));
  const PowerShape& s = noise.shape;
  PrivatePowerOracle oracle(Sensitive(random_tensor(s.dim, s.order, 5)), noise, run);
  SeededRandom random(9);
  for (std::int64_t j = 0; j < s.components; ++j) {
    Matrix u = random_block(s.dim, s.starts, random);
    for (std::int64_t t = 0; t < s.iterations; ++t) u = oracle.contract(u).colwise().normalized();
    oracle.values(u);
    if (last) *last = u;
  }
  return run.certify();
}

TEST(PrivatePower, certifies_what_was_asked_and_never_more) {
  for (int order : {3, 4}) {
    for (double epsilon : {0.01, 1.0, 30.0}) {
      for (double delta : {1e-4, 1e-12}) {
        const PowerNoise noise =
            plan_power_noise(shape_of(20, order), {epsilon, delta}, Published::no, {});
        const Certificate c = full_run(noise, NoiseKey::from_system());
        EXPECT_TRUE(c.proved) << c.why;
        EXPECT_LE(c.epsilon, epsilon);
        EXPECT_GE(c.epsilon, epsilon * (1 - 1e-6));
        EXPECT_EQ(c.releases.size(), 8u);
      }
    }
  }
}

TEST(PrivatePower, epsilon_follows_from_sensitivities_and_noise_alone) {
  const Certificate c = full_run(plan_power_noise(shape_of(20, 3), kPowerTarget, Published::no, {}),
                                 NoiseKey::from_system());
  double squares = 0, precision = 0;
  for (const auto& r : c.releases) {
    squares += std::pow(r.record.sensitivity / r.record.noise, 2);
    precision += r.record.precision.epsilon;
  }
  EXPECT_NEAR((gdp_epsilon(std::sqrt(squares), 1e-6) + precision) / c.epsilon, 1, 1e-9);
}

TEST(PrivatePower, an_insecure_seed_gives_no_guarantee) {
  const PowerNoise noise = plan_power_noise(shape_of(10, 3), kPowerTarget, Published::no, {});
  const Certificate c = full_run(noise, NoiseKey::insecure_from_seed(1));
  EXPECT_FALSE(c.proved);
  EXPECT_NE(c.why.find("seed"), std::string::npos);
}

TEST(PrivatePower, refuses_more_answers_than_planned_and_other_blocks) {
  const PowerNoise noise = plan_power_noise({6, 3, 1, 4, 1}, kPowerTarget, Published::no, {});
  PrivateRun run(plan_power(noise), NoiseKey::from_system());
  PrivatePowerOracle oracle(Sensitive(SymmetricTensor(6, 3)), noise, run);
  SeededRandom random(2);
  const Matrix u = random_block(6, 4, random);
  EXPECT_THROW(oracle.contract(u.leftCols(3)), Error);
  oracle.contract(u);
  EXPECT_THROW(oracle.contract(u), Error);
  oracle.values(u);
  EXPECT_THROW(oracle.values(u), Error);
  EXPECT_EQ(run.certify().releases.size(), 2u);
}

// The answer less the exact one, in units of the noise that the formula gives.
std::vector<double> standardised(Published published, int order, bool products) {
  std::vector<double> sample;
  const PowerShape shape{12, order, 60, 7, 1};
  const PowerNoise noise = plan_power_noise(shape, kPowerTarget, published, {});
  PrivateRun run(plan_power(noise), NoiseKey::insecure_from_seed(8));
  const SymmetricTensor tensor = random_tensor(12, order, 3);
  PrivatePowerOracle oracle(Sensitive<SymmetricTensor>{SymmetricTensor(tensor)}, noise, run);
  SeededRandom random(4);
  const int power = products ? order - 1 : order;
  const double nu = published_nu(shape, kPowerTarget, published);
  for (int round = 0; round < 60; ++round) {
    const Matrix u = random_block(12, 7, random);
    const Matrix exact = contract_reference(tensor, u);
    const Matrix error = products ? Matrix(oracle.contract(u) - exact)
                                  : Matrix((oracle.values(u) - column_dots(u, exact)).transpose());
    // mu of the run is sqrt(releases) / multiplier
    const double multiplier = calibrate_gaussian(1, 1e-6, 120);
    for (Index l = 0; l < 7; ++l) {
      const double s = published == Published::no
                           ? multiplier * block_sensitivity(u, order, power)
                           : nu * std::pow(u.col(l).cwiseAbs().maxCoeff(), power);
      for (Index i = 0; i < error.rows(); ++i) sample.push_back(error(i, l) / s);
    }
  }
  return sample;
}

TEST(PrivatePower, noise_has_the_law_of_the_formula_and_a_tenth_more_does_not) {
  for (Published published : {Published::no, Published::wang, Published::imtiaz}) {
    for (int order : {3, 4}) {
      const auto products = standardised(published, order, true);
      const auto values = standardised(published, order, false);
      EXPECT_GT(kolmogorov_p(products, normal_cdf), kAlpha);
      EXPECT_GT(kolmogorov_p(values, normal_cdf), kAlpha);
      const auto square = [](double x) { return x * x; };
      const auto more = [](double x) { return 1.21 * x * x; };
      EXPECT_GT(mean_p(products, square, 1, 2), kAlpha);
      EXPECT_LT(mean_p(products, more, 1, 2), kAlpha);
      EXPECT_GT(mean_p(values, square, 1, 2), kAlpha);
    }
  }
}

TEST(AsPublished, nu_is_that_of_algorithm_3) {
  const PowerShape shape{64, 3, 3, 10, 10};
  const double K = 3 * 10 * 11, e = 1 / std::sqrt(K * (4 + std::log(2 / 1e-6)));
  const double root = std::sqrt(2 * std::log(1.25 / (1e-6 / (2 * K)))) / e;
  EXPECT_NEAR(published_nu(shape, kPowerTarget, Published::wang) / (6 * root), 1, 1e-14);
  EXPECT_NEAR(published_nu(shape, kPowerTarget, Published::imtiaz) / (2 * root), 1, 1e-14);
}

TEST(AsPublished, certificate_shows_claimed_and_accounted_side_by_side) {
  for (Published how : {Published::wang, Published::imtiaz}) {
    const PowerNoise noise = plan_power_noise(shape_of(20, 3), kPowerTarget, how, {});
    const Certificate c = full_run(noise, NoiseKey::from_system());
    ASSERT_TRUE(c.proved) << c.why;
    EXPECT_EQ(c.statement.claimed->epsilon, 1);
    // Exact GDP of K releases of sensitivity 6 and noise nu; rounding charges add at most 5%.
    const double mu = 6 * std::sqrt(40.0) / published_nu(noise.shape, kPowerTarget, how);
    EXPECT_GE(c.epsilon, gdp_epsilon(mu, 1e-6));
    EXPECT_LE(c.epsilon, 1.05 * gdp_epsilon(mu, 1e-6));
    EXPECT_LT(c.epsilon, how == Published::wang ? 1 : 3);
    std::int64_t releases = 0;
    for (const auto& r : c.releases) releases += r.record.count;
    EXPECT_EQ(releases, 40);
  }
}

// The charge for rounding must cover what the kernel does at the bound.
TEST(PrivatePower, rounding_of_the_contraction_stays_far_below_its_charge) {
  const PowerNoise noise = plan_power_noise({40, 3, 1, 8, 1}, kPowerTarget, Published::no, {});
  SymmetricTensor tensor = random_tensor(40, 3, 6);
  for (double& x : tensor.packed())
    x = std::copysign(noise.max_entry, x) * (1 - 1e-3 * std::abs(x));
  SeededRandom random(7);
  const Matrix u = random_block(40, 8, random);
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> exact;
  exact.setZero(40, 8);
  const double* entry = tensor.packed().data();
  for_unique_entries(40, 3, [&](std::vector<Index> index, double) {
    do {
      for (Index l = 0; l < 8; ++l) {
        exact(index[0], l) += static_cast<long double>(*entry) * u(index[1], l) * u(index[2], l);
      }
    } while (std::next_permutation(index.begin(), index.end()));
    ++entry;
  });
  const double error =
      static_cast<double>((contract(tensor, u).cast<long double>() - exact).norm());
  PrivateRun run(plan_power(noise), NoiseKey::from_system());
  PrivatePowerOracle oracle(Sensitive(std::move(tensor)), noise, run);
  oracle.contract(u);
  const double charged = run.certify().releases[0].record.sensitivity - block_sensitivity(u, 3, 2);
  EXPECT_GT(error, 0);
  EXPECT_LE(2 * error, charged);
  EXPECT_LE(charged, 0.011 * block_sensitivity(u, 3, 2));
}

TEST(PrivatePower, entries_beyond_the_bound_are_held) {
  const PowerNoise noise = plan_power_noise({6, 3, 1, 4, 1}, {1e3, 1e-6}, Published::no, {1, 8.0});
  SymmetricTensor tensor(6, 3);
  tensor.packed()[0] = 1e9;
  PrivateRun run(plan_power(noise), NoiseKey::insecure_from_seed(1));
  PrivatePowerOracle oracle(Sensitive(std::move(tensor)), noise, run);
  Matrix u = Matrix::Zero(6, 4);
  u.row(0).setOnes();
  EXPECT_LT(oracle.contract(u)(0, 0), 1000);
}

TEST(InputPerturbation, noise_is_isometric_and_its_certificate_says_what_was_asked) {
  for (int order : {3, 4}) {
    const SymmetricTensor tensor = random_tensor(12, order, 3);
    PrivateRun run(plan_tensor({12, order}, kPowerTarget), NoiseKey::from_system());
    const SymmetricTensor noisy =
        release_tensor(Sensitive<SymmetricTensor>(SymmetricTensor(tensor)), kPowerTarget, run)
            .value()
            .value;
    const Certificate c = run.certify();
    EXPECT_TRUE(c.proved);
    EXPECT_LE(c.epsilon, 1);
    EXPECT_GE(c.epsilon, 1 - 1e-6);
    const double s = (order == 3 ? 6 : 24) * calibrate_gaussian(1, 1e-6, 1);
    EXPECT_NEAR(tensor_deviation({12, order}, kPowerTarget) / s, 1, 1e-6);
    std::vector<double> sample;
    std::size_t e = 0;
    for_unique_entries(12, order, [&](const std::vector<Index>&, double multiplicity) {
      sample.push_back((noisy.packed()[e] - tensor.packed()[e]) * std::sqrt(multiplicity) / s);
      ++e;
    });
    EXPECT_GT(kolmogorov_p(sample, normal_cdf), kAlpha);
  }
}

TEST(PrivatePower, noise_and_sensitivity_grow_with_the_change_of_an_entry) {
  for (Published published : {Published::no, Published::wang}) {
    const PowerShape shape = shape_of(20, 3);
    const PowerNoise one = plan_power_noise(shape, kPowerTarget, published);
    const PowerNoise four = plan_power_noise(shape, kPowerTarget, published, {4, {}});
    EXPECT_EQ(four.max_entry, 4 * one.max_entry);
    PrivateRun run_one(plan_power(one), NoiseKey::from_system());
    PrivateRun run_four(plan_power(four), NoiseKey::from_system());
    SymmetricTensor tensor = random_tensor(20, 3, 5);
    PrivatePowerOracle a(Sensitive<SymmetricTensor>(SymmetricTensor(tensor)), one, run_one);
    PrivatePowerOracle b(Sensitive<SymmetricTensor>(std::move(tensor)), four, run_four);
    SeededRandom random(3);
    const Matrix u = random_block(20, 5, random);
    a.contract(u);
    b.contract(u);
    const Certificate c = run_one.certify(), d = run_four.certify();
    EXPECT_NEAR(d.releases[0].record.noise / c.releases[0].record.noise, 4, 1e-6);
    EXPECT_NEAR(d.releases[0].record.sensitivity / c.releases[0].record.sensitivity, 4, 1e-6);
    EXPECT_LE(d.epsilon, c.epsilon * (1 + 1e-9));
    EXPECT_NE(d.statement.neighbours.find("0 <= t <= 4"), std::string::npos);
    EXPECT_EQ(d.statement.public_facts[1], "that one entry changes by at most 4");
  }
  EXPECT_NEAR(tensor_deviation({12, 3}, kPowerTarget, 4) / tensor_deviation({12, 3}, kPowerTarget),
              4, 1e-9);
  const PlannedRelease wide = plan_tensor({12, 3}, kPowerTarget, {4, {}}).releases[0];
  EXPECT_EQ(wide.noise, tensor_deviation({12, 3}, kPowerTarget, 4));
}

TEST(InputPerturbation, entries_are_clipped_where_a_bound_is_given) {
  const EntryBounds bounds{1, 8.0};
  SymmetricTensor tensor(6, 3);
  tensor.packed()[0] = 1e9;
  PrivateRun run(plan_tensor({6, 3}, kPowerTarget, bounds), NoiseKey::from_system());
  const auto noisy = release_tensor(Sensitive(std::move(tensor)), kPowerTarget, run, bounds);
  EXPECT_LT(noisy.value().value.packed()[0], 1e4);
  EXPECT_EQ(run.certify().statement.public_facts.back(), clipping_fact(8));
}

TEST(PrivatePower, refuses_targets_that_cannot_be) {
  const PowerShape shape = shape_of(10, 3);
  EXPECT_THROW(plan_power_noise(shape, {0, 1e-6}, Published::no, {}), Error);
  EXPECT_THROW(plan_power_noise(shape, {1, 0}, Published::no, {}), Error);
  EXPECT_THROW(plan_power_noise(shape, {1e-12, 1e-6}, Published::no, {}), Error);
  EXPECT_THROW(tensor_deviation({10, 3}, {1e6, 1e-300}), Error);
}

TEST(ProtectedTensor, takes_sorted_indices_only_or_the_mean) {
  std::vector<double> values(27, 0.0);
  values[0 * 9 + 1 * 3 + 2] = 6;  // (0,1,2), sorted
  values[2 * 9 + 1 * 3 + 0] = 7;  // (2,1,0), not
  for (bool symmetrize : {false, true}) {
    Sensitive<AnyTensor> data{AnyTensor(DenseTensor({3, 3, 3}, values))};
    EXPECT_EQ(public_shape(data, "t").dim, 3);
    const SymmetricTensor t =
        protected_tensor(std::move(data), symmetrize).open(PublicDeclaration("test"));
    EXPECT_NEAR(t.at({0, 1, 2}), symmetrize ? 13.0 / 6 : 6, 1e-15);
  }
  EXPECT_THROW(require_shape({3, 3}, "t"), Error);
  EXPECT_THROW(require_shape({3, 3, 4}, "t"), Error);
  EXPECT_THROW(require_shape({100000, 100000, 100000}, "t"), Error);
}

}  // namespace
}  // namespace sotto
