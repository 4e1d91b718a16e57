#include <fmt/format.h>

#include <algorithm>

#include "sotto/base/json.h"
#include "sotto/report/describe.h"
#include "sotto/report/json_parts.h"

namespace sotto {
namespace {

constexpr std::size_t kPredictionsShown = 10;

Json prediction_records(const ApplyResult& result, std::size_t most) {
  Json records = Json::array();
  for (const Prediction& one : result.predictions) {
    if (records.size() == most) break;
    Json record;
    for (std::size_t m = 0; m < one.place.size(); ++m) record[result.modes[m]] = one.place[m];
    record["prediction"] = one.value;
    records.push_back(std::move(record));
  }
  return records;
}

// The first rows, with as many components as a page is wide.
Json row_records(const ApplyResult& result) {
  constexpr Index kRows = 10, kComponents = 10;
  Json records = Json::array();
  for (Index i = 0; i < std::min(result.rows.rows(), kRows); ++i) {
    Json record{{"record", i}};
    for (Index t = 0; t < std::min(result.rows.cols(), kComponents); ++t) {
      record[fmt::format("component {}", t + 1)] = result.rows(i, t);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

void describe(const ApplyResult& result, ResultDocument& document) {
  document.input(result.input, result.records).input("model", result.model.what);
  document.exposed(result.exposes);
  if (!result.rows_are.empty()) {
    const Vector mean = result.rows.colwise().mean();
    document.value("array", result.rows_are + ".npy", "One row a record")
        .spectrum("mean_" + result.rows_are, list_of(mean), "Mean over the records")
        .table("first_" + result.rows_are, "The first records", row_records(result));
  }
  if (!result.modes.empty()) {
    const std::size_t most = result.recommended ? result.predictions.size() : kPredictionsShown;
    Json records = prediction_records(result, most);
    if (!records.empty()) {
      document.table(result.recommended ? "recommendations" : "first_predictions",
                     result.recommended ? "Recommendations" : "The first predictions",
                     std::move(records));
    }
    if (!result.recommended) {
      document.value("unknown_rows", result.unknown, "Places with a row that was not learnt");
    }
  }
  document.value("spent", 0, "Epsilon spent on the training data");
  document.source({{"folder", result.model.folder},
                   {"command", result.model.command},
                   {"privacy", parse_json(result.model.certificate)}});
}

std::string to_text(const ApplyResult& result) {
  std::string text;
  if (result.recommended) {
    for (const Prediction& one : result.predictions) {
      text += fmt::format("{}\t{:.4f}\n", one.place.back(), one.value);
    }
  } else {
    text =
        fmt::format("{} {}, by a model of {}\n", result.records, result.input, result.model.what);
    if (result.unknown > 0) {
      text += fmt::format("{} of them with rows that were not learnt\n", result.unknown);
    }
  }
  return text + result.exposes + "\n";
}

}  // namespace sotto
