#include "sotto/release/private_entries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/release/choose.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr PrivacyTarget kEntriesTarget{1, 1e-6};
const std::vector<Index> kEntriesDims = {7, 4, 5};

DenseTensor any_entries(const std::vector<Index>& dims, std::uint64_t seed = 3) {
  SeededRandom random(seed);
  DenseTensor tensor(dims);
  for (double& x : tensor.values()) x = random.normal();
  return tensor;
}

struct ReleasedEntries {
  DenseTensor tensor;
  double deviation;
  Certificate certificate;
};

ReleasedEntries release_once(AnyTensor tensor, const EntryBounds& bounds, NoiseKey key) {
  const PublicDims dims(dims_of(tensor));
  PrivateRun run(plan_entries(dims, kEntriesTarget, bounds), std::move(key));
  auto noisy =
      release_entries(Sensitive<AnyTensor>(std::move(tensor)), kEntriesTarget, bounds, run).value();
  return {std::move(noisy.value), noisy.deviation, run.certify()};
}

double distance(const DenseTensor& a, const DenseTensor& b) {
  double squares = 0;
  for (Index e = 0; e < a.size(); ++e) squares += std::pow(a.values()[e] - b.values()[e], 2);
  return std::sqrt(squares);
}

TEST(PrivateEntries, neighbours_reach_the_sensitivity_and_never_pass_it) {
  for (const double change : {1.0, 1e-3, 250.0}) {
    const DenseTensor tensor = any_entries(kEntriesDims);
    const ReleasedEntries one = release_once(tensor, {change, {}}, NoiseKey::insecure_from_seed(1));
    const double charged = one.certificate.releases[0].record.sensitivity;
    for (const Index place : {Index{0}, Index{77}, tensor.size() - 1}) {
      DenseTensor other = tensor;
      other.values()[place] -= change;
      const double moved = distance(
          one.tensor, release_once(other, {change, {}}, NoiseKey::insecure_from_seed(1)).tensor);
      EXPECT_LE(moved, charged);
      EXPECT_GE(moved, 0.999 * charged);
    }
  }
}

TEST(PrivateEntries, clipping_bounds_what_any_entry_can_do) {
  const EntryBounds bounds{1000, 8.0};
  EXPECT_EQ(bounds.sensitivity(), 16);
  EXPECT_EQ((EntryBounds{3, 8.0}.sensitivity()), 3);
  DenseTensor low = any_entries(kEntriesDims), high = low;
  low.values()[11] = -500;
  high.values()[11] = 500;
  const auto key = [] { return NoiseKey::insecure_from_seed(2); };
  const ReleasedEntries one = release_once(low, bounds, key());
  const double moved = distance(one.tensor, release_once(high, bounds, key()).tensor);
  const double charged = one.certificate.releases[0].record.sensitivity;
  EXPECT_LE(moved, charged);
  EXPECT_GE(moved, 0.999 * charged);
  EXPECT_NEAR(charged, 16, 16e-6);
}

TEST(PrivateEntries, noise_has_the_size_stated_and_a_tenth_more_has_not) {
  const std::vector<Index> dims = {20, 15, 4, 6};
  for (const double change : {1.0, 0.05}) {
    const DenseTensor tensor = any_entries(dims);
    const ReleasedEntries made = release_once(tensor, {change, {}}, NoiseKey::from_system());
    EXPECT_NEAR(made.deviation / (change * calibrate_gaussian(1, 1e-6, 1)), 1, 1e-6);
    EXPECT_EQ(made.deviation, entries_deviation(PublicDims(dims), kEntriesTarget, {change, {}}));
    std::vector<double> sample;
    for (Index e = 0; e < tensor.size(); ++e) {
      sample.push_back((made.tensor.values()[e] - tensor.values()[e]) / made.deviation);
    }
    EXPECT_GT(kolmogorov_p(sample, normal_cdf), kAlpha);
    EXPECT_GT(mean_p(
                  sample, [](double x) { return x * x; }, 1, 2),
              kAlpha);
    EXPECT_LT(mean_p(
                  sample, [](double x) { return 1.21 * x * x; }, 1, 2),
              kAlpha);
  }
}

TEST(PrivateEntries, the_certificate_says_what_was_asked_and_what_may_change) {
  const ReleasedEntries made =
      release_once(any_entries(kEntriesDims), {0.25, 8.0}, NoiseKey::from_system());
  const Certificate& c = made.certificate;
  EXPECT_TRUE(c.proved) << c.why;
  EXPECT_LE(c.epsilon, 1);
  EXPECT_GE(c.epsilon, 1 - 1e-6);
  EXPECT_EQ(c.releases.size(), 1u);
  EXPECT_NE(c.statement.neighbours.find("at most 0.25"), std::string::npos);
  EXPECT_EQ(c.statement.public_facts[1], "that one entry changes by at most 0.25");
  EXPECT_EQ(c.statement.public_facts.back(), clipping_fact(8));
  EXPECT_EQ(c.statement.units.count, 140);
}

TEST(PrivateEntries, a_sparse_tensor_is_the_dense_one_it_stands_for) {
  DenseTensor dense(kEntriesDims);
  dense.values()[5] = 3;
  dense.values()[100] = -7;
  const auto key = [] { return NoiseKey::insecure_from_seed(4); };
  const ReleasedEntries a = release_once(dense, {}, key());
  const ReleasedEntries b = release_once(SparseTensor::from_dense(dense), {}, key());
  EXPECT_EQ(distance(a.tensor, b.tensor), 0);
}

TEST(PrivateEntries, entries_of_any_size_are_released) {
  DenseTensor tensor = any_entries(kEntriesDims);
  tensor.values()[0] = 1e300;
  tensor.values()[1] = -std::numeric_limits<double>::max();
  tensor.values()[2] = 5e-324;
  const ReleasedEntries made = release_once(tensor, {}, NoiseKey::from_system());
  EXPECT_NEAR(made.tensor.values()[0] / 1e300, 1, 1e-12);
  EXPECT_TRUE(std::isfinite(made.tensor.values()[1]));
  EXPECT_TRUE(made.certificate.proved);
}

TEST(PrivateEntries, what_is_not_finite_is_refused_without_a_number) {
  DenseTensor tensor = any_entries(kEntriesDims);
  tensor.values()[17] = std::numeric_limits<double>::quiet_NaN();
  try {
    release_once(tensor, {}, NoiseKey::from_system());
    FAIL() << "released";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("17"), std::string::npos) << error.what();
  }
}

TEST(PrivateEntries, refuses_shapes_that_cannot_be) {
  for (const std::vector<Index>& dims :
       {std::vector<Index>{3, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, {5, 1, 5}, {1 << 20, 1 << 20, 2}}) {
    EXPECT_THROW(require_dims(PublicDims(dims), "t"), Error);
  }
  EXPECT_NO_THROW(require_dims(PublicDims({5, 201, 61}), "t"));
  EXPECT_NO_THROW(require_dims(PublicDims(std::vector<Index>(8, 2)), "t"));
}

TEST(PrivateEntries, the_forecast_grows_with_the_change_and_meets_its_epsilon) {
  const PublicDims dims({40, 30, 20});
  const double weight = forecast(dims, 1, kEntriesTarget).weight;
  EXPECT_NEAR(forecast(dims, 5, kEntriesTarget).weight / weight, 5, 1e-12);
  EXPECT_NEAR(expected_epsilon(dims, 1, 1e-6, weight), 1, 1e-9);
  EXPECT_NEAR(expected_epsilon(dims, 5, 1e-6, 5 * weight), 1, 1e-9);
  EXPECT_NEAR(forecast(dims, 1, kEntriesTarget).noise / entries_deviation(dims, kEntriesTarget, {}),
              1, 1e-6);
}

}  // namespace
}  // namespace sotto
