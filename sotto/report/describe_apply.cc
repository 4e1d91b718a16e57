#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/report/describe.h"
#include "sotto/report/describe_scores.h"
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

// What the predictions were compared with.
std::string values_of_scores(const ApplyResult& result) {
  return result.scored_column.empty() ? "the last column" : result.scored_column;
}

// The first rows, with as many components as a page is wide.
Json row_records(const ApplyResult& result) {
  constexpr Index kRows = 10, kComponents = 10;
  const std::vector<std::string> names = component_names(result);
  Json records = Json::array();
  for (Index i = 0; i < std::min(result.rows.rows(), kRows); ++i) {
    Json record{{"record", i}};
    if (!result.ids.empty()) record["record"] = result.ids[static_cast<std::size_t>(i)];
    for (Index t = 0; t < std::min(result.rows.cols(), kComponents); ++t) {
      record[names[static_cast<std::size_t>(t)]] = result.rows(i, t);
    }
    records.push_back(std::move(record));
  }
  return records;
}

// One row a component: the numbers of the components mean little without their words.
Json named_means(const ApplyResult& result, const Vector& mean) {
  Json records = Json::array();
  for (Index t = 0; t < mean.size(); ++t) {
    records.push_back(
        {{"component", result.components[static_cast<std::size_t>(t)]}, {"mean", mean[t]}});
  }
  return records;
}

// How well the model fits the new data.
void describe_applied_fit(const ApplyResult& result, ResultDocument& document) {
  if (result.perplexity) {
    document.quality("perplexity", result.perplexity->model, "Perplexity of the new documents")
        .quality("mean_topic_perplexity", result.perplexity->unigram,
                 "Perplexity by the mean of the topics")
        .quality("tokens", result.perplexity->tokens, "Tokens that were predicted");
  }
  if (result.log_likelihood) {
    document.fit("log_likelihood", *result.log_likelihood, "Mean log likelihood of a point");
  }
  if (!result.scores) return;
  describe_scores(*result.scores, "the predictions", document);
  document.value("compared_with", values_of_scores(result), "Predictions were compared with");
}

std::string applied_fit_text(const ApplyResult& result) {
  std::string text;
  if (result.perplexity) {
    text += fmt::format("perplexity {:.4g}, by the mean of the topics {:.4g}, over {} tokens\n",
                        result.perplexity->model, result.perplexity->unigram,
                        result.perplexity->tokens);
  }
  if (result.log_likelihood) {
    text += fmt::format("mean log likelihood of a point {:.6g}\n", *result.log_likelihood);
  }
  if (result.scores) {
    text += fmt::format("{}, compared with {}\n", scores_text(*result.scores),
                        values_of_scores(result));
  }
  return text;
}

}  // namespace

void describe(const ApplyResult& result, ResultDocument& document) {
  document.input(result.input, result.records).input("model", result.model.what);
  document.exposed(result.exposes);
  describe_applied_fit(result, document);
  if (!result.rows_are.empty()) {
    const Vector mean = result.rows.colwise().mean();
    document.value("array", result.rows_are + ".npy", "One row a record")
        .spectrum("mean_" + result.rows_are, list_of(mean), "Mean over the records")
        .table("first_" + result.rows_are, "The first records", row_records(result));
    if (!result.components.empty()) {
      document.table("components", "The components", named_means(result, mean));
    }
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
    text += applied_fit_text(result);
  }
  return text + result.exposes + "\n";
}

}  // namespace sotto
