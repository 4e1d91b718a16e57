// Private ratings: the values of ratings are sensitive; who rated what is public. One rating is
// protected, with epsilon 1. Missing ratings are predicted.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include "sotto/sotto.h"

// Everybody likes item 0, nobody likes item 1; the others are rated about 3.
double rating(int item, std::mt19937_64& random) {
  const double around = item == 0 ? 4.5 : item == 1 ? 1.5 : 3;
  return std::clamp(std::normal_distribution<double>(around, 0.5)(random), 1.0, 5.0);
}

int main() {
  constexpr int kUsers = 2000, kItems = 20;
  std::mt19937_64 random(5);
  sotto::ObservedEntries seen({kUsers, kItems, 1});  // users, items, one month
  for (std::int32_t user = 0; user < kUsers; ++user) {
    for (std::int32_t item = 0; item < kItems; ++item) {
      if ((user + item) % 4 == 0) continue;  // not rated
      seen.append(std::array{user, item, std::int32_t{0}}, rating(item, random));
    }
  }

  sotto::CompleteTask task;
  task.completion.rank = 1;
  task.file.range = "1:5";
  task.privacy.epsilon = 1;
  const auto result = sotto::run(sotto::sensitive_input(sotto::unlabelled(seen)), task);

  sotto::ObservedEntries missing({kUsers, kItems, 1});
  missing.append(std::array<std::int32_t, 3>{0, 0, 0}, 0);
  missing.append(std::array<std::int32_t, 3>{3, 1, 0}, 0);
  const std::vector<double> predicted = result.model.predict(missing);
  std::printf("user 0, item 0: %.1f\n", std::round(2 * predicted[0]) / 2);
  std::printf("user 3, item 1: %.1f\n", std::round(2 * predicted[1]) / 2);
  std::printf("%s, epsilon %.3f\n", result.certificate->proved ? "proved" : "not proved",
              result.certificate->epsilon);
}

// Prints:
//   user 0, item 0: 4.5
//   user 3, item 1: 1.5
//   proved, epsilon 1.000
