#include "sotto/report/certificate_file.h"

#include <gtest/gtest.h>

#include "sotto/privacy/gdp.h"
#include "sotto/report/ledger_page.h"
#include "sotto/report/markdown.h"
#include "sotto/report/plain_words.h"

namespace sotto {
namespace {

ResultDocument certified(double mu, const RunStatement& stated) {
  PrivacyStatement statement;
  statement.unit = "one record";
  statement.neighbours = "one record replaced by another";
  statement.delta = 1e-6;
  Certificate certificate{statement, gdp_epsilon(mu, 1e-6), true, "it follows", "GDP (exact)", {}};
  ReleaseRecord release;
  release.what = "a mean";
  release.cost = GaussianCost{mu};
  certificate.releases.push_back({release, 0});
  ResultDocument document({"divine", "What was divined", OptionTable()});
  document.stated(stated).certificate(certificate);
  return document;
}

TEST(CertificateFile, says_what_a_board_asks) {
  const std::string text = certificate_file(
      certified(0.2, {"2026-01-01", "one patient", "the <office>", "a | b", {}, {}}));
  for (const char* part :
       {"# Privacy certificate", "- Protected: one patient", "- Contact: the \\<office\\>",
        "- Purpose: a \\| b", "1:1, ends at most at 2.", "of 100 true cases", "Five together",
        "counted in no ledger", "| US Census Bureau |", "- Day: 2026-01-01",
        "Epsilon was accounted by: GDP (exact)."}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(CertificateFile, quotes_the_ledger_instead_of_warning_of_other_runs) {
  const LedgerStanding ledger{"one patient", {3, 1e-5}, 2, {0.7, 2e-7}};
  const std::string text = certificate_file(certified(0.2, {"2026-01-01", "", "", "", ledger, {}}));
  EXPECT_NE(text.find("there were 2 runs, which asked for epsilon 0.7 in all"), std::string::npos);
  EXPECT_EQ(text.find("counted in no ledger"), std::string::npos);
}

TEST(CertificateFile, promises_no_odds_where_there_are_none) {
  EXPECT_NE(certificate_file(certified(20, {})).find("promises next to nothing"),
            std::string::npos);
}

TEST(LedgerPage, has_a_curve_for_each_data_set_with_runs) {
  LedgerAccount account;
  account.data = {"visits", {3, 1e-5}, "one patient"};
  account.limits = {account.data.limit};
  EXPECT_TRUE(ledger_page({account}).sections.at(0).charts.empty());
  LedgerRun run;
  run.number = 3;
  run.asked = {0.5, 1e-7};
  run.counted = {run.asked, 0, {}};
  account.runs = {run, run};
  const Chart chart = ledger_page({account}).sections.at(0).charts.at(0);
  EXPECT_EQ(chart.series.at(0).y, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(chart.series.at(2).y, (std::vector<double>{3, 3, 3}));
}

}  // namespace
}  // namespace sotto
