#include "sotto/report/result.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

TEST(Result, text_reads_back_to_the_same_json_with_every_digit) {
  const Json value = {{"a", {1.0 / 3, 2e-300, -7}},
                      {"b", {{"empty", Json::object()}, {"none", nullptr}, {"t", true}}},
                      {"c", {{{"x", 1}}, {{"x", 2}}}},
                      {"quote\"", "line\nbreak"}};
  const std::string text = to_text(value);
  EXPECT_EQ(Json::parse(text), value);
  EXPECT_NE(text.find("  \"a\": [0.3333333333333333, "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(Result, refuses_numbers_that_json_does_not_have) {
  EXPECT_THROW(to_text(Json({{"a", {1.0, std::nan("")}}})), Error);
  EXPECT_THROW(to_text(Json({{"a", INFINITY}})), Error);
}

TEST(Result, refuses_times_in_a_private_result) {
  const Json times = {{"history", {{"seconds", {1.5}}}}};
  EXPECT_NO_THROW(to_text(Json({{"privacy", nullptr}, {"diagnostics", times}})));
  EXPECT_THROW(to_text(Json({{"privacy", {{"epsilon", 1}}}, {"diagnostics", times}})), Error);
}

}  // namespace
}  // namespace sotto
