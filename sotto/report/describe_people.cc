#include "sotto/report/describe_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sotto {
namespace {

constexpr Index kRowsShown = 6;

// How many people have a loading in each bin, one record a bin.
Json loading_records(const PeopleResult& result) {
  const auto bins = static_cast<double>(result.loadings.rows());
  Json records = Json::array();
  for (Index b = 0; b < result.loadings.rows(); ++b) {
    Json record{{"from", double(b) / bins}, {"to", double(b + 1) / bins}};
    for (Index t = 0; t < result.loadings.cols(); ++t) {
      record[fmt::format("component {}", t + 1)] = result.loadings(b, t);
    }
    records.push_back(std::move(record));
  }
  return records;
}

// The label of a row, or its number counted from 1.
std::string row_name(const PeopleResult& result, std::size_t mode, Index row) {
  const std::vector<std::string> labels = result.labels_of(mode);
  return labels.empty() ? fmt::format("#{}", row + 1) : labels[static_cast<std::size_t>(row)];
}

}  // namespace

void describe(const PeopleResult& result, ResultDocument& document) {
  document.option("route", std::string(name_of(result.route)))
      .option("refine", result.steps)
      .input("dims", result.dims, "Rows of the other modes");
  if (result.certificate) document.certificate(*result.certificate);
  if (result.perplexity) {
    document.fit("event_perplexity", result.perplexity->model, "Perplexity of an event")
        .fit("margin_perplexity", result.perplexity->margins,
             "Perplexity of an event by the frequencies of rows alone");
  }
  if (result.explained) {
    document.fit("explained", *result.explained, "Explained, 1 - |X - X^|^2 / |X|^2");
  }
  document.weights(result.weights, "component");
  for (std::size_t m = 0; m < result.factors.size(); ++m) {
    document.columns(fmt::format("factors_{}", m + 1), result.factors[m],
                     {.labels = result.labels_of(m)});
  }
  document.table("loadings", "People by their loading on each component", loading_records(result));
  if (result.core > 0) document.fact("core", result.core, "Rows of the pair moment");
  if (result.certificate) {
    document.fact("loadings_noise", result.loadings_deviation, "Noise in a number of people");
  } else {
    document.seconds(result.seconds);
  }
}

std::string to_text(const PeopleResult& result) {
  std::string text;
  for (Index t = 0; t < result.weights.size(); ++t) {
    text += fmt::format("{:>5}  weight {:.4f}\n", t + 1, result.weights[t]);
    for (std::size_t m = 0; m < result.factors.size(); ++m) {
      const auto column = result.factors[m].col(t);
      std::vector<Index> order(static_cast<std::size_t>(column.size()));
      std::iota(order.begin(), order.end(), 0);
      const auto shown = std::min<std::size_t>(order.size(), kRowsShown);
      std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(shown), order.end(),
                        [&](Index a, Index b) { return column[a] > column[b]; });
      text += fmt::format("       mode {}:", m + 2);
      for (std::size_t n = 0; n < shown; ++n) {
        text += fmt::format(" {} {:.3f}", row_name(result, m, order[n]), column[order[n]]);
      }
      text += "\n";
    }
  }
  if (result.perplexity) {
    text += fmt::format("perplexity of an event {:.4g}, by the frequencies of rows alone {:.4g}\n",
                        result.perplexity->model, result.perplexity->margins);
  }
  if (result.explained) {
    text +=
        fmt::format("the model explains {:.4f} % of the sum of squares\n", 100 * *result.explained);
  }
  return text;
}

}  // namespace sotto
