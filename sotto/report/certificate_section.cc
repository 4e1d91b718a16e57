#include "sotto/report/certificate_section.h"

#include <algorithm>
#include <set>

#include "sotto/base/rounded_up.h"
#include "sotto/report/json_parts.h"

namespace sotto {
namespace {

constexpr double kLittlePromise = 10;  // odds of exp(10) to one

// Rounded up, so that a page promises no more than the number behind it.
Cell promised(const Json& object, const char* key, const char* otherwise) {
  const Json& value = at(object, key);
  if (!value.is_number()) return value.is_null() ? Cell(otherwise) : cell_of(value);
  const auto number = value.get<double>();
  return {number, rounded_up(number)};
}

Cell epsilon_of(const Json& privacy) { return promised(privacy, "epsilon", "none"); }

Cell value_or(const Json& object, const char* key, const char* otherwise) {
  const Json& value = at(object, key);
  return value.is_null() ? Cell(otherwise) : cell_of(value);
}

bool is_proved(const Json& privacy) { return text_at(privacy, "guarantee", "none") == "proved"; }

void say_what_is_promised(const Json& privacy, PageSection& section) {
  const std::string unit = text_at(privacy, "unit", "one record");
  const std::string neighbours = text_at(privacy, "neighbours", "neighbours are not named");
  const std::string why = text_at(privacy, "why", "no reason is recorded");
  if (!is_proved(privacy)) {
    section.paragraphs.push_back({"There is no guarantee for this result: ", why, "."});
    section.paragraphs.push_back({"It was meant to protect ", unit, " (", neighbours, ")."});
    return;
  }
  const char* promise =
      "). Any outcome of this run is at most exp(epsilon) times as probable on the one as on the "
      "other, up to a probability of delta. That bounds what anyone can learn about it from this "
      "result, whatever else they know and however much they compute; the smaller epsilon, the "
      "less it is.";
  section.paragraphs.push_back(
      {"Take any two data sets that differ in ", unit, " alone (", neighbours, promise});
  if (at(privacy, "epsilon").is_number() && privacy["epsilon"].get<double>() > kLittlePromise) {
    section.paragraphs.push_back({"An epsilon as large as this one promises little."});
  }
  section.paragraphs.push_back({"The guarantee is proved: ", why, "."});
}

void say_what_is_public(const Json& privacy, PageSection& section) {
  if (!at(privacy, "public").is_array() || privacy["public"].empty()) return;
  Line line{"Taken to be public, and not protected: "};
  bool first = true;
  for (const Json& fact : privacy["public"]) {
    if (!first) line.push_back("; ");
    first = false;
    line.push_back(cell_of(fact));
  }
  line.push_back(".");
  section.paragraphs.push_back(std::move(line));
}

void say_what_was_claimed(const Json& privacy, PageSection& section) {
  const Json& claimed = at(privacy, "claimed");
  if (!claimed.is_object()) return;
  const char* caution = ". A claim is shown beside what the noise amounts to, never in its place.";
  section.paragraphs.push_back({"The published analysis of this method claims epsilon ",
                                promised(claimed, "epsilon", "?"), " and delta ",
                                promised(claimed, "delta", "?"), caution});
}

// Costs of different kinds stand in columns of their own: mu, epsilon, a noise multiplier.
PageTable release_table(const Json& releases) {
  Json rows = Json::array();
  for (const Json& release : releases) {
    Json row;
    for (const char* key : {"what", "mechanism", "values", "count", "sensitivity", "noise"}) {
      if (release.contains(key)) row[key] = release[key];
    }
    if (at(release, "cost").is_object()) {
      for (const auto& [key, value] : release["cost"].items()) row["cost, " + key] = value;
    }
    if (release.contains("parallel")) row["group"] = release["parallel"];
    if (release.contains("note")) row["note"] = release["note"];
    rows.push_back(std::move(row));
  }
  return table_of(rows);
}

std::string meaning_of_columns(const Json& releases) {
  std::set<std::string> mechanisms, costs;
  bool groups = false;
  for (const Json& release : releases) {
    mechanisms.insert(text_at(release, "mechanism", ""));
    if (at(release, "cost").is_object()) {
      for (const auto& [key, value] : release["cost"].items()) costs.insert(key);
    }
    groups = groups || release.contains("parallel");
  }
  std::string text =
      "What left the data. Each row was computed from it and left with noise: so many values, so "
      "many times. Sensitivity is how far one change of the protected kind can move it; noise is "
      "what was added to each value, ";
  text += mechanisms.contains("gaussian") || mechanisms.contains("subsampled gaussian")
              ? "a standard deviation for Gaussian noise and a scale for any other."
              : "a scale.";
  if (costs.contains("mu")) text += " Cost mu is the sensitivity over the noise.";
  if (groups) {
    text += " Rows of one group read different records, so a record pays for one of them only.";
  }
  return text;
}

}  // namespace

void set_notice(const Json& privacy, bool has_input, Page& page) {
  if (privacy.is_object() && is_proved(privacy)) {
    page.mark = PageMark::good;
    page.notice = {"Differentially private with epsilon ",
                   epsilon_of(privacy),
                   " and delta ",
                   promised(privacy, "delta", "?"),
                   " for ",
                   text_at(privacy, "unit", "one record"),
                   "."};
  } else if (privacy.is_object()) {
    page.mark = PageMark::bad;
    page.notice = {"No privacy guarantee: ", text_at(privacy, "why", "no reason is recorded"), "."};
  } else if (has_input) {
    page.mark = PageMark::bad;
    page.notice = {
        "Not private. No privacy was asked for: the input was treated as public, and anything on "
        "this page may give it away."};
  } else {
    page.notice = {"Made up from a model: no data was read, so there is nothing to protect."};
  }
}

PageSection certificate_section(const Json& privacy) {
  PageSection section;
  section.heading = "Privacy certificate";
  say_what_is_promised(privacy, section);
  say_what_is_public(privacy, section);
  say_what_was_claimed(privacy, section);
  section.facts = {{"Epsilon", epsilon_of(privacy)},
                   {"Delta", promised(privacy, "delta", "none")},
                   {"Protected unit", value_or(privacy, "unit", "")},
                   {"Guarantee", value_or(privacy, "guarantee", "none")},
                   {"Accounted by", value_or(privacy, "accountant", "")}};
  const Json& releases = at(privacy, "releases");
  if (is_records(releases)) {
    section.tables.push_back(release_table(releases));
    section.tables.back().caption = meaning_of_columns(releases);
  }
  return section;
}

}  // namespace sotto
