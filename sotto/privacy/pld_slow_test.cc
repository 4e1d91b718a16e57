// The PLD accountant against the contour integral over a wide range of sampled releases.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/privacy/pld.h"
#include "sotto/privacy/testing/contour.h"

namespace sotto {
namespace {

// The slope of log delta in epsilon is at least this steep, so a factor on delta bounds a
// difference of epsilon.
double slope_at(std::span<const Spend> list, double epsilon, bool removing) {
  const double h = 1e-4 * epsilon;
  return std::log(testing::contour_delta(list, epsilon - h, removing) /
                  testing::contour_delta(list, epsilon + h, removing)) /
         (2 * h);
}

TEST(PldSlow, sampled_releases_match_the_contour_integral_and_are_never_below) {
  for (double rate : {3e-4, 4e-3, 0.03, 0.4}) {
    for (double sigma : {0.5, 0.8, 1.3, 5.0}) {
      for (std::int64_t count : {20, 700, 30000}) {
        const double width = std::fmax(0.02, 0.1 * rate * std::sqrt(double(count)) / sigma);
        const std::vector<Spend> list = {{GaussianCost{width}, 1},
                                         {SubsampledGaussianCost{sigma, rate}, count}};
        for (double delta : {1e-4, 1e-7, 1e-10}) {
          const double epsilon = pld_epsilon(list, delta);
          const double remove = testing::contour_delta(list, epsilon, true);
          const double add = testing::contour_delta(list, epsilon, false);
          const bool removing = remove >= add;
          const double above =
              std::log(delta / std::fmax(remove, add)) / slope_at(list, epsilon, removing);
          SCOPED_TRACE(::testing::Message() << rate << " " << sigma << " " << count << " " << delta
                                            << " epsilon " << epsilon);
          EXPECT_GE(above, -1e-8);
          EXPECT_LE(above, 1e-4 + 5e-4 * epsilon);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sotto
