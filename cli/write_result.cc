#include "cli/write_result.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/report/result_page.h"

namespace sotto::cli {

void write_result(OutputFolder& folder, Json& result) {
  result["files"] = folder.names();
  folder.write_text("result.json", to_text(result));
  folder.write_text("report.html", render(result_page(result)));
  folder.commit();
}

Json largest_entries(const Matrix& columns) {
  constexpr Index shown = 8;
  std::vector<Index> order(static_cast<std::size_t>(columns.rows()));
  const auto few = std::min<Index>(shown, columns.rows());
  Json all = Json::array();
  for (Index j = 0; j < columns.cols(); ++j) {
    std::iota(order.begin(), order.end(), Index{0});
    // Among equals the first, so that the list does not depend on how sorting goes.
    const auto before = [&](Index a, Index b) {
      const double x = std::fabs(columns(a, j)), y = std::fabs(columns(b, j));
      return x != y ? x > y : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + few, order.end(), before);
    Json entries;
    for (Index n = 0; n < few; ++n) {
      const Index i = order[static_cast<std::size_t>(n)];
      entries["index"].push_back(i);
      entries["value"].push_back(columns(i, j));
    }
    all.push_back(std::move(entries));
  }
  return all;
}

}  // namespace sotto::cli
