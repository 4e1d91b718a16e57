#include "sotto/report/document.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/program.h"
#include "sotto/base/version.h"
#include "sotto/io/output_folder.h"
#include "sotto/privacy/meaning.h"
#include "sotto/report/json_parts.h"
#include "sotto/report/row_order.h"

namespace sotto {
namespace {

// The entries of largest absolute value in each column, largest first, with their labels where
// there are any: [{index: [..], value: [..], label: [..]}, ..]. The array has all entries; these
// are for the reader of a result.
Json largest_entries(const Matrix& columns, const std::vector<std::string>& labels) {
  constexpr Index kShown = 8;
  std::vector<Index> order(static_cast<std::size_t>(columns.rows()));
  const auto few = std::min<Index>(kShown, columns.rows());
  Json all = Json::array();
  for (Index j = 0; j < columns.cols(); ++j) {
    std::iota(order.begin(), order.end(), Index{0});
    // Ties keep the order of the indices, so that the list does not depend on the sorting
    // algorithm.
    const auto before = [&](Index a, Index b) {
      const double x = std::fabs(columns(a, j)), y = std::fabs(columns(b, j));
      return x != y ? x > y : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + few, order.end(), before);
    Json entries{{"index", Json::array()}, {"value", Json::array()}};
    for (Index n = 0; n < few; ++n) {
      const Index i = order[static_cast<std::size_t>(n)];
      entries["index"].push_back(i);
      entries["value"].push_back(columns(i, j));
      if (!labels.empty()) entries["label"].push_back(labels[static_cast<std::size_t>(i)]);
    }
    all.push_back(std::move(entries));
  }
  return all;
}

// The first columns, as many as a chart has colours, with the labels of their rows: {rows: [..],
// components: [[..], ..]}. Rows that are ordered by their index have no labels.
Json lines_of(const Matrix& columns, RowOrder order, const std::vector<std::string>& labels) {
  constexpr Index kLines = 8;
  Json lines;
  if (order == RowOrder::numbers) lines["rows"] = label_numbers(labels);
  if (order == RowOrder::dates) lines["rows"] = labels;
  lines["components"] = Json::array();
  for (Index j = 0; j < std::min(columns.cols(), kLines); ++j) {
    lines["components"].push_back(list_of(columns.col(j)));
  }
  return lines;
}

void set_at(Json& root, const std::string& path, const Json& value) {
  Json* place = &root;
  for (std::size_t start = 0;;) {
    const std::size_t slash = path.find('/', start);
    place = &(*place)[path.substr(start, slash - start)];
    if (slash == std::string::npos) break;
    start = slash + 1;
  }
  *place = value;
}

Json statement_json(const RunStatement& stated) {
  Json json{
      {"protects", stated.protects}, {"contact", stated.contact}, {"purpose", stated.purpose}};
  if (stated.ledger) {
    const LedgerStanding& ledger = *stated.ledger;
    json["ledger"] = {{"unit", ledger.unit},
                      {"epsilon", ledger.limit.epsilon},
                      {"delta", ledger.limit.delta},
                      {"runs", ledger.runs},
                      {"asked_epsilon", ledger.asked.epsilon},
                      {"asked_delta", ledger.asked.delta}};
  }
  return json;
}

bool has_meaning(const Certificate& certificate) {
  return certificate.proved && certificate.epsilon > 0 && certificate.epsilon <= kMostTelling;
}

}  // namespace

ResultDocument::ResultDocument(const ResultHead& head)
    : command_(head.command), title_(head.title), arguments_(head.arguments) {
  for (const Option& option : head.options.options()) {
    const auto& unused = head.unused;
    if (std::find(unused.begin(), unused.end(), option.name) != unused.end()) continue;
    options_[option.name] = option.get();
  }
}

ResultDocument& ResultDocument::add(Shown shown, const std::string& path, Json value,
                                    const std::string& label) {
  for (const ResultElement& other : elements_) {
    SOTTO_REQUIRE(other.path != path, "a result has '{}' twice", path);
  }
  elements_.push_back({shown, path, std::move(value), label});
  for (const ResultElement& element : elements_) {
    SOTTO_REQUIRE(!is_private() || element.shown != Shown::time,
                  "a private result must not tell '{}'", element.path);
  }
  return *this;
}

ResultDocument& ResultDocument::option(const std::string& name, Json value) {
  options_[name] = std::move(value);
  return *this;
}

ResultDocument& ResultDocument::input(const std::string& key, Json value,
                                      const std::string& label) {
  return add(Shown::input, "input/" + key, std::move(value), label);
}

ResultDocument& ResultDocument::fact(const std::string& key, Json value, const std::string& label) {
  return add(Shown::fact, "diagnostics/" + key, std::move(value), label);
}

ResultDocument& ResultDocument::value(const std::string& key, Json value,
                                      const std::string& label) {
  return add(Shown::value, key, std::move(value), label);
}

ResultDocument& ResultDocument::fit(const std::string& key, Json value, const std::string& label) {
  return add(Shown::fit, key, std::move(value), label);
}

ResultDocument& ResultDocument::quality(const std::string& key, Json value,
                                        const std::string& label) {
  return add(Shown::quality, "evaluation/" + key, std::move(value), label);
}

ResultDocument& ResultDocument::weights(const Vector& weights, const std::string& of) {
  return add(Shown::weights, "weights", list_of(weights), of);
}

ResultDocument& ResultDocument::component_column(const std::string& path, Json numbers,
                                                 const std::string& label) {
  return add(Shown::component_column, path, std::move(numbers), label);
}

ResultDocument& ResultDocument::topic_cards(Json topics) {
  return add(Shown::topic_cards, "topics", std::move(topics));
}

ResultDocument& ResultDocument::columns(const std::string& array, const Matrix& columns,
                                        const RowNames& rows, const std::string& label) {
  SOTTO_REQUIRE(rows.labels.empty() || std::ssize(rows.labels) == columns.rows(),
                "the rows of '{}' have {} labels", array, rows.labels.size());
  const std::string& name = label.empty() ? array : label;
  add(Shown::entry_cards, "largest_entries/" + array, largest_entries(columns, rows.labels), name);
  const RowOrder order = row_order(rows, columns.rows());
  if (order == RowOrder::none) return *this;
  return add(Shown::lines, "lines/" + array, lines_of(columns, order, rows.labels), name);
}

ResultDocument& ResultDocument::curve(const std::string& key, Json numbers,
                                      const std::string& label) {
  return add(Shown::curve, "diagnostics/" + key, std::move(numbers), label);
}

ResultDocument& ResultDocument::spectrum(const std::string& key, Json numbers,
                                         const std::string& label) {
  return add(Shown::spectrum, "diagnostics/" + key, std::move(numbers), label);
}

ResultDocument& ResultDocument::component_history(Json history) {
  return add(Shown::component_history, "diagnostics/history", std::move(history));
}

ResultDocument& ResultDocument::epoch_history(Json errors) {
  return add(Shown::epoch_history, "diagnostics/history", std::move(errors));
}

ResultDocument& ResultDocument::epoch_seconds(Json seconds) {
  return add(Shown::time, "diagnostics/history/seconds", std::move(seconds));
}

ResultDocument& ResultDocument::table(const std::string& path, const std::string& caption,
                                      Json records) {
  return add(Shown::table, path, std::move(records), caption);
}

ResultDocument& ResultDocument::certificate(const Certificate& certificate) {
  certificate_ = certificate;
  Json json = certificate.to_json();
  if (has_meaning(certificate)) json["meaning"] = meaning_of(promise_of(certificate)).to_json();
  return add(Shown::certificate, "privacy", std::move(json));
}

ResultDocument& ResultDocument::source(Json model) {
  return add(Shown::source, "source", std::move(model));
}

ResultDocument& ResultDocument::exposed(const std::string& sentence, const std::string& file) {
  exposed_files_.push_back(file);
  return add(Shown::exposed, "exposes", sentence);
}

ResultDocument& ResultDocument::seconds(double seconds) {
  return add(Shown::time, "seconds", seconds);
}

ResultDocument& ResultDocument::seconds(const std::string& of, double seconds) {
  return add(Shown::time, "diagnostics/seconds_" + of, seconds);
}

ResultDocument& ResultDocument::detail(const std::string& path, Json value,
                                       const std::string& label) {
  return add(Shown::detail, path, std::move(value), label);
}

ResultDocument& ResultDocument::files(std::vector<std::string> names) {
  files_ = std::move(names);
  return *this;
}

ResultDocument& ResultDocument::digests(const std::map<std::string, FileDigest>& digests) {
  digests_ = Json::object();
  for (const auto& [name, digest] : digests) {
    const bool exposed =
        std::find(exposed_files_.begin(), exposed_files_.end(), name) != exposed_files_.end();
    if (is_private() && exposed) continue;
    digests_[name] = {{"bytes", digest.bytes}, {"blake2b", digest.blake2b}};
  }
  return *this;
}

ResultDocument& ResultDocument::stated(const RunStatement& statement) {
  statement_ = statement;
  for (const char* words : {"protects", "contact", "purpose", "sign"}) options_.erase(words);
  return *this;
}

std::vector<std::string> ResultDocument::exposures() const {
  std::vector<std::string> sentences;
  for (const ResultElement& element : elements_) {
    if (element.shown == Shown::exposed) sentences.push_back(element.value.get<std::string>());
  }
  return sentences;
}

Json json_of(const ResultDocument& document) {
  const RunStatement& stated = document.statement();
  Json json;
  json["command"] = document.command();
  json["version"] = SOTTO_VERSION;
  json["build"] = build_id();
  json["day"] = stated.day.empty() ? today() : stated.day;
  json["format"] = kResultFormat;
  json["arguments"] = document.arguments();
  json["options"] = document.options();
  json["input"] = Json::object();
  if (document.is_private()) json["statement"] = statement_json(stated);
  json["privacy"] = nullptr;
  for (const ResultElement& element : document.elements()) {
    set_at(json, element.path, element.value);
  }
  if (document.files()) json["files"] = *document.files();
  if (!document.digests().is_null()) json["digests"] = document.digests();
  return json;
}

std::string result_text(const ResultDocument& document) {
  const Json json = json_of(document);
  return document.digests().is_null() ? to_text(json) : to_sealed_text(json);
}

}  // namespace sotto
