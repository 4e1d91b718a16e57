#include "sotto/report/certificate_section.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "sotto/base/rounded_up.h"
#include "sotto/report/json_parts.h"

namespace sotto {
namespace {

constexpr double kLittlePromise = 10;  // odds of exp(10) to one

// Rounded up, so that a page promises no more than the number behind it.
Cell promised(double number) { return {number, rounded_up(number)}; }

Cell epsilon_of(const Certificate& certificate) {
  return std::isnan(certificate.epsilon) ? Cell("none") : promised(certificate.epsilon);
}

void say_what_is_promised(const Certificate& certificate, PageSection& section) {
  const std::string& unit = certificate.statement.unit;
  const std::string& neighbours = certificate.statement.neighbours;
  if (!certificate.proved) {
    section.paragraphs.push_back({"There is no guarantee for this result: ", certificate.why, "."});
    section.paragraphs.push_back({"It was meant to protect ", unit, " (", neighbours, ")."});
    return;
  }
  const char* promise =
      "). Any outcome of this run is at most exp(epsilon) times as likely on one of them as on the "
      "other, up to a probability of delta. This limits what anyone can learn about that unit from "
      "this result, whatever else they know and however much they compute. The smaller epsilon is, "
      "the less they can learn.";
  section.paragraphs.push_back(
      {"Take any two data sets that differ only in ", unit, " (", neighbours, promise});
  if (certificate.epsilon > kLittlePromise) {
    section.paragraphs.push_back({"An epsilon as large as this one promises little."});
  }
  section.paragraphs.push_back({"The guarantee is proved: ", certificate.why, "."});
}

void say_what_is_public(const std::vector<std::string>& facts, PageSection& section) {
  if (facts.empty()) return;
  Line line{"Treated as public and not protected: "};
  for (const std::string& fact : facts) {
    if (line.size() > 1) line.push_back("; ");
    line.push_back(fact);
  }
  line.push_back(".");
  section.paragraphs.push_back(std::move(line));
}

void say_what_was_claimed(const PrivacyClaim& claimed, PageSection& section) {
  const char* caution =
      ". This page shows the claim beside what the noise amounts to, never instead of it.";
  section.paragraphs.push_back({"The published analysis of this method claims epsilon ",
                                promised(claimed.epsilon), " and delta ", promised(claimed.delta),
                                caution});
}

// The columns of a release have the names of the JSON. Each kind of cost has its own column: mu,
// epsilon, a noise multiplier.
PageTable release_table(const Json& releases) {
  Json rows = Json::array();
  for (const Json& release : releases) {
    Json row;
    for (const char* key : {"what", "mechanism", "values", "count", "sensitivity", "noise"}) {
      if (release.contains(key)) row[key] = release.at(key);
    }
    const Json& cost = at(release, "cost");
    if (cost.is_object()) {
      for (const auto& [key, value] : cost.items()) row["cost, " + key] = value;
    }
    if (release.contains("parallel")) row["group"] = release.at("parallel");
    if (release.contains("note")) row["note"] = release.at("note");
    rows.push_back(std::move(row));
  }
  return table_of(rows);
}

template <class Wanted>
bool any_release(const Certificate& certificate, Wanted wanted) {
  return std::any_of(certificate.releases.begin(), certificate.releases.end(), wanted);
}

bool is_proved(const Json& certificate) {
  return text_at(certificate, "guarantee", "") == "proved" &&
         at(certificate, "epsilon").is_number() && at(certificate, "delta").is_number();
}

std::string meaning_of_columns(const Certificate& certificate) {
  const bool gaussian = any_release(certificate, [](const CertifiedRelease& release) {
    return std::holds_alternative<GaussianCost>(release.record.cost) ||
           std::holds_alternative<SubsampledGaussianCost>(release.record.cost);
  });
  const bool has_mu = any_release(certificate, [](const CertifiedRelease& release) {
    return std::holds_alternative<GaussianCost>(release.record.cost);
  });
  const bool groups = any_release(
      certificate, [](const CertifiedRelease& release) { return release.parallel > 0; });
  std::string text =
      "The noisy releases of this run. Each row was computed from the data and released with "
      "noise: so many values, count times. Sensitivity is how far a release can differ between "
      "neighbours; noise is what was added to each value, ";
  text +=
      gaussian ? "a standard deviation for Gaussian noise and a scale for any other." : "a scale.";
  if (has_mu) text += " The cost mu is the sensitivity divided by the noise.";
  if (groups) {
    text += " Rows of one group read different records, so a record pays for one of them only.";
  }
  return text;
}

}  // namespace

void say_private(const Certificate& certificate, Page& page) {
  page.mark = certificate.proved ? PageMark::good : PageMark::bad;
  if (!certificate.proved) {
    page.notice = {"No privacy guarantee: ", certificate.why, "."};
    return;
  }
  page.notice = {"Differentially private with epsilon ",
                 epsilon_of(certificate),
                 " and delta ",
                 promised(certificate.statement.delta),
                 " for ",
                 certificate.statement.unit,
                 "."};
}

void say_not_private(Page& page) {
  page.mark = PageMark::bad;
  page.notice = {
      "Not private. No privacy was asked for: the input was treated as public, and anything on "
      "this page may reveal it."};
}

void say_made_up(Page& page) {
  page.notice = {"Generated from a model: no data was read, so there is nothing to protect."};
}

// What a folder says of its model: the promise, or why there is none.
void say_applied(const Json& source, Page& page) {
  const Json& certificate = at(source, "privacy");
  const std::string shows = "This page shows the data that it was given.";
  if (is_proved(certificate)) {
    page.notice = {"Nothing is spent: made from a model with epsilon ",
                   promised(certificate["epsilon"].get<double>()),
                   " and delta ",
                   promised(certificate["delta"].get<double>()),
                   " for ",
                   text_at(certificate, "unit", "a unit that its certificate does not name"),
                   ". " + shows};
    return;
  }
  page.mark = PageMark::bad;
  page.notice = {"No privacy guarantee: made from a model ",
                 certificate.is_null()
                     ? std::string("that is not private")
                     : "without one, " + text_at(certificate, "why", "not proved"),
                 ". " + shows};
}

PageSection certificate_section(const Certificate& certificate) {
  const PrivacyStatement& statement = certificate.statement;
  PageSection section{"Privacy certificate"};
  say_what_is_promised(certificate, section);
  say_what_is_public(statement.public_facts, section);
  if (statement.claimed) say_what_was_claimed(*statement.claimed, section);
  section.facts = {{"Protected unit", statement.unit},
                   {"Epsilon", epsilon_of(certificate)},
                   {"Delta", promised(statement.delta)},
                   {"Guarantee", certificate.proved ? "proved" : "none"}};
  return section;
}

PageSection releases_section(const Certificate& certificate) {
  PageSection section{"What was released"};
  section.facts = {{"Accounted by", certificate.accountant}};
  if (certificate.releases.empty()) return section;
  section.tables.push_back(release_table(Json(certificate.to_json())["releases"]));
  section.tables.back().caption = meaning_of_columns(certificate);
  return section;
}

PageSection source_section(const Json& source) {
  PageSection section{"The model that was applied"};
  section.facts = {{"Folder", text_at(source, "folder", "")},
                   {"Made by", "sotto " + text_at(source, "command", "")}};
  const Json& certificate = at(source, "privacy");
  if (certificate.is_null()) {
    section.facts.emplace_back("Guarantee", "none: it was made without privacy");
    return section;
  }
  for (const char* key : {"epsilon", "delta"}) {
    const Json& number = at(certificate, key);
    section.facts.emplace_back(label_of(key),
                               number.is_number() ? promised(number.get<double>()) : Cell("none"));
  }
  for (const char* key : {"unit", "neighbours", "guarantee", "why", "public"}) {
    const Json& fact = at(certificate, key);
    if (!fact.is_null()) section.facts.emplace_back(label_of(key), cell_of(fact));
  }
  if (is_records(at(certificate, "releases"))) {
    section.tables.push_back(release_table(at(certificate, "releases")));
    section.tables.back().caption = "The noisy releases that the model was made of.";
  }
  return section;
}

}  // namespace sotto
