#include <gtest/gtest.h>

#include <cmath>

#include "sotto/verify/array_file.h"
#include "sotto/verify/checks.h"

namespace sotto::verify {
namespace {

Json gaussian(double mu, double noise = 2) {
  return {{"what", "a sum"},
          {"mechanism", "gaussian"},
          {"sensitivity", mu * noise},
          {"noise", noise},
          {"count", 1},
          {"values", 3},
          {"cost", {{"mu", mu}}}};
}

Json result_with(const Json& releases, double epsilon) {
  return {{"command", "mixture"},
          {"privacy",
           {{"epsilon", epsilon},
            {"delta", 1e-6},
            {"guarantee", "proved"},
            {"accountant", "GDP (exact)"},
            {"neighbours", "one record replaced by another"},
            {"releases", releases}}}};
}

// The first finding, which is about epsilon where the releases can be read.
Finding of_epsilon(const Json& result) {
  Findings findings;
  check_guarantee(result, findings);
  return findings.list().at(0);
}

TEST(CheckGuarantee, composes_releases_and_takes_the_largest_of_a_group) {
  const Json one = gaussian(0.2);
  Findings findings;
  check_guarantee(result_with(Json::array({one}), 1), findings);
  const std::string says = findings.list().at(0).what;
  EXPECT_EQ(findings.list().at(0).check, Check::fails) << says;
  // Two of mu 0.2 / sqrt(2) cost as much as one of 0.2; two in one group as one of them.
  Json half = gaussian(0.2 / std::sqrt(2.0));
  EXPECT_EQ(of_epsilon(result_with(Json::array({half, half}), 1)).what, says);
  Json grouped = one, smaller = gaussian(0.1);
  grouped["parallel"] = smaller["parallel"] = 1;
  EXPECT_EQ(of_epsilon(result_with(Json::array({grouped, smaller}), 1)).what, says);
}

TEST(CheckGuarantee, refuses_a_cost_that_does_not_follow_from_the_noise) {
  Json release = gaussian(0.2);
  release["noise"] = 2.000001;
  EXPECT_NE(of_epsilon(result_with(Json::array({release}), 1)).what.find("does not follow"),
            std::string::npos);
  release = gaussian(0.2);
  release["cost"] = {{"mu", 0.1}};
  EXPECT_EQ(of_epsilon(result_with(Json::array({release}), 1)).check, Check::fails);
  release["cost"] = Json::array();
  EXPECT_EQ(of_epsilon(result_with(Json::array({release}), 1)).check, Check::fails);
}

TEST(CheckGuarantee, holds_a_chosen_list_to_its_budget) {
  Json result = result_with(Json::array({gaussian(0.2)}), 1);
  result["privacy"]["accountant"] = "a budget fixed in advance, composed by GDP";
  EXPECT_EQ(of_epsilon(result).check, Check::holds);
  result["privacy"]["epsilon"] = 0.5;
  EXPECT_EQ(of_epsilon(result).check, Check::fails);
}

TEST(CheckGuarantee, takes_sampled_releases_only_where_records_come_and_go) {
  Json release = gaussian(0.2);
  release["cost"] = {{"noise_multiplier", 5.0}, {"sampling_rate", 0.1}};
  EXPECT_NE(of_epsilon(result_with(Json::array({release}), 1)).what.find("add or remove"),
            std::string::npos);
}

TEST(ArrayFile, is_read_whole_or_not_at_all) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }";
  header.resize(118, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + char(118) + char(0) + header;
  const double values[] = {1.5, -2};
  bytes.append(reinterpret_cast<const char*>(values), sizeof(values));
  const auto array = parse_array(bytes);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(array->at(1, 0), -2);
  EXPECT_FALSE(parse_array(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(parse_array(bytes + "12345678"));
  EXPECT_FALSE(parse_array("\x93NUMPY"));
  std::string huge = bytes;
  huge.replace(huge.find("(2, 1)"), 6, "(2,9999999999999)");
  EXPECT_FALSE(parse_array(huge));
}

}  // namespace
}  // namespace sotto::verify
