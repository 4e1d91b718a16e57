#include "sotto/report/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <numeric>

#include "sotto/base/json.h"
#include "sotto/base/version.h"
#include "sotto/report/certificate_section.h"
#include "sotto/report/json_parts.h"
#include "sotto/report/plain_words.h"

namespace sotto {
namespace {

constexpr std::size_t kCurves = 8;        // in one chart: as many as there are colours
constexpr std::size_t kNamedBars = 40;    // bars with names beside them
constexpr std::size_t kWordsInAName = 3;  // of a topic

using Facts = std::vector<std::pair<std::string, Cell>>;

// A word for a shell: quoted when a shell could read it in another way.
std::string quoted_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./:=,@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string inside;
  for (const char c : word) inside += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + inside + "'";
}

// The name of an element on the page: its label, or the words of its key.
std::string name_on_page(const ResultElement& element) {
  if (!element.label.empty()) return element.label;
  return label_of(element.path.substr(element.path.rfind('/') + 1));
}

void add_fact(const ResultElement& element, Facts& facts) {
  if (element.value.is_object()) {
    append_facts(element.value, name_on_page(element), facts);
  } else if (!element.value.is_null()) {
    const std::string key = element.path.substr(element.path.rfind('/') + 1);
    facts.emplace_back(name_on_page(element), cell_of(key, element.value));
  }
}

void add_table(const ResultElement& element, PageSection& section) {
  if (element.value.empty()) return;
  section.tables.push_back(table_of(element.value));
  section.tables.back().caption = name_on_page(element);
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

Chart curve_chart(const std::string& name, const std::string& by, const Json& numbers) {
  Chart chart;
  chart.title = chart.y_label = name;
  chart.x_label = by;
  chart.series.push_back(numbered(name, numbers_of(numbers)));
  return chart;
}

Chart spectrum_chart(const std::string& name, const Json& numbers) {
  Chart chart;
  chart.title = chart.y_label = name;
  chart.series.push_back({name, {}, numbers_of(numbers), {}, {}});
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    chart.categories.push_back(fmt::format("{}", n + 1));
  }
  return chart;
}

// The places of a line: the index of a row, or its label where that is a number.
std::vector<double> line_places(const Json& rows, std::size_t count) {
  if (is_numbers(rows)) return numbers_of(rows);
  std::vector<double> places(count);
  std::iota(places.begin(), places.end(), 0.0);
  return places;
}

Chart lines_chart(const ResultElement& element, const std::string& of) {
  const Json& rows = at(element.value, "rows");
  const Json& components = at(element.value, "components");
  Chart chart;
  chart.title = element.label;
  chart.x_label = rows.is_null() ? "row, counted from 0" : "row";
  chart.y_label = "entry";
  if (!rows.is_null() && !is_numbers(rows)) {
    for (const Json& name : rows) chart.x_names.push_back(name.get<std::string>());
  }
  for (const Json& line : components) {
    const std::string name =
        components.size() > 1 ? fmt::format("{} {}", of, chart.series.size() + 1) : "";
    chart.series.push_back({name, line_places(rows, line.size()), numbers_of(line), {}, {}});
  }
  return chart;
}

// One of the lists of a history, by iteration.
Chart component_chart(const std::string& key, const Json& history) {
  const std::vector<double> component = numbers_of(history["component"]);
  const std::vector<double> iteration = numbers_of(history["iteration"]);
  const std::vector<double> values = numbers_of(history[key]);
  std::map<double, ChartSeries> series;
  const std::size_t steps = std::min({values.size(), component.size(), iteration.size()});
  for (std::size_t n = 0; n < steps; ++n) {
    ChartSeries& one = series[component[n]];
    // Steps that polish a component are counted from 1 again; the curve goes on.
    const bool again = !one.x.empty() && iteration[n] <= one.x.back();
    one.x.push_back(again ? one.x.back() + 1 : iteration[n]);
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
  return chart;
}

void add_component_history(const Json& history, PageSection& section) {
  for (const auto& [key, list] : history.items()) {
    if (key == "component" || key == "iteration") continue;
    section.charts.push_back(component_chart(key, history));
  }
}

void add_epoch_history(const Json& history, PageSection& section) {
  Chart errors;
  errors.title = "Error by epoch";
  errors.x_label = "epoch";
  errors.y_label = "RMSE";
  for (const auto& [key, list] : history.items()) {
    errors.series.push_back(numbered(label_of(key), numbers_of(list)));
  }
  if (!errors.series.empty()) section.charts.push_back(std::move(errors));
}

// A list of numbers becomes a chart; a single number becomes a fact.
void add_curve(const ResultElement& element, PageSection& section) {
  const std::string name = name_on_page(element);
  if (element.value.size() < 2) {
    section.facts.emplace_back(name, cell_of(element.value));
  } else if (element.shown == Shown::spectrum) {
    section.charts.push_back(spectrum_chart(name, element.value));
  } else {
    section.charts.push_back(curve_chart(name, "step", element.value));
  }
}

// Puts each kind of element into its section. Elements keep the order of the result; the page has
// its own order of sections.
class ResultPage {
 public:
  explicit ResultPage(const ResultDocument& document) : document_(document) {
    for (const ResultElement& element : document.elements()) place(element);
    add_components();
  }

  Page make() && {
    Page page;
    page.title = document_.title();
    page.subtitle = {"sotto " + document_.command() + ", version " SOTTO_VERSION};
    set_notice(page);
    place_fit();
    add(std::move(certificate_), page);
    for (PageSection& section : plain_words(document_)) add(std::move(section), page);
    for (PageSection* section : {&exposed_, &fit_, &computed_, &result_, &quality_, &curves_,
                                 &releases_, &source_, &others_, &time_}) {
      add(std::move(*section), page);
    }
    add(run_again(), page);
    add(all_options(), page);
    page.footer = {
        "Made by sotto from the same result as result.json, which has every number on this page. "
        "Numbers are rounded for reading; point at one to see all its digits. Charts by Chart.js."};
    return page;
  }

 private:
  void place(const ResultElement& element) {
    switch (element.shown) {
      case Shown::input:
        has_input_ = true;
        return add_fact(element, computed_.facts);
      case Shown::fact:
        return add_fact(element, computed_.facts);
      case Shown::value:
        return add_fact(element, result_.facts);
      case Shown::fit:
        return add_fact(element, fit_.facts);
      case Shown::weights:
        weights_ = &element;
        return;
      case Shown::component_column:
        columns_.push_back(&element);
        return;
      case Shown::topic_cards:
        topics_ = element.value;
        return;
      case Shown::entry_cards:
        entries_.push_back(&element);
        return;
      case Shown::lines:
        lines_.push_back(&element);
        return;
      case Shown::quality:
        return add_fact(element, quality_.facts);
      case Shown::curve:
      case Shown::spectrum:
        return add_curve(element, curves_);
      case Shown::component_history:
        return add_component_history(element.value, curves_);
      case Shown::epoch_history:
        return add_epoch_history(element.value, curves_);
      case Shown::table:
        return add_table(element, result_);
      case Shown::certificate:
        certificate_ = certificate_section(*document_.certificate());
        add_words(document_.statement());
        releases_ = releases_section(*document_.certificate());
        return;
      case Shown::source:
        applied_ = &element.value;
        source_ = source_section(element.value);
        exposed_.heading = "What this result shows";
        return;
      case Shown::exposed:
        exposed_.paragraphs.push_back({cell_of(element.value)});
        return;
      case Shown::time:
        if (!element.value.is_array()) return add_fact(element, time_.facts);
        time_.charts.push_back(curve_chart(name_on_page(element), "epoch", element.value));
        return;
      case Shown::detail:
        return is_records(element.value) ? add_table(element, others_)
                                         : add_fact(element, others_.facts);
    }
  }

  void add_words(const RunStatement& stated) {
    const std::pair<const char*, const std::string&> words[] = {{"Protected", stated.protects},
                                                                {"Purpose", stated.purpose},
                                                                {"Contact", stated.contact},
                                                                {"Day", stated.day}};
    for (const auto& [name, text] : words) {
      if (!text.empty()) certificate_.facts.emplace_back(name, text);
    }
  }

  static void add(PageSection section, Page& page) {
    if (section.paragraphs.empty() && section.facts.empty() && section.charts.empty() &&
        section.cards.empty() && section.tables.empty() && section.preformatted.empty()) {
      return;
    }
    page.sections.push_back(std::move(section));
  }

  // A run that is not private starts with how well its model fits. The fit of a private run is that
  // of what was released, noise included, and is shown with the result.
  void place_fit() {
    PageSection& from = document_.is_private() ? fit_ : quality_;
    PageSection& to = document_.is_private() ? result_ : fit_;
    to.facts.insert(document_.is_private() ? to.facts.begin() : to.facts.end(), from.facts.begin(),
                    from.facts.end());
    from.facts.clear();
  }

  void set_notice(Page& page) const {
    if (document_.certificate()) {
      say_private(*document_.certificate(), page);
    } else if (applied_ != nullptr) {
      say_applied(*applied_, page);
    } else if (has_input_) {
      say_not_private(page);
    } else {
      say_made_up(page);
    }
  }

  // ---- the components: weights, cards, and a table with a row for each ----

  void add_components() {
    if (weights() > 0) result_.charts.push_back(weight_chart());
    for (const ResultElement* array : lines_) {
      result_.charts.push_back(lines_chart(*array, component_word()));
    }
    if (!topics_.empty()) add_topic_cards();
    add_entry_cards();
    PageTable table = component_table();
    if (table.head.size() > 2) result_.tables.insert(result_.tables.begin(), std::move(table));
  }

  std::size_t weights() const { return weights_ != nullptr ? weights_->value.size() : 0; }

  std::string component_name(std::size_t n) const {
    std::string name = fmt::format("{}", n + 1);
    if (n >= topics_.size()) return name;
    const Json& words = topics_[n]["words"];
    for (std::size_t w = 0; w < std::min(words.size(), kWordsInAName); ++w) {
      name += (w == 0 ? ": " : ", ") + words[w]["word"].get<std::string>();
    }
    return name;
  }

  Chart weight_chart() const {
    std::vector<double> values = numbers_of(weights_->value);
    Chart chart;
    chart.title = "Weights";
    if (!topics_.empty() && values.size() > kNamedBars) {
      values.resize(kNamedBars);
      chart.title = fmt::format("Weights of the first {} topics", kNamedBars);
    }
    chart.x_label = weights_->label;
    chart.y_label = "weight";
    for (std::size_t n = 0; n < values.size(); ++n) chart.categories.push_back(component_name(n));
    chart.series.push_back({"weight", {}, std::move(values), {}, {}});
    return chart;
  }

  void add_topic_cards() {
    result_.paragraphs.push_back(
        {"A card is a topic, with its weight and its most probable words."});
    for (const Json& topic : topics_) {
      PageCard card;
      card.title = {fmt::format("Topic {}", result_.cards.size() + 1), cell_of(topic["weight"])};
      for (const Json& word : topic["words"]) {
        card.bars.emplace_back(word["word"].get<std::string>(), word["probability"].get<double>());
      }
      result_.cards.push_back(std::move(card));
    }
  }

  std::string component_word() const { return weights_ != nullptr ? weights_->label : "component"; }

  // The largest entries of the columns of each array that is not drawn as lines.
  void add_entry_cards() {
    bool numbered_rows = false;
    const std::size_t before = result_.cards.size();
    for (const ResultElement* array : entries_) {
      if (has_lines(array->label)) continue;
      for (std::size_t n = 0; n < array->value.size(); ++n) {
        if (is_zero(array->value[n])) continue;
        result_.cards.push_back(entry_card(*array, n));
        numbered_rows = numbered_rows || !array->value[n].contains("label");
      }
    }
    if (result_.cards.size() == before) return;
    Line line{"A card has the rows with the entries of largest size in one column of an array"};
    if (weights() > 0) line.push_back(", beside the weight of its component");
    line.push_back(numbered_rows ? "; rows are counted from 0." : ".");
    line.push_back(" The arrays have all entries.");
    result_.paragraphs.push_back(std::move(line));
  }

  // Whether a column says nothing; its first entry is the largest.
  static bool is_zero(const Json& entries) {
    return entries["value"].empty() || entries["value"][0] == 0;
  }

  bool has_lines(const std::string& array) const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const ResultElement* lines) { return lines->label == array; });
  }

  // "Component 2, factors_0". An array of one column that is no component has its own name.
  std::string card_name(const ResultElement& array, std::size_t n) const {
    if (array.value.size() == 1 && weights() == 0) return array.label;
    std::string name = fmt::format("{} {}", label_of(component_word()), n + 1);
    return entries_.size() > 1 ? name + ", " + array.label : name;
  }

  PageCard entry_card(const ResultElement& array, std::size_t n) const {
    const Json& entries = array.value[n];
    PageCard card;
    card.title.push_back(card_name(array, n));
    if (n < weights()) card.title.push_back(cell_of(weights_->value[n]));
    for (std::size_t i = 0; i < entries["index"].size(); ++i) {
      card.bars.emplace_back(entries.contains("label") ? entries["label"][i].get<std::string>()
                                                       : "row " + json_text(entries["index"][i]),
                             entries["value"][i].get<double>());
    }
    return card;
  }

  PageTable component_table() {
    PageTable table;
    if (weights() > 0) table.head = {label_of(weights_->label), "Weight"};
    for (std::size_t n = 0; n < weights(); ++n) {
      table.rows.push_back({component_name(n), cell_of(weights_->value[n])});
    }
    for (const ResultElement* column : columns_) {
      // A column of another length does not fit the rows.
      if (column->value.size() != weights() || weights() == 0) {
        add_fact(*column, others_.facts);
        continue;
      }
      table.head.push_back(name_on_page(*column));
      for (std::size_t n = 0; n < weights(); ++n) {
        table.rows[n].push_back(cell_of(column->value[n]));
      }
    }
    return table;
  }

  // ---- the run ----

  PageSection run_again() const {
    PageSection again{"Run it again"};
    again.preformatted = "sotto " + document_.command();
    for (const std::string& word : document_.arguments()) {
      again.preformatted += " " + quoted_word(word);
    }
    if (document_.is_private()) {
      again.paragraphs.push_back(
          {"Every run draws new noise, and no run can draw the same noise again, so another run "
           "gives another result. It also spends privacy again: the epsilons of two runs over the "
           "same data add up."});
    }
    if (document_.files() && !document_.files()->empty()) {
      Line line{"Beside this page: "};
      for (const std::string& file : *document_.files()) line.insert(line.end(), {file, ", "});
      line.push_back("result.json.");
      again.paragraphs.push_back(std::move(line));
    }
    return again;
  }

  PageSection all_options() const {
    PageSection all{"All options"};
    all.folded = true;
    PageTable table{"", {"Option", "Value"}, {}};
    for (const auto& [key, value] : document_.options().items()) {
      table.rows.push_back({"--" + key, cell_of(value)});
    }
    if (!table.rows.empty()) all.tables.push_back(std::move(table));
    return all;
  }

  const ResultDocument& document_;
  bool has_input_ = false;
  const ResultElement* weights_ = nullptr;
  const Json* applied_ = nullptr;
  std::vector<const ResultElement*> columns_, entries_, lines_;
  Json topics_ = Json::array();
  PageSection certificate_, releases_, source_;
  PageSection fit_{"How well it fits"};
  PageSection computed_{"What was computed"};
  PageSection result_{"Result"};
  PageSection exposed_{"What the certificate does not cover"};
  PageSection quality_{"Quality"};
  PageSection curves_{"Curves"};
  PageSection others_{"Also in the result"};
  PageSection time_{"Time"};
};

}  // namespace

Page page_of(const ResultDocument& document) { return ResultPage(document).make(); }

}  // namespace sotto
