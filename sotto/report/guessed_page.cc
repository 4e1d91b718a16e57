// The page guessed from the keys of a result: for commands that do not declare a document yet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <set>

#include "sotto/base/rounded_up.h"
#include "sotto/report/json_parts.h"
#include "sotto/report/result_page.h"

namespace sotto {
namespace guessed {
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

constexpr std::size_t kCurves = 8;        // in one chart: as many as there are colours
constexpr std::size_t kNamedBars = 40;    // bars with names beside them
constexpr std::size_t kWordsInAName = 3;  // of a topic

// Lists with a number for each component.
constexpr std::array kByComponent{"residuals", "agreement", "iterations", "npmi_by_topic",
                                  "umass_by_topic"};

const std::map<std::string, std::string>& titles() {
  static const std::map<std::string, std::string> all{
      {"topics", "Topics of a corpus"},
      {"decompose", "Components of a tensor"},
      {"stream", "Components of a stream of records"},
      {"mixture", "Gaussians behind points"},
      {"complete", "A completed tensor"},
      {"generate tensor", "A made-up tensor"},
      {"generate points", "Made-up points"},
      {"generate corpus", "A made-up corpus"},
      {"generate ratings", "Made-up ratings"}};
  return all;
}

// A word of a shell: quoted when it holds anything a shell could read otherwise.
std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./:=,@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string inside;
  for (const char c : word) inside += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + inside + "'";
}

double number(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

bool spans_decades(const std::vector<ChartSeries>& series) {
  double low = 0, high = 0;
  for (const ChartSeries& s : series) {
    for (const double y : s.y) {
      if (!(y > 0)) continue;
      low = low == 0 ? y : std::min(low, y);
      high = std::max(high, y);
    }
  }
  return high > 50 * low;
}

ChartSeries numbered(const std::string& name, std::vector<double> y) {
  ChartSeries series{name, {}, std::move(y), {}, {}};
  for (std::size_t n = 0; n < series.y.size(); ++n) {
    series.x.push_back(static_cast<double>(n + 1));
  }
  return series;
}

class ResultPage {
 public:
  explicit ResultPage(const Json& result) : rest_(result) {}

  Page make() {
    const std::string command = text("command");
    const auto title = titles().find(command);
    page_.title = title == titles().end() ? "sotto " + command : title->second;
    page_.subtitle = {"sotto " + command + ", version " + text("version")};
    const Json privacy = take("privacy");
    arguments_ = take("arguments");
    options_ = take("options");
    files_ = take("files");
    diagnostics_ = take("diagnostics");
    evaluation_ = take("evaluation");
    seconds_ = take("seconds");
    const Json exposes = take("exposes");
    const Json input = take("input");
    set_notice(privacy, input.is_object() && !input.empty(), page_);

    add(what_was_computed(input));
    add(result());
    if (privacy.is_object()) add(certificate_section(privacy));
    add(beyond_the_certificate(exposes));
    add(quality());
    add(curves());
    PageSection taken = time();
    add(leftovers());
    add(std::move(taken));
    run_again(command, privacy.is_object());
    page_.footer = {
        "Made by sotto from result.json, which has every number on this page. Numbers are rounded "
        "for reading; point at one to see all its digits. Charts by Chart.js."};
    return std::move(page_);
  }

 private:
  Json take(const char* key) {
    Json value = at(rest_, key);
    if (rest_.is_object()) rest_.erase(key);
    return value;
  }

  std::string text(const char* key) {
    const Json value = take(key);
    return value.is_string() ? value.get<std::string>() : "";
  }

  void add(PageSection section) {
    if (section.paragraphs.empty() && section.facts.empty() && section.charts.empty() &&
        section.cards.empty() && section.tables.empty() && section.preformatted.empty()) {
      return;
    }
    page_.sections.push_back(std::move(section));
  }

  // Moves the scalars of an object to facts, in their order.
  template <class Wanted>
  static void take_scalars(Json& object, std::vector<std::pair<std::string, Cell>>& facts,
                           Wanted wanted) {
    if (!object.is_object()) return;
    Json kept = Json::object();
    for (const auto& [key, value] : object.items()) {
      if (value.is_primitive() && wanted(key, value)) {
        if (!value.is_null()) facts.emplace_back(label_of(key), cell_of(value));
      } else {
        kept[key] = value;
      }
    }
    object = std::move(kept);
  }

  PageSection what_was_computed(const Json& input) {
    PageSection section;
    section.heading = "What was computed";
    if (input.is_object()) append_facts(input, "", section.facts);
    take_scalars(diagnostics_, section.facts,
                 [](const std::string& key, const Json&) { return !key.starts_with("seconds"); });
    return section;
  }

  PageSection result() {
    PageSection section;
    section.heading = "Result";
    take_scalars(rest_, section.facts,
                 [](const std::string&, const Json& value) { return value.is_number(); });
    const Json test = take("test");
    if (test.is_object()) append_facts(test, "Test", section.facts);
    const Json topics = take("topics");
    const Json weights = take("weights");
    const Json entries = take("largest_entries");
    if (is_numbers(weights)) {
      section.charts.push_back(weight_chart(numbers_of(weights), topics));
    }
    if (is_records(topics)) topic_cards(topics, section);
    if (entries.is_object()) entry_cards(entries, weights, section);
    if (is_numbers(weights)) {
      PageTable table = component_table(weights, topics);
      if (table.head.size() > 2) section.tables.push_back(std::move(table));
    }
    return section;
  }

  static std::string topic_name(const Json& topics, std::size_t n) {
    std::string name = fmt::format("{}", n + 1);
    const Json& words = n < topics.size() ? at(topics[n], "words") : Json();
    for (std::size_t w = 0; is_records(words) && w < std::min(words.size(), kWordsInAName); ++w) {
      name += (w == 0 ? ": " : ", ") + text_at(words[w], "word", "");
    }
    return name;
  }

  static Chart weight_chart(std::vector<double> weights, const Json& topics) {
    Chart chart;
    chart.title = "Weights";
    const bool named = is_records(topics);
    if (named && weights.size() > kNamedBars) {
      weights.resize(kNamedBars);
      chart.title = fmt::format("Weights of the first {} topics", kNamedBars);
    }
    chart.x_label = named ? "topic" : "component";
    chart.y_label = "weight";
    for (std::size_t n = 0; n < weights.size(); ++n) {
      chart.categories.push_back(named ? topic_name(topics, n) : fmt::format("{}", n + 1));
    }
    chart.series.push_back({"weight", {}, std::move(weights), {}, {}});
    return chart;
  }

  static void topic_cards(const Json& topics, PageSection& section) {
    section.paragraphs.push_back(
        {"A card is a topic, with its weight and its most probable words."});
    for (const Json& topic : topics) {
      PageCard card;
      card.title.push_back(fmt::format("Topic {}", section.cards.size() + 1));
      if (topic.contains("weight")) card.title.push_back(cell_of(topic["weight"]));
      for (const Json& word : at(topic, "words")) {
        card.bars.emplace_back(text_at(word, "word", ""), number(at(word, "probability")));
      }
      section.cards.push_back(std::move(card));
    }
  }

  // For each array the entries of its columns that matter most.
  static void entry_cards(const Json& entries, const Json& weights, PageSection& section) {
    for (const auto& [array, columns] : entries.items()) {
      const std::string which = entries.size() > 1 ? ", " + array : "";
      for (std::size_t n = 0; n < columns.size(); ++n) {
        PageCard card;
        card.title.push_back(fmt::format("Component {}{}", n + 1, which));
        if (n < weights.size()) card.title.push_back(cell_of(weights[n]));
        const Json& index = at(columns[n], "index");
        const std::vector<double> values = numbers_of(at(columns[n], "value"));
        for (std::size_t i = 0; i < std::min(index.size(), values.size()); ++i) {
          card.bars.emplace_back("entry " + index[i].dump(), values[i]);
        }
        section.cards.push_back(std::move(card));
      }
    }
    section.paragraphs.push_back(
        {"A card is a component, with its weight and its entries of largest size, counted from 0 "
         "as "
         "in the arrays, which have all of them."});
  }

  PageTable component_table(const Json& weights, const Json& topics) {
    PageTable table;
    const bool named = is_records(topics);
    table.head = {named ? "Topic" : "Component", "Weight"};
    for (std::size_t n = 0; n < weights.size(); ++n) {
      table.rows.push_back(
          {named ? topic_name(topics, n) : fmt::format("{}", n + 1), cell_of(weights[n])});
    }
    for (const char* key : kByComponent) {
      for (Json* object : {&diagnostics_, &evaluation_}) {
        const Json list = at(*object, key);
        if (!is_numbers(list) || list.size() != weights.size()) continue;
        table.head.push_back(label_of(key));
        for (std::size_t n = 0; n < list.size(); ++n) table.rows[n].push_back(cell_of(list[n]));
        object->erase(key);
      }
    }
    return table;
  }

  PageSection quality() {
    PageSection section;
    section.heading = "Quality";
    take_scalars(evaluation_, section.facts, [](const std::string&, const Json&) { return true; });
    if (is_records(at(diagnostics_, "conditions"))) {
      section.tables.push_back(table_of(diagnostics_["conditions"]));
      section.tables.back().caption = "Conditions of the published method";
      diagnostics_.erase("conditions");
    }
    return section;
  }

  PageSection curves() {
    PageSection section;
    section.heading = "Curves";
    if (!diagnostics_.is_object()) return section;
    const Json history = at(diagnostics_, "history");
    if (history.is_object()) {
      diagnostics_.erase("history");
      if (history.contains("component") && history.contains("iteration")) {
        curves_by_component(history, section);
      } else {
        curves_by_epoch(history, section);
      }
    }
    Json kept = Json::object();
    for (const auto& [key, value] : diagnostics_.items()) {
      if (is_numbers(value) && value.size() > 1) {
        section.charts.push_back(list_chart(key, numbers_of(value)));
      } else {
        kept[key] = value;
      }
    }
    diagnostics_ = std::move(kept);
    return section;
  }

  static Chart list_chart(const std::string& key, std::vector<double> values) {
    Chart chart;
    chart.title = label_of(key);
    chart.y_label = label_of(key);
    if (key.ends_with("spectrum")) {
      for (std::size_t n = 0; n < values.size(); ++n) {
        chart.categories.push_back(fmt::format("{}", n + 1));
      }
      chart.series.push_back({label_of(key), {}, std::move(values), {}, {}});
    } else {
      chart.x_label = "step";
      chart.series.push_back(numbered(label_of(key), std::move(values)));
    }
    return chart;
  }

  static void curves_by_component(const Json& history, PageSection& section) {
    const std::vector<double> component = numbers_of(history["component"]);
    const std::vector<double> iteration = numbers_of(history["iteration"]);
    for (const auto& [key, list] : history.items()) {
      if (key == "component" || key == "iteration" || !is_numbers(list)) continue;
      const std::vector<double> values = numbers_of(list);
      std::map<double, ChartSeries> series;
      const std::size_t steps = std::min({values.size(), component.size(), iteration.size()});
      for (std::size_t n = 0; n < steps; ++n) {
        ChartSeries& one = series[component[n]];
        one.x.push_back(iteration[n]);
        one.y.push_back(values[n]);
      }
      Chart chart;
      chart.title = label_of(key) + " by iteration";
      if (series.size() > kCurves) chart.title += fmt::format(", first {} components", kCurves);
      chart.x_label = "iteration";
      chart.y_label = label_of(key);
      for (auto& [number, one] : series) {
        if (chart.series.size() == kCurves) break;
        if (series.size() > 1) one.name = fmt::format("component {:g}", number + 1);
        chart.series.push_back(std::move(one));
      }
      chart.log_y = spans_decades(chart.series);
      section.charts.push_back(std::move(chart));
    }
  }

  static void curves_by_epoch(const Json& history, PageSection& section) {
    Chart errors;
    errors.title = "Error by epoch";
    errors.x_label = "epoch";
    errors.y_label = "RMSE";
    for (const auto& [key, list] : history.items()) {
      if (!is_numbers(list)) continue;
      if (key.ends_with("rmse")) {
        errors.series.push_back(numbered(label_of(key), numbers_of(list)));
      } else if (key != "seconds") {
        section.charts.push_back(list_chart(key, numbers_of(list)));
        section.charts.back().x_label = "epoch";
      }
    }
    if (!errors.series.empty()) section.charts.insert(section.charts.begin(), std::move(errors));
  }

  // Whose data a result shows although a certificate is near.
  static PageSection beyond_the_certificate(const Json& exposes) {
    PageSection section;
    section.heading = "What the certificate does not cover";
    if (exposes.is_string()) section.paragraphs.push_back({exposes.get<std::string>()});
    return section;
  }

  // Private results have none.
  PageSection time() {
    PageSection section;
    section.heading = "Time";
    if (seconds_.is_number()) section.facts.emplace_back("Seconds", cell_of(seconds_));
    take_scalars(diagnostics_, section.facts,
                 [](const std::string& key, const Json&) { return key.starts_with("seconds"); });
    return section;
  }

  void run_again(const std::string& command, bool is_private) {
    PageSection again;
    again.heading = "Run it again";
    if (arguments_.is_array()) {
      again.preformatted = "sotto " + command;
      for (const Json& word : arguments_) {
        if (word.is_string()) again.preformatted += " " + quoted(word.get<std::string>());
      }
    }
    if (is_private) {
      again.paragraphs.push_back(
          {"Noise is drawn anew in every run and cannot be asked for again, so another run gives "
           "another result. It also pays again: the epsilons of two runs over the same data add "
           "up."});
    }
    if (files_.is_array() && !files_.empty()) {
      Line line{"Beside this page: "};
      for (const Json& file : files_) line.insert(line.end(), {cell_of(file), ", "});
      line.push_back("result.json.");
      again.paragraphs.push_back(std::move(line));
    }
    add(std::move(again));
    PageSection all;
    all.heading = "All options";
    all.folded = true;
    if (options_.is_object()) {
      PageTable table{"", {"Option", "Value"}, {}};
      for (const auto& [key, value] : options_.items()) {
        table.rows.push_back({"--" + key, cell_of(value)});
      }
      if (!table.rows.empty()) all.tables.push_back(std::move(table));
    }
    add(std::move(all));
  }

  // Nothing of the result is left out: what no section took stands here.
  PageSection leftovers() {
    PageSection section;
    section.heading = "Also in the result";
    for (Json* object : {&diagnostics_, &evaluation_, &rest_}) {
      if (!object->is_object()) continue;
      Json kept = Json::object();
      for (const auto& [key, value] : object->items()) {
        if (is_records(value)) {
          section.tables.push_back(table_of(value));
          section.tables.back().caption = label_of(key);
        } else {
          kept[key] = value;
        }
      }
      append_facts(kept, "", section.facts);
    }
    return section;
  }

  Json rest_;
  Json arguments_, options_, files_, diagnostics_, evaluation_, seconds_;
  Page page_;
};

}  // namespace
}  // namespace guessed

Page result_page(const Json& result) { return guessed::ResultPage(result).make(); }

}  // namespace sotto
