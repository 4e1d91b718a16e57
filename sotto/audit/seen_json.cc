#include "sotto/audit/seen_json.h"

#include <fmt/format.h>

#include "sotto/base/json.h"

namespace sotto::audit {
namespace {

// So many numbers and words of a result are looked at, in their order.
constexpr std::size_t kMostPublished = 500, kMostTexts = 1000, kLongestWord = 200;

Json cost_json(const Cost& cost) {
  struct ToJson {
    Json operator()(const GaussianCost& c) const { return {0, c.mu}; }
    Json operator()(const LaplaceCost& c) const { return {1, c.epsilon}; }
    Json operator()(const PureCost& c) const { return {2, c.epsilon}; }
    Json operator()(const SubsampledGaussianCost& c) const {
      return {3, c.noise_multiplier, c.sampling_rate};
    }
  };
  return std::visit(ToJson{}, cost);
}

Cost cost_of(const Json& json) {
  const double size = json[1].get<double>();
  switch (json[0].get<int>()) {
    case 0:
      return GaussianCost{size};
    case 1:
      return LaplaceCost{size};
    case 2:
      return PureCost{size};
    default:
      return SubsampledGaussianCost{size, json[2].get<double>()};
  }
}

Json record_json(const ReleaseRecord& record) {
  return {
      record.what,           record.mechanism,       record.sensitivity, record.noise,
      record.count,          cost_json(record.cost), record.values,      record.precision.epsilon,
      record.precision.delta};
}

ReleaseRecord record_of(const Json& json) {
  ReleaseRecord record;
  record.what = json[0].get<std::string>();
  record.mechanism = json[1].get<std::string>();
  record.sensitivity = json[2].get<double>();
  record.noise = json[3].get<double>();
  record.count = json[4].get<std::int64_t>();
  record.cost = cost_of(json[5]);
  record.values = json[6].get<std::int64_t>();
  record.precision = {json[7].get<double>(), json[8].get<double>()};
  return record;
}

void add_leaves(const Json& value, const std::string& place, SeenRun& run) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      add_leaves(child, place.empty() ? key : fmt::format("{}.{}", place, key), run);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_leaves(value[i], fmt::format("{}[{}]", place, i), run);
    }
  } else if (value.is_number()) {
    if (run.published.size() < kMostPublished) run.published[place] = value.get<double>();
  } else if (run.words.size() < kMostTexts) {
    run.words.insert(fmt::format("{}: {}", place, json_text(value).substr(0, kLongestWord)));
  }
}

}  // namespace

Json to_json(const SeenRun& run) {
  Json json{{"releases", Json::array()}, {"published", run.published}, {"words", run.words}};
  for (const SeenRelease& release : run.releases) {
    json["releases"].push_back({record_json(release.record), release.numbers});
  }
  return json;
}

SeenRun seen_run(const Json& json) {
  SeenRun run;
  for (const Json& release : json["releases"]) {
    run.releases.push_back({record_of(release[0]), release[1].get<std::vector<double>>()});
  }
  for (const auto& [place, value] : json["published"].items()) {
    run.published[place] = value.get<double>();
  }
  for (const Json& word : json["words"]) run.words.insert(word.get<std::string>());
  return run;
}

Json to_json(const Certificate& certificate) {
  const PrivacyStatement& statement = certificate.statement;
  Json json{{"epsilon", certificate.epsilon},   {"delta", statement.delta},
            {"proved", certificate.proved},     {"why", certificate.why},
            {"unit", statement.unit},           {"neighbours", statement.neighbours},
            {"public", statement.public_facts}, {"adds", statement.adds_or_removes},
            {"releases", Json::array()}};
  if (statement.budget) json["budget"] = {statement.budget->epsilon, statement.budget->delta};
  for (const CertifiedRelease& release : certificate.releases) {
    json["releases"].push_back({record_json(release.record), release.parallel});
  }
  return json;
}

Certificate certificate_of(const Json& json) {
  Certificate certificate;
  certificate.epsilon = json["epsilon"].is_number() ? json["epsilon"].get<double>() : 0;
  certificate.proved = json["proved"].get<bool>();
  certificate.why = json["why"].get<std::string>();
  PrivacyStatement& statement = certificate.statement;
  statement.delta = json["delta"].get<double>();
  statement.unit = json["unit"].get<std::string>();
  statement.neighbours = json["neighbours"].get<std::string>();
  statement.adds_or_removes = json["adds"].get<bool>();
  for (const Json& fact : json["public"]) {
    statement.public_facts.push_back(fact.get<std::string>());
  }
  if (json.contains("budget")) {
    statement.budget = {json["budget"][0].get<double>(), json["budget"][1].get<double>()};
  }
  for (const Json& release : json["releases"]) {
    certificate.releases.push_back({record_of(release[0]), release[1].get<int>()});
  }
  return certificate;
}

void add_result(const Json& result, SeenRun& run) { add_leaves(result, "", run); }

}  // namespace sotto::audit
