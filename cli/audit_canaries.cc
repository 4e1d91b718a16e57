#include "cli/audit_canaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/system_random.h"

namespace sotto::cli {
namespace {

constexpr std::int64_t kSeeds = 16;  // runs over the first forms; their mean is the centre

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot be read", path, Fault::unopened);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

// A file whose lines are records, and the canaries that take the place of the first ones.
struct PlantedFile {
  std::vector<std::string> lines;
  std::size_t first = 0;  // line of the first canary
  std::vector<audit::CanaryPair> canaries;

  std::string text(const std::vector<bool>& coins) const {
    std::string text;
    for (std::size_t n = 0; n < lines.size(); ++n) {
      const bool is_canary = n >= first && n < first + canaries.size();
      if (!is_canary) {
        text += lines[n];
      } else {
        const audit::CanaryPair& pair = canaries[n - first];
        text += coins[n - first] ? pair.second : pair.first;
      }
      text += '\n';
    }
    return text;
  }
};

void require_format(const AuditRuns& runs, const std::string& format) {
  const Json given = runs.option("format");
  SOTTO_REQUIRE_AT(given == format, "`canaries`", "needs `format` {} for {}: canaries are lines",
                   format, runs.command());
}

std::string text_option(const AuditRuns& runs, const std::string& name) {
  const Json value = runs.option(name);
  SOTTO_REQUIRE_AT(value.is_string(), "`canaries`", "needs `{}` for {}", name, runs.command());
  return value.get<std::string>();
}

double number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  SOTTO_REQUIRE_AT(error == std::errc() && end == text.data() + text.size(), "`range`",
                   "needs two numbers LO:HI, got '{}'", text);
  return number;
}

void plant_records(const AuditRuns& runs, std::size_t count, PlantedFile& file) {
  require_format(runs, "csv");
  const Json norm = runs.option("max-norm");
  SOTTO_REQUIRE_AT(norm.is_number(), "`canaries`", "needs `max-norm`");
  file.first = runs.option("header") == "yes" ? 1 : 0;
  SOTTO_REQUIRE_AT(runs.option("header") != Json(), "`canaries`", "needs `header` yes or no");
  SOTTO_REQUIRE(file.lines.size() > file.first, "there are no records");
  const std::size_t dim = fields_of(file.lines[file.first]).size();
  file.canaries = audit::record_canaries(count, dim, norm.get<double>());
}

void plant_documents(const AuditRuns& runs, std::size_t count, PlantedFile& file) {
  require_format(runs, "text");
  file.canaries = audit::document_canaries(count, lines_of(text_option(runs, "vocab")));
}

void plant_ratings(const AuditRuns& runs, std::size_t count, PlantedFile& file) {
  require_format(runs, "csv");
  SOTTO_REQUIRE_AT(runs.option("unit") == "rating", "`canaries`", "only works with `unit` rating");
  const std::vector<std::string> range = [&] {
    std::string text = text_option(runs, "range");
    std::replace(text.begin(), text.end(), ':', ',');
    return fields_of(text);
  }();
  SOTTO_REQUIRE(!file.lines.empty(), "there are no ratings");
  const std::vector<std::string> names = fields_of(file.lines.front());
  const auto value = std::find_if(names.begin(), names.end(), [](const std::string& name) {
    return name == "rating" || name == "value";
  });
  SOTTO_REQUIRE_AT(value != names.end() && range.size() == 2, "`canaries`",
                   "needs a header with a column named rating or value");
  file.first = 1;
  SOTTO_REQUIRE(file.lines.size() > count, "there are fewer ratings than canaries");
  const std::vector<std::string> rated(file.lines.begin() + 1,
                                       file.lines.begin() + 1 + static_cast<std::ptrdiff_t>(count));
  file.canaries = audit::rating_canaries(rated, static_cast<std::size_t>(value - names.begin()),
                                         number_of(range[0]), number_of(range[1]));
}

PlantedFile planted(const AuditRuns& runs, std::size_t count) {
  PlantedFile file;
  file.lines = lines_of(runs.path());
  if (runs.command() == "stream") {
    plant_records(runs, count, file);
  } else if (runs.command() == "topics") {
    plant_documents(runs, count, file);
  } else {
    SOTTO_REQUIRE_AT(runs.command() == "complete", "`canaries`",
                     "only works with stream, topics and complete");
    plant_ratings(runs, count, file);
  }
  SOTTO_REQUIRE_AT(file.lines.size() >= file.first + count, "`canaries`",
                   "are more than there are records");
  return file;
}

std::vector<bool> tossed(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  fill_from_system(bytes);
  std::vector<bool> coins;
  coins.reserve(count);
  for (const std::uint8_t byte : bytes) coins.push_back((byte & 1U) != 0);
  return coins;
}

}  // namespace

audit::CanaryRuns canary_runs(const AuditRuns& runs, std::size_t canaries) {
  const PlantedFile file = planted(runs, canaries);
  const auto run = [&](std::vector<bool> coins, std::optional<std::int64_t> seed) {
    return AuditedRun{runs.path(), seed,
                      [&file, coins = std::move(coins)] { return file.text(coins); }};
  };
  const std::vector<bool> none(canaries);
  const auto flipped = [&](std::size_t canary) {
    std::vector<bool> coins = none;
    coins[canary] = true;
    return coins;
  };
  audit::CanaryRuns result;
  result.coins = tossed(canaries);
  std::vector<AuditedRun> asked{run(result.coins, {}), run(flipped(0), 2)};
  for (std::int64_t seed = 1; seed <= kSeeds; ++seed) asked.push_back(run(none, seed));
  for (std::size_t n = 0; n < canaries; ++n) asked.push_back(run(flipped(n), 1));

  std::vector<AuditedOutcome> outcomes = runs.run(asked);
  SOTTO_REQUIRE(outcomes[0].certificate, "the run over the canaries did not reach its end: {}",
                outcomes[0].message);
  result.certificate = *outcomes[0].certificate;
  result.audited = std::move(outcomes[0].seen);
  result.other_seed = std::move(outcomes[1].seen);
  for (std::size_t n = 2; n < outcomes.size(); ++n) {
    (n < 2 + kSeeds ? result.none : result.flipped).push_back(std::move(outcomes[n].seen));
  }
  return result;
}

}  // namespace sotto::cli
