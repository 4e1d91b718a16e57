#include "sotto/models/people_measures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

// Two people, two rows in each of two modes.
const std::vector<Matrix> kTwoFactors = {Matrix{{0.9, 0.2}, {0.1, 0.8}},
                                         Matrix{{0.5, 0.3}, {0.5, 0.7}}};

SparseTensor two_people(const std::vector<double>& values) {
  return SparseTensor({2, 2, 2}, {0, 0, 0, 0, 1, 1, 1, 0, 1}, values, Duplicates::refuse);
}

TEST(PeopleMeasures, perplexity_of_events_is_that_of_the_mixture) {
  const RowMatrix proportions{{0.75, 0.25}, {0.5, 0.5}};
  const SparseTensor events = two_people({2, 1, 3});
  const double cells[] = {0.75 * 0.9 * 0.5 + 0.25 * 0.2 * 0.3, 0.75 * 0.1 * 0.5 + 0.25 * 0.8 * 0.7,
                          0.5 * 0.9 * 0.5 + 0.5 * 0.2 * 0.7};
  const double mean = (2 * std::log(cells[0]) + std::log(cells[1]) + 3 * std::log(cells[2])) / 6;
  const EventPerplexity found = event_perplexity(events, kTwoFactors, proportions);
  EXPECT_NEAR(found.model, std::exp(-mean), 1e-4);
  // Margins: rows 5/6 and 1/6, and 2/6 and 4/6.
  const double margins =
      (2 * std::log(5 / 6. * 2 / 6.) + std::log(1 / 6. * 4 / 6.) + 3 * std::log(5 / 6. * 4 / 6.)) /
      6;
  EXPECT_NEAR(found.margins, std::exp(-margins), 1e-4);
}

TEST(PeopleMeasures, explained_is_the_share_of_the_sum_of_squares) {
  const RowMatrix loadings{{2, -1}, {0.5, 3}};
  const SparseTensor values = two_people({2, -1, 3});
  double left = 0, all = 0;
  for (Index p = 0; p < 2; ++p) {
    for (Index j = 0; j < 2; ++j) {
      for (Index l = 0; l < 2; ++l) {
        const double x = p == 0 ? (j == l ? (j == 0 ? 2 : -1) : 0) : (j == 0 && l == 1 ? 3 : 0);
        double model = 0;
        for (Index t = 0; t < 2; ++t) {
          model += loadings(p, t) * kTwoFactors[0](j, t) * kTwoFactors[1](l, t);
        }
        left += (x - model) * (x - model);
        all += x * x;
      }
    }
  }
  EXPECT_NEAR(explained_share(values, kTwoFactors, loadings), 1 - left / all, 1e-12);
}

}  // namespace
}  // namespace sotto
