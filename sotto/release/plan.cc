#include "sotto/release/plan.h"

#include "sotto/base/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {
namespace {

std::string noise_text(const PlannedRelease& release) {
  if (!release.noise) {
    return release.noise_unit.empty() ? "depends on earlier releases" : release.noise_unit;
  }
  if (release.noise_unit.empty()) return fmt::format("{:.3g}", *release.noise);
  return fmt::format("{:.3g} {}", *release.noise, release.noise_unit);
}

std::string numbers_text(const PlannedRelease& release) {
  if (release.values == 0) return "some";
  const std::string numbers = fmt::format("{}", release.values);
  return release.count == 1 ? numbers : fmt::format("{} x {}", release.count, numbers);
}

// "mechanism iterate, starts 12", one line.
std::string settings_text(const std::vector<PlannedSetting>& settings) {
  std::string text;
  for (const PlannedSetting& setting : settings) {
    const std::string value =
        std::visit([](const auto& v) { return fmt::format("{}", v); }, setting.value);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", setting.key, value);
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

PlannedRelease planned(const ReleaseRecord& record, double share, std::int64_t count) {
  PlannedRelease release;
  release.what = record.what;
  release.mechanism = record.mechanism;
  release.values = record.values;
  release.count = record.count * count;
  release.share = share;
  release.noise = record.noise;
  return release;
}

Json Plan::to_json() const {
  Json json;
  json["method"] = method;
  json["unit"] = statement.unit;
  json["neighbours"] = statement.neighbours;
  json["epsilon"] = target.epsilon;
  json["delta"] = target.delta;
  json["settings"] = Json::object();
  for (const PlannedSetting& setting : settings) {
    std::visit([&](const auto& value) { json["settings"][setting.key] = value; }, setting.value);
  }
  json["releases"] = Json::array();
  for (const PlannedRelease& release : releases) {
    Json one{{"what", release.what},
             {"mechanism", release.mechanism},
             {"values", release.values},
             {"count", release.count},
             {"share", release.share}};
    one["noise"] = release.noise ? Json(*release.noise) : nullptr;
    if (!release.noise_unit.empty()) one["noise_unit"] = release.noise_unit;
    if (release.disjoint) one["disjoint"] = true;
    json["releases"].push_back(std::move(one));
  }
  json["forecasts"] = Json::object();
  for (const auto& [key, value, sentence] : forecasts) {
    json["forecasts"][key] = value ? Json(*value) : nullptr;
  }
  return json;
}

std::string Plan::to_text() const {
  std::string text = fmt::format("{}; epsilon {:g}, delta {:g} for {}\n", method, target.epsilon,
                                 target.delta, statement.unit);
  text += settings_text(settings);
  std::size_t widest = 7;
  for (const PlannedRelease& release : releases) widest = std::max(widest, release.what.size());
  text += fmt::format("{:<{}}  {:<11}  {:>14}  {:>7}  {}\n", "release", widest, "mechanism",
                      "numbers", "share", "noise of a number");
  for (const PlannedRelease& release : releases) {
    text += fmt::format("{:<{}}  {:<11}  {:>14}  {:>6.1f}%  {}\n", release.what, widest,
                        release.mechanism, numbers_text(release), 100 * release.share,
                        noise_text(release));
  }
  const auto is_disjoint = [](const PlannedRelease& release) { return release.disjoint; };
  if (std::any_of(releases.begin(), releases.end(), is_disjoint)) {
    text += "each release reads its own records, so together they cost as much as the costliest\n";
  }
  for (const Forecast& forecast : forecasts) text += forecast.sentence + "\n";
  return text + unread + " and nothing was released";
}

}  // namespace sotto
