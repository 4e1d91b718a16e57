// The PLD accountant against the contour integral over a wide range of sampled releases.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/privacy/pld.h"
#include "sotto/privacy/testing/contour.h"

namespace sotto {
namespace {

// The Gaussian release beside the sampled ones makes the contour integral converge.
TEST(PldSlow, sampled_releases_match_the_contour_integral_and_are_never_below) {
  for (double rate : {1e-3, 0.02, 0.4}) {
    for (double sigma : {0.6, 1.0, 3.0}) {
      for (std::int64_t count : {50, 5000}) {
        const std::vector<Spend> list = {{GaussianCost{0.1}, 1},
                                         {SubsampledGaussianCost{sigma, rate}, count}};
        for (double delta : {1e-5, 1e-10}) {
          const double epsilon = pld_epsilon(list, delta);
          const double less = epsilon - 1e-4 - 2e-4 * epsilon;
          double exact = 0, exact_less = 0;
          for (bool removing : {true, false}) {
            exact = std::fmax(exact, testing::contour_delta(list, epsilon, removing));
            exact_less = std::fmax(exact_less, testing::contour_delta(list, less, removing));
          }
          SCOPED_TRACE(::testing::Message() << rate << " " << sigma << " " << count << " " << delta
                                            << " epsilon " << epsilon);
          EXPECT_LE(exact, delta * (1 + 1e-8));
          EXPECT_GE(exact_less, delta);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sotto
