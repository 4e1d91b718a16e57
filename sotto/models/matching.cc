#include "sotto/models/matching.h"

#include <limits>

namespace sotto {

std::vector<Index> least_cost_matching(const Matrix& cost) {
  const Index k = cost.rows();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> u(k + 1, 0), v(k + 1, 0);
  std::vector<Index> row_of(k + 1, 0), way(k + 1, 0);
  for (Index row = 1; row <= k; ++row) {
    row_of[0] = row;
    Index column = 0;
    std::vector<double> least(k + 1, infinity);
    std::vector<bool> used(k + 1, false);
    do {
      used[column] = true;
      const Index i = row_of[column];
      double step = infinity;
      Index next = 0;
      for (Index j = 1; j <= k; ++j) {
        if (used[j]) continue;
        const double reduced = cost(i - 1, j - 1) - u[i] - v[j];
        if (reduced < least[j]) {
          least[j] = reduced;
          way[j] = column;
        }
        if (least[j] < step) {
          step = least[j];
          next = j;
        }
      }
      for (Index j = 0; j <= k; ++j) {
        if (used[j]) {
          u[row_of[j]] += step;
          v[j] -= step;
        } else {
          least[j] -= step;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[way[column]];
      column = way[column];
    }
  }
  std::vector<Index> match(k);
  for (Index j = 1; j <= k; ++j) match[row_of[j] - 1] = j - 1;
  return match;
}

}  // namespace sotto
