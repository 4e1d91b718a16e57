#include "sotto/privacy/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/exponential.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/vector.h"

namespace sotto {
namespace {

ReleaseRecord gaussian(const std::string& what, double sensitivity, double noise,
                       std::int64_t count = 1) {
  return {what, "gaussian", sensitivity, noise, count, GaussianCost{sensitivity / noise}, {}, ""};
}

ReleaseRecord laplace(const std::string& what, double sensitivity, double scale) {
  return {what, "laplace", sensitivity, scale, 1, LaplaceCost{sensitivity / scale}, {}, ""};
}

ReleaseRecord pure_release(const std::string& what, double epsilon) {
  return {what, "exponential", 2, 2 / epsilon, 1, PureCost{epsilon}, {}, ""};
}

PrivacyStatement statement(double delta = 1e-6) {
  PrivacyStatement result;
  result.unit = "one document";
  result.neighbours = "replace one document";
  result.public_facts = {"the number of documents", "the vocabulary"};
  result.delta = delta;
  return result;
}

// An independent reader: nothing but the JSON, the textbook formula and bisection.
double epsilon_from_json(const Json& json) {
  long double squares = 0;
  for (const auto& release : json.at("releases")) {
    const long double mu =
        release.at("sensitivity").get<long double>() / release.at("noise").get<long double>();
    squares += mu * mu * release.at("count").get<long double>();
  }
  const long double mu = std::sqrt(squares), delta = json.at("delta").get<long double>();
  const auto phi = [](long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; };
  long double low = 0, high = 1000;
  for (int i = 0; i < 200; ++i) {
    const long double e = (low + high) / 2;
    (phi(mu / 2 - e / mu) - std::exp(e) * phi(-mu / 2 - e / mu) > delta ? low : high) = e;
  }
  return static_cast<double>(high);
}

// A block of numbers under one noise is one release, however long the block.
TEST(Certificate, a_block_from_a_mechanism_is_charged_once) {
  Ledger ledger(statement());
  const GaussianMechanism mechanism("block", 1, 4, 5000);
  ledger.add(mechanism.record());
  const auto json = ledger.certify().to_json();
  EXPECT_NEAR(json.at("epsilon").get<double>() / gdp_epsilon(0.25, 1e-6), 1, 1e-6);
  EXPECT_EQ(json.at("releases").at(0).at("count"), 1);
  EXPECT_EQ(json.at("releases").at(0).at("values"), 5000);
}

TEST(Certificate, epsilon_can_be_computed_again_from_its_releases_alone) {
  Ledger ledger(statement());
  ledger.add(gaussian("E1", std::sqrt(2.0) / 1000, 0.0123456789));
  ledger.add(gaussian("E2", std::sqrt(2.0) / 3000, 0.00345678901));
  ledger.add(gaussian("E3", 1e-7, 3.3e-6, 30));
  const Certificate certificate = ledger.certify();
  EXPECT_TRUE(certificate.proved);
  const auto json = parse_json(json_text(certificate.to_json()));
  EXPECT_EQ(json.at("epsilon").get<double>(), certificate.epsilon);
  EXPECT_NEAR(epsilon_from_json(json) / certificate.epsilon, 1, 1e-12);
}

TEST(Certificate, json_carries_the_agreed_fields) {
  PrivacyStatement with_claim = statement();
  with_claim.claimed = PrivacyClaim{1, 1e-6};
  Ledger ledger(with_claim);
  ledger.add(gaussian("M2", 1, 4));
  const auto json = ledger.certify().to_json();
  for (const char* field : {"epsilon", "delta", "unit", "neighbours", "public", "guarantee", "why",
                            "claimed", "accountant", "releases"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  for (const char* field : {"what", "mechanism", "sensitivity", "noise", "count"}) {
    EXPECT_TRUE(json.at("releases").at(0).contains(field)) << field;
  }
  EXPECT_EQ(json.at("guarantee"), "proved");
  EXPECT_EQ(json.at("claimed").at("epsilon"), 1);
}

TEST(Certificate, a_denial_makes_it_none_and_says_why) {
  Ledger ledger(statement());
  ledger.add(gaussian("M2", 1, 4));
  ledger.deny("the noise was drawn from a known seed");
  const Certificate certificate = ledger.certify();
  EXPECT_FALSE(certificate.proved);
  EXPECT_EQ(certificate.to_json().at("guarantee"), "none");
  EXPECT_NE(certificate.why.find("known seed"), std::string::npos);
  EXPECT_NE(certificate.to_text().find("No privacy guarantee"), std::string::npos);
  EXPECT_NEAR(certificate.epsilon, gdp_epsilon(0.25, 1e-6), 1e-12);
}

TEST(Certificate, a_cost_below_its_own_numbers_is_not_proved) {
  ReleaseRecord record = gaussian("M2", 1, 4);
  record.cost = GaussianCost{0.2};
  Ledger ledger(statement());
  ledger.add(record);
  EXPECT_FALSE(ledger.certify().proved);
}

// A pure cost is no exception: a charge of half of what sensitivity and noise say is caught.
TEST(Certificate, a_pure_cost_below_its_own_numbers_is_not_proved) {
  ReleaseRecord record = pure_release("bound", 1);
  Ledger honest(statement());
  honest.add(record);
  EXPECT_TRUE(honest.certify().proved) << honest.certify().why;
  record.cost = PureCost{0.5};
  Ledger ledger(statement());
  ledger.add(record);
  EXPECT_FALSE(ledger.certify().proved);
  EXPECT_NE(ledger.certify().why.find("charged less"), std::string::npos);
}

TEST(Certificate, records_of_pure_mechanisms_are_accepted) {
  Ledger ledger(statement());
  ledger.add(ExponentialMechanism("a", 0.7, 3, 10).record());
  ledger.add(PrivateQuantile("b", 0.7, 0.5, 0, 1, 100).record());
  ledger.add(VectorMechanism("c", 2, 0.3, 50).record());
  ledger.add(LaplaceMechanism("d", 2, 0.3, 50).record());
  EXPECT_TRUE(ledger.certify().proved) << ledger.certify().why;
}

TEST(Certificate, impossible_records_are_refused) {
  const double nan = std::nan("");
  const auto refuses = [](auto change) {
    ReleaseRecord record = gaussian("M2", 1, 4);
    change(record);
    Ledger ledger(statement());
    EXPECT_THROW(ledger.add(record), Error);
    EXPECT_THROW(ledger.add_to_group(ledger.open_disjoint_group(), record), Error);
    EXPECT_THROW(ledger.add_disjoint({record}), Error);
    EXPECT_TRUE(ledger.certify().releases.empty());
  };
  refuses([](ReleaseRecord& r) { r.count = -3; });
  refuses([](ReleaseRecord& r) { r.values = -1; });
  for (const double bad : {-1e-9, nan, std::numeric_limits<double>::infinity()}) {
    refuses([bad](ReleaseRecord& r) { r.precision.epsilon = bad; });
    refuses([bad](ReleaseRecord& r) { r.precision.delta = bad; });
  }
}

TEST(Certificate, a_release_without_noise_is_not_proved_and_has_no_epsilon) {
  Ledger ledger(statement());
  ledger.add(gaussian("M2", 1, 0));
  const Certificate certificate = ledger.certify();
  EXPECT_FALSE(certificate.proved);
  EXPECT_TRUE(certificate.to_json().at("epsilon").is_null());
}

TEST(Certificate, rounding_is_charged_to_epsilon_and_delta) {
  ReleaseRecord record = gaussian("M2", 1, 4, 3);
  record.precision = {1e-3, 1e-7};
  Ledger ledger(statement());
  ledger.add(record);
  const double mu = std::sqrt(3.0) / 4;
  EXPECT_NEAR(ledger.certify().epsilon, gdp_epsilon(mu, (1e-6 - 3e-7) * std::exp(-3e-3)) + 3e-3,
              1e-12);
  record.precision.delta = 1e-6;
  Ledger broke(statement());
  broke.add(record);
  EXPECT_FALSE(broke.certify().proved);
}

TEST(Certificate, disjoint_releases_cost_as_much_as_the_largest) {
  Ledger ledger(statement());
  ledger.add_disjoint({gaussian("batch 1", 1, 4), gaussian("batch 2", 1, 5), gaussian("3", 1, 6)});
  ledger.add(gaussian("lambda", 1, 8));
  const Certificate certificate = ledger.certify();
  EXPECT_NEAR(certificate.epsilon, gdp_epsilon(std::hypot(0.25, 0.125), 1e-6), 1e-12);
  EXPECT_EQ(certificate.to_json().at("releases").at(1).at("parallel"), 1);
}

// delta(epsilon) of the whole is the larger of the two curves, so epsilon is the larger of the two.
TEST(Certificate, disjoint_releases_of_two_kinds_cost_the_larger_epsilon_not_the_sum) {
  const double mu = 0.25, of_gaussian = gdp_epsilon(mu, 1e-6);
  for (const double pure : {0.5 * of_gaussian, 1.5 * of_gaussian}) {
    Ledger ledger(statement());
    ledger.add_disjoint({pure_release("bound", pure), gaussian("a", 1, 4), gaussian("b", 1, 5)});
    const Certificate certificate = ledger.certify();
    EXPECT_TRUE(certificate.proved) << certificate.why;
    const Spend spend{PureCost{pure}, 1};
    const double expected = std::max(of_gaussian, account({&spend, 1}, 1e-6));
    EXPECT_NEAR(certificate.epsilon, expected, 1e-12);
    const bool by_gdp = certificate.accountant == "GDP (exact), the largest of 2 accounts";
    EXPECT_EQ(by_gdp, pure < of_gaussian) << certificate.accountant;
  }
}

TEST(Certificate, with_releases_beside_a_group_each_kind_is_composed_in_turn) {
  Ledger ledger(statement());
  ledger.add(gaussian("all", 1, 4));
  ledger.add_disjoint({pure_release("bound", 1), gaussian("a", 1, 4)});
  ledger.add_disjoint({pure_release("other", 0.25), gaussian("b", 1, 8)});
  double expected = 0;
  for (const Cost& first : {Cost(PureCost{1}), Cost(GaussianCost{0.25})}) {
    for (const Cost& second : {Cost(PureCost{0.25}), Cost(GaussianCost{0.125})}) {
      const std::vector<Spend> spends{{GaussianCost{0.25}, 1}, {first, 1}, {second, 1}};
      expected = std::max(expected, account(spends, 1e-6));
    }
  }
  EXPECT_NEAR(ledger.certify().epsilon, expected, 1e-9 * expected);
}

// Three releases of 0.1 sum to more than one of 0.29, but at delta > 0 they cost less.
TEST(Certificate, groups_do_not_compare_many_small_releases_with_one_large_by_their_sums) {
  Ledger ledger(statement(0.01));
  ReleaseRecord three = pure_release("three", 0.1);
  three.count = 3;
  ledger.add_disjoint({three, pure_release("one", 0.29)});
  const Spend many{PureCost{0.1}, 3}, one{PureCost{0.29}, 1};
  const double of_many = account({&many, 1}, 0.01), of_one = account({&one, 1}, 0.01);
  ASSERT_GT(of_one, of_many);
  EXPECT_NEAR(ledger.certify().epsilon, of_one, 1e-12);
}

TEST(Certificate, sampled_releases_do_not_join_a_group) {
  Ledger ledger(statement());
  ReleaseRecord sampled = gaussian("sampled", 1, 4);
  sampled.cost = SubsampledGaussianCost{4, 0.1};
  EXPECT_THROW(ledger.add_disjoint({gaussian("a", 1, 4), sampled}), Error);
  EXPECT_TRUE(ledger.certify().releases.empty());
}

TEST(Certificate, pure_releases_need_no_delta) {
  Ledger ledger(statement(0));
  ledger.add(laplace("quantile", 1, 4));
  ledger.add(laplace("count", 1, 2));
  const Certificate certificate = ledger.certify();
  EXPECT_TRUE(certificate.proved);
  EXPECT_DOUBLE_EQ(certificate.epsilon, 0.75);
  Ledger mixed(statement(0));
  mixed.add(gaussian("M2", 1, 4));
  EXPECT_FALSE(mixed.certify().proved);
}

TEST(Certificate, sampling_needs_neighbours_that_add_or_remove) {
  const ReleaseRecord record{"gradient", "subsampled gaussian",          1,  2,
                             10,         SubsampledGaussianCost{2, 0.1}, {}, ""};
  Ledger replacing(statement());
  replacing.add(record);
  EXPECT_FALSE(replacing.certify().proved);
  PrivacyStatement adding = statement();
  adding.adds_or_removes = true;
  Ledger ledger(adding);
  ledger.add(record);
  EXPECT_TRUE(ledger.certify().proved);
}

TEST(Certificate, an_adaptive_run_is_certified_at_its_budget) {
  PrivacyStatement adaptive = statement();
  adaptive.budget = PrivacyClaim{1, 1e-6};
  Ledger within(adaptive);
  within.add(gaussian("M2", 1, 10));
  EXPECT_TRUE(within.certify().proved);
  EXPECT_EQ(within.certify().epsilon, 1);
  Ledger beyond(adaptive);
  beyond.add(gaussian("M2", 1, 1));
  EXPECT_FALSE(beyond.certify().proved);
}

// At a delta of 1e-200 no grid does better than the plain sum, and the certificate says so.
TEST(Certificate, names_the_rule_that_gave_the_number) {
  Ledger sum(statement(1e-200));
  sum.add(laplace("a", 1, 4));
  sum.add(laplace("b", 1, 2));
  EXPECT_EQ(sum.certify().epsilon, 0.75);
  EXPECT_EQ(sum.certify().accountant, "basic composition");
  Ledger grid(statement(1e-6));
  ReleaseRecord many = laplace("a", 1, 40);
  many.count = 1000;
  grid.add(many);
  EXPECT_LT(grid.certify().epsilon, 20);
  EXPECT_EQ(grid.certify().accountant, "PLD");
  Ledger gaussians(statement(1e-6));
  gaussians.add(gaussian("a", 1, 4));
  EXPECT_EQ(gaussians.certify().accountant, "GDP (exact)");
  Ledger nothing(statement(1e-6));
  nothing.add(gaussian("a", 1, 0));
  EXPECT_EQ(nothing.certify().accountant, "none");
}

// The sentence never promises less loss than the number: 100.0004 is not 100.
TEST(Certificate, the_sentence_is_not_below_the_number) {
  for (const double epsilon : {100.0004, 1.00001, 0.123456789, 12345.678, 3.0}) {
    Ledger ledger(statement(1.23456789e-7));
    ledger.add(pure_release("bound", epsilon));
    const Certificate certificate = ledger.certify();
    const std::string text = certificate.to_text();
    double shown = 0, delta = 0;
    ASSERT_EQ(std::sscanf(text.c_str(),
                          "This result is differentially private with epsilon %lf and delta %lf.",
                          &shown, &delta),
              2)
        << text;
    EXPECT_GE(shown, certificate.epsilon) << text;
    EXPECT_LE(shown, certificate.epsilon * 1.0001) << text;
    EXPECT_GE(delta, 1.23456789e-7) << text;
  }
}

TEST(Certificate, says_what_a_large_delta_means) {
  PrivacyStatement large = statement(0.01);
  large.units = {100, "documents"};
  Ledger ledger(large);
  ledger.add(gaussian("M2", 1, 4));
  const Certificate certificate = ledger.certify();
  EXPECT_TRUE(certificate.proved);
  const std::string warning =
      "delta 0.01 is not below 1/100, and there are 100 documents: with probability delta a run "
      "may publish one of them whole, so one of the 100 may be expected to be exposed";
  EXPECT_NE(certificate.why.find(warning), std::string::npos) << certificate.why;
  EXPECT_NE(certificate.to_text().find("But " + warning + "."), std::string::npos);
  large.units.count = 99;
  Ledger small(large);
  small.add(gaussian("M2", 1, 4));
  EXPECT_EQ(small.certify().why, "epsilon follows from the listed releases and the noise in them");
}

TEST(Certificate, reads_as_plain_sentences) {
  Ledger ledger(statement());
  ledger.add(gaussian("M2", 1, 4));
  EXPECT_EQ(ledger.certify().to_text(),
            "This result is differentially private with epsilon 1.0608 and delta 1e-06. What is "
            "protected: one document; neighbouring data sets: replace one document. Assumed to be "
            "public: the number of documents; the vocabulary. 1 noisy release left the data, "
            "accounted by GDP (exact).");
}

// The text says what a delta that nobody asked for is.
TEST(Certificate, tells_a_pure_epsilon_from_a_delta_that_was_asked_for) {
  Ledger ledger(statement(1e-200));
  ledger.add(laplace("sums", 1, 2));
  const std::string text = ledger.certify().to_text();
  EXPECT_TRUE(text.starts_with(
      "This result is differentially private with epsilon 0.5, except for the truncated tails of "
      "the noise, whose probability is charged as delta 1e-200."))
      << text;
}

}  // namespace
}  // namespace sotto
