// Observed entries of tensors with a known truth, and entries held out to test on.
//
//   cp, tucker: the simulation of Wei et al. 2022 (section 5.1). Factors are standard normal with
//     columns of length 1 (Tucker: orthonormal, core standard normal); the tensor is scaled to
//     [0, 1] by its least and greatest entry, then noise is added whose variance is that of the
//     scaled tensor over `snr`. A share `missing` of the places is not observed.
//   ratings: many users, items and months. value = 3.5 + user + item + month + sum_r a_r b_r c_r +
//     noise, with deviations 0.4, 0.4, 0.1, 0.5 and 0.7. The popularity of users and items is a
//     power of their rank; a user rates within a few months and no item twice.
//
// The entries are the same for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/tensor/observed.h"

namespace sotto {

enum class RatingLaw { cp, tucker, ratings };
constexpr auto enum_names(RatingLaw) {
  return std::to_array<EnumName<RatingLaw>>(
      {{RatingLaw::cp, "cp"}, {RatingLaw::tucker, "tucker"}, {RatingLaw::ratings, "ratings"}});
}

struct RatingModel {
  RatingLaw model = RatingLaw::ratings;
  std::optional<std::int64_t> users;   // rows of the modes: 20 for cp and tucker, otherwise 100000,
  std::optional<std::int64_t> items;   // 20000
  std::optional<std::int64_t> months;  // and 60
  std::optional<std::int64_t> rank;    // 3, or 8
  std::int64_t ratings = 1000000;      // of model ratings
  double popularity = 0.6;             // exponent, of model ratings
  double missing = 0.5;                // of cp and tucker
  double snr = 1;
  double test_share = 0.2;
  std::int64_t seed = 0;

  OptionTable table();
};

struct SyntheticRatings {
  ObservedEntries train, test;
  std::vector<double> test_truth;  // the values of `test` without noise
};

SyntheticRatings generate_ratings(const RatingModel& model);

}  // namespace sotto
