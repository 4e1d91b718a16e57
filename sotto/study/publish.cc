#include "sotto/study/publish.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/base/version.h"
#include "sotto/io/output_folder.h"
#include "sotto/report/svg_figure.h"
#include "sotto/study/cells_file.h"

namespace sotto {
namespace {

std::string text_of(const Json& object, const char* key) {
  return object.at(key).get<std::string>();
}

const char* verdict(const Json& finding) { return finding.at("same").get<bool>() ? "yes" : "no"; }

// Text in a cell of a table must not end the cell.
std::string in_table(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string settings_line(const Json& summary) {
  return fmt::format("{} settings, seed {}, {} trials, {:.1f} minutes of one processor",
                     text_of(summary, "settings"), summary.at("seed").get<std::uint64_t>(),
                     summary.at("trials").get<std::int64_t>(),
                     summary.at("processor_seconds").get<double>() / 60);
}

std::string document_section(const Json& summary) {
  std::string text =
      fmt::format("\n## {}: {}\n\n{}. `sotto reproduce {}`; {}; data: {}.\n\n",
                  text_of(summary, "study"), text_of(summary, "title"), text_of(summary, "source"),
                  text_of(summary, "study"), settings_line(summary), text_of(summary, "data"));
  text += "| the paper states | measured | the same |\n|---|---|---|\n";
  for (const Json& finding : summary.at("findings")) {
    text += fmt::format("| {} | {} | {} |\n", in_table(text_of(finding, "states")),
                        in_table(text_of(finding, "measured")), verdict(finding));
  }
  text += "\n";
  for (const Json& finding : summary.at("findings")) {
    const std::string why = text_of(finding, "why");
    if (!why.empty()) text += fmt::format("- *{}*: {}\n", text_of(finding, "states"), why);
  }
  for (const Json& note : summary.at("notes")) {
    text += fmt::format("- {}\n", note.get<std::string>());
  }
  return text;
}

}  // namespace

Json summary_of(const Study& study, const StudySettings& settings, const StudyTable& table,
                const StudyOutcome& outcome) {
  Json summary;
  summary["study"] = study.name;
  summary["title"] = study.title;
  summary["source"] = study.source;
  summary["version"] = SOTTO_VERSION;
  summary["settings"] = settings.quick ? "quick" : "full";
  summary["seed"] = settings.seed;
  summary["data"] = settings.data.empty() ? "generated" : "given";
  summary["trials"] = table.rows.size();
  summary["processor_seconds"] = table.seconds();
  summary["findings"] = Json::array();
  for (const Finding& finding : outcome.findings) {
    summary["findings"].push_back({{"states", finding.states},
                                   {"measured", finding.measured},
                                   {"same", finding.same},
                                   {"why", finding.why},
                                   {"numbers", finding.numbers}});
  }
  summary["notes"] = outcome.notes;
  return summary;
}

std::string data_csv(const StudyTable& table) {
  std::string text = csv_header(table.plan, Columns::without_seconds) + '\n';
  for (const StudyRow& row : table.rows) {
    text += csv_line(table.plan, row, Columns::without_seconds) + '\n';
  }
  return text;
}

PageSection section_of(const Json& summary, const StudyOutcome& outcome) {
  PageSection section;
  section.heading = fmt::format("{}: {}", text_of(summary, "study"), text_of(summary, "title"));
  section.paragraphs.push_back({text_of(summary, "source") + "; " + settings_line(summary) + "."});
  section.charts = outcome.panels;
  PageTable table{"", {"the paper states", "measured", "the same", "why"}, {}};
  for (const Json& finding : summary.at("findings")) {
    table.rows.push_back({text_of(finding, "states"), text_of(finding, "measured"),
                          verdict(finding), text_of(finding, "why")});
  }
  section.tables.push_back(std::move(table));
  for (const std::string& note : outcome.notes) section.paragraphs.push_back({note});
  section.preformatted = fmt::format("sotto reproduce {}{}", text_of(summary, "study"),
                                     text_of(summary, "settings") == "quick" ? " --quick" : "");
  return section;
}

Page page_of(std::vector<PageSection> sections) {
  Page page;
  page.title = "Experiments of the papers, reproduced";
  page.subtitle = {"What each paper states, what was measured, and whether it is the same."};
  page.sections = std::move(sections);
  page.footer = {"sotto " SOTTO_VERSION};
  return page;
}

void publish(const std::string& directory, const Json& summary, const StudyTable& table,
             const StudyOutcome& outcome) {
  OutputFolder folder(directory, OutputFolder::Others::keep);  // beside cells.csv
  folder.write_text("data.csv", data_csv(table));
  folder.write_text("figure.svg", svg_figure(outcome.panels, outcome.columns));
  folder.write_text("report.html", render(page_of({section_of(summary, outcome)})));
  folder.write_text("summary.json", to_text(summary));
  folder.commit();
}

std::string reproduction_document(const std::vector<Json>& summaries) {
  std::string text =
      "# What the papers state, and what we measured\n\nMade by `sotto reproduce --document DIR` "
      "from the `summary.json` files of a run in DIR; a test keeps it current. Numbers in brackets "
      "are 95% intervals by the bootstrap over trials. The program decides from the numbers what "
      "is \"the same\", by the rule in the experiment's file under `sotto/study/`. `sotto "
      "reproduce --all` makes the figures again. Statements marked (sotto) are about this "
      "library.\n\n| experiment | source | the same |\n|---|---|---|\n";
  for (const Json& summary : summaries) {
    int same = 0;
    for (const Json& finding : summary.at("findings")) same += finding.at("same").get<bool>();
    text += fmt::format("| {} | {} | {} of {} |\n", text_of(summary, "study"),
                        text_of(summary, "source"), same, summary.at("findings").size());
  }
  for (const Json& summary : summaries) text += document_section(summary);
  return text;
}

}  // namespace sotto
