#include "sotto/report/result.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

TEST(Result, holds_what_every_command_must_say) {
  double x = 0.5;
  const OptionTable table = OptionTable().real("x", 0, x, {}, "");
  const Json result = make_result("decompose", table, {{"path", "a.npy"}});
  EXPECT_EQ(result["command"], "decompose");
  EXPECT_EQ(result["options"]["x"], 0.5);
  EXPECT_EQ(result["input"]["path"], "a.npy");
  EXPECT_TRUE(result.contains("privacy") && result["privacy"].is_null());
  EXPECT_FALSE(result["version"].get<std::string>().empty());
}

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
  EXPECT_THROW(to_text({{"a", {1.0, std::nan("")}}}), Error);
  EXPECT_THROW(to_text({{"a", INFINITY}}), Error);
}

}  // namespace
}  // namespace sotto
