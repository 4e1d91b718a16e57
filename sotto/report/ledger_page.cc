#include "sotto/report/ledger_page.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/rounded_up.h"
#include "sotto/base/version.h"
#include "sotto/ledger/ledger_text.h"

namespace sotto {
namespace {

Cell spent_cell(double epsilon) {
  return std::isfinite(epsilon) ? Cell(epsilon, rounded_up(epsilon, 4)) : Cell("unbounded");
}

// After each run: what all of them cost by composition, and the plain sum of what they asked for.
Chart spending_chart(const LedgerAccount& account) {
  const RunCount all = account.count();
  ChartSeries composed{"composed", {0}, {0}, {}, {}}, plain{"plain sum", {0}, {0}, {}, {}};
  ChartSeries limit{"limit", {0}, {all.limit().epsilon}, {}, {}};
  RunCount count(all.limit());
  for (const LedgerRun& run : account.runs) {
    count.add(run.counted);
    const auto n = static_cast<double>(composed.x.size());
    const double epsilon = count.composed_epsilon();
    const std::pair<ChartSeries*, double> points[] = {
        {&composed, std::isfinite(epsilon) ? epsilon : std::nan("")},
        {&plain, count.plain_sum().epsilon},
        {&limit, all.limit().epsilon}};
    for (const auto& [series, value] : points) {
      series->x.push_back(n);
      series->y.push_back(value);
    }
  }
  Chart chart;
  chart.title = fmt::format("Epsilon spent, at delta {:g}", all.limit().delta);
  chart.x_label = "runs";
  chart.y_label = "epsilon";
  chart.series = {std::move(composed), std::move(plain), std::move(limit)};
  return chart;
}

PageTable run_table(const LedgerAccount& account) {
  PageTable table{"Every run; one that is open or broken off counts with all that it asked for",
                  {"Run", "Time (UTC)", "Command", "Epsilon", "Delta", "Counted", "Data"},
                  {}};
  for (const LedgerRun& run : account.runs) {
    table.rows.push_back({Cell(run.number), run.time, run.command, Cell(run.asked.epsilon),
                          Cell(run.asked.delta), state_of(run),
                          run.other_version ? "another version" : "as first"});
  }
  return table;
}

PageSection account_section(const LedgerAccount& account) {
  const RunCount count = account.count();
  PageSection section{account.data.name};
  section.paragraphs = {{"All runs together keep to epsilon ",
                         Cell(count.limit().epsilon, rounded_up(count.limit().epsilon)),
                         " at delta ", Cell(count.limit().delta, rounded_up(count.limit().delta)),
                         " for ", account.data.unit, "."}};
  if (account.runs.empty()) return section;
  section.facts = {{"Runs", Cell(std::ssize(account.runs))},
                   {"Open or broken off", Cell(account.open_runs())},
                   {"Protected by each run", "one " + account.run_unit},
                   {"Spent, composed", spent_cell(count.composed_epsilon())},
                   {"Plain sum of the runs", spent_cell(count.plain_sum().epsilon)},
                   {"A further run may ask for", Cell(count.left().epsilon)},
                   {"at a delta of up to", Cell(count.left().delta)}};
  section.charts.push_back(spending_chart(account));
  section.tables.push_back(run_table(account));
  return section;
}

}  // namespace

Page ledger_page(const std::vector<LedgerAccount>& accounts) {
  Page page;
  page.title = "What has been spent";
  page.subtitle = {"sotto ledger show, version " SOTTO_VERSION};
  page.notice = {
      "This page is for whoever keeps the ledger. The limits may be published. Which runs broke "
      "off may depend on the data, so it must not be published."};
  for (const LedgerAccount& account : accounts) page.sections.push_back(account_section(account));
  page.footer = {
      "The composed epsilon is the cost of the runs so far, as if they had been a list fixed in "
      "advance. What is promised, however runs are chosen, is the limit. Charts by Chart.js."};
  return page;
}

}  // namespace sotto
