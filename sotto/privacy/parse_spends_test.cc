#include "sotto/privacy/parse_spends.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"

namespace sotto {
namespace {

TEST(ParseSpends, reads_every_kind_of_release) {
  const auto spends =
      parse_spends("gaussian:2:10,laplace:4,pure:0.5:3,subsampled:1.5:0.01:1000", "`releases`");
  ASSERT_EQ(spends.size(), 4u);
  EXPECT_EQ(std::get<GaussianCost>(spends[0].cost).mu, 0.5);
  EXPECT_EQ(spends[0].count, 10);
  EXPECT_EQ(std::get<LaplaceCost>(spends[1].cost).epsilon, 0.25);
  EXPECT_EQ(spends[1].count, 1);
  EXPECT_EQ(std::get<PureCost>(spends[2].cost).epsilon, 0.5);
  const auto subsampled = std::get<SubsampledGaussianCost>(spends[3].cost);
  EXPECT_EQ(subsampled.noise_multiplier, 1.5);
  EXPECT_EQ(subsampled.sampling_rate, 0.01);
  EXPECT_EQ(spends[3].count, 1000);
}

TEST(ParseSpends, refuses_what_does_not_read_that_way) {
  for (const char* text : {"", "gaussian", "gaussian:", "gaussian:x", "gaussian:1:2:3", "magic:1",
                           "gaussian:0", "gaussian:-1", "gaussian:nan", "subsampled:1",
                           "gaussian:1,", "gaussian:1:1.5", "gaussian:1 "}) {
    EXPECT_THROW(parse_spends(text, "`releases`"), Error) << text;
  }
}

}  // namespace
}  // namespace sotto
