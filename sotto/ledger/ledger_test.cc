#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "sotto/base/error.h"
#include "sotto/ledger/forecast.h"
#include "sotto/ledger/ledger_text.h"
#include "sotto/ledger/reservation.h"
#include "sotto/ledger/run_ledger.h"
#include "sotto/privacy/gdp.h"

namespace sotto {
namespace {

class RunLedgerTest : public ::testing::Test {
 protected:
  RunLedgerTest() {
    folder_ = std::filesystem::temp_directory_path() /
              ("sotto_ledger_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
               std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "runs.ledger").string();
  }
  ~RunLedgerTest() override { std::filesystem::remove_all(folder_); }

  void init(double epsilon = 3, double delta = 1e-5) {
    RunLedger::init(path_, {"visits", {epsilon, delta}, "one patient"});
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static RunLedger::Request request(double epsilon, double delta = 1e-7) {
    return {"mixture", "record", {epsilon, delta}};
  }
  static PrivacyStatement statement(double delta) {
    PrivacyStatement words;
    words.unit = "one record";
    words.delta = delta;
    return words;
  }
  // Of a Gaussian run that spends nearly all of its claim.
  static Certificate certificate(double epsilon, double delta = 1e-7) {
    const double mu = 0.999 * gdp_mu(epsilon, delta);
    ReleaseRecord record{"a sum", "gaussian", mu, 1, 1, GaussianCost{mu}, {}, "", 1};
    return {statement(delta), epsilon, true, "", "GDP", {{record, 0}}};
  }
  static std::string refusal(const std::function<void()>& work) {
    try {
      work();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  // What an editor of the file would do.
  void edit(const std::string& sql) {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(file);
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(RunLedgerTest, a_run_counts_whole_until_it_is_committed) {
  init();
  RunLedger ledger(path_);
  const std::int64_t run = ledger.reserve("", request(1));
  EXPECT_EQ(RunLedger(path_).account("visits").count().composed_epsilon(), 1);
  EXPECT_EQ(ledger.account("").open_runs(), 1);
  ledger.commit(run, "visits", certificate(1));
  const LedgerAccount account = RunLedger(path_).account("visits");
  EXPECT_EQ(account.open_runs(), 0);
  EXPECT_LT(account.count().composed_epsilon(), 0.999);
  EXPECT_TRUE(account.runs.at(0).counted.cost);
  EXPECT_THROW(ledger.commit(run, "visits", certificate(1)), Error);
  EXPECT_THROW(ledger.commit(run + 1, "visits", certificate(1)), Error);
}

TEST_F(RunLedgerTest, a_certificate_that_does_not_add_up_counts_with_the_claim) {
  init();
  RunLedger ledger(path_);
  Certificate denied = certificate(1);
  denied.proved = false;
  ledger.commit(ledger.reserve("", request(1)), "visits", denied);
  const LedgerRun run = ledger.account("").runs.at(0);
  EXPECT_TRUE(run.committed);
  EXPECT_FALSE(run.proved);
  EXPECT_FALSE(run.counted.cost);
  EXPECT_EQ(ledger.account("").count().composed_epsilon(), 1);
}

TEST_F(RunLedgerTest, refuses_what_exceeds_the_limit_and_changes_nothing) {
  init();
  RunLedger ledger(path_);
  ledger.reserve("", request(2));
  EXPECT_THROW(ledger.reserve("", request(1.1)), Error);
  EXPECT_EQ(ledger.account("").runs.size(), 1U);
  EXPECT_NO_THROW(ledger.reserve("", request(1)));
  EXPECT_THROW(ledger.reserve("", request(1e-3)), Error);
}

TEST_F(RunLedgerTest, the_first_run_fixes_the_unit) {
  init();
  RunLedger ledger(path_);
  ledger.reserve("", request(0.1));
  RunLedger::Request other = request(0.1);
  other.unit = "document";
  EXPECT_NE(refusal([&] { ledger.reserve("", other); }).find("different units"), std::string::npos);
}

TEST_F(RunLedgerTest, ratings_count_twice) {
  init(1);
  RunLedger ledger(path_);
  RunLedger::Request ratings = request(0.6);
  ratings.unit = "rating";
  EXPECT_THROW(ledger.reserve("", ratings), Error);
  ratings.asked.epsilon = 0.5;
  EXPECT_NO_THROW(ledger.reserve("", ratings));
}

TEST_F(RunLedgerTest, a_data_set_is_named_where_there_are_several) {
  init();
  RunLedger::init(path_, {"staff", {1, 1e-6}, "one patient", {"visits"}});
  RunLedger ledger(path_);
  EXPECT_THROW(ledger.add({"staff", {1, 1e-6}, "one patient"}), Error);
  EXPECT_THROW(ledger.add({"more", {1, 1e-6}, "one patient", {"nobody"}}), Error);
  EXPECT_THROW(ledger.reserve("", request(0.1)), Error);
  EXPECT_THROW(ledger.reserve("nobody", request(0.1)), Error);
  EXPECT_NO_THROW(ledger.reserve("staff", request(0.1)));
}

TEST_F(RunLedgerTest, refuses_limits_that_are_none) {
  const double nan = std::nan("");
  for (const PrivacyClaim limit :
       {PrivacyClaim{-1, 1e-5}, PrivacyClaim{0, 1e-5}, PrivacyClaim{nan, 1e-5},
        PrivacyClaim{1, nan}, PrivacyClaim{1, 0}, PrivacyClaim{1, 1}}) {
    EXPECT_THROW(RunLedger::init(path_, {"visits", limit, "one patient"}), Error);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(RunLedgerTest, a_limit_is_lowered_but_not_below_what_was_spent_nor_raised) {
  init();
  RunLedger ledger(path_);
  ledger.reserve("", request(1));
  EXPECT_THROW(ledger.lower("", {4, 1e-5}), Error);
  EXPECT_THROW(ledger.lower("", {0.9, 1e-5}), Error);
  EXPECT_THROW(ledger.lower("", {2, 1e-8}), Error);
  ledger.lower("", {1.5, 1e-6});
  EXPECT_THROW(ledger.reserve("", request(1)), Error);
  EXPECT_NO_THROW(ledger.reserve("", request(0.5)));
}

TEST_F(RunLedgerTest, sees_that_a_row_was_changed_removed_or_added) {
  init();
  RunLedger(path_).reserve("", request(1));
  RunLedger(path_).reserve("", request(0.5));
  const auto untouched = folder_ / "copy";
  std::filesystem::copy(path_, untouched);
  for (const char* sql :
       {"UPDATE entries SET body=replace(body, '0.5', '0.1') WHERE number=4",
        "UPDATE entries SET time='2000-01-01T00:00:00Z' WHERE number=3",
        "DELETE FROM entries WHERE number=3", "DELETE FROM entries WHERE number=1",
        "DELETE FROM entries", "UPDATE entries SET number=9 WHERE number=4",
        "INSERT INTO entries SELECT 5, time, kind, data, body, hash FROM entries WHERE number=4"}) {
    edit(sql);
    EXPECT_NE(refusal([&] { RunLedger(path_).accounts(); }).find("changed by hand"),
              std::string::npos)
        << sql;
    EXPECT_THROW(RunLedger(path_).reserve("", request(0.1)), Error);
    std::filesystem::copy(untouched, path_, std::filesystem::copy_options::overwrite_existing);
  }
  EXPECT_EQ(RunLedger(path_).account("").runs.size(), 2U);
}

TEST_F(RunLedgerTest, refuses_files_that_are_no_ledger) {
  EXPECT_NE(refusal([&] { RunLedger{path_}; }).find("no such ledger"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_THROW(RunLedger{folder_.string()}, Error);
  EXPECT_THROW(RunLedger((folder_ / "nowhere" / "x").string()), Error);
  const std::string text = write("text", std::string(5000, 'a'));
  EXPECT_THROW(RunLedger{text}, Error);
  EXPECT_THROW(RunLedger::init(text, {"visits", {1, 1e-5}, "one patient"}), Error);
  EXPECT_EQ(std::filesystem::file_size(text), 5000U);
  edit("CREATE TABLE other(x)");
  EXPECT_NE(refusal([&] { RunLedger{path_}; }).find("not a ledger"), std::string::npos);
  EXPECT_THROW(init(), Error);
}

TEST_F(RunLedgerTest, waits_for_another_process_and_then_refuses) {
  init();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_NE(refusal([&] { RunLedger(path_).reserve("", request(1)); }).find("in use"),
            std::string::npos);
  sqlite3_close(other);
  EXPECT_TRUE(RunLedger(path_).account("").runs.empty());
}

TEST_F(RunLedgerTest, recognises_the_data_by_its_bytes) {
  init();
  const std::string first = write("a.csv", "1,2\n"), renamed = write("b.csv", "1,2\n"),
                    other = write("c.csv", "1,3\n");
  for (const std::string& input : {first, renamed, other, std::string("-")}) {
    const Reservation place(path_, "", request(0.1), input);
  }
  const LedgerAccount account = RunLedger(path_).account("");
  std::vector<bool> versions;
  for (const LedgerRun& run : account.runs) versions.push_back(run.other_version);
  EXPECT_EQ(versions, (std::vector<bool>{false, false, true, false}));
  EXPECT_NE(history_text({account}).find("another version of the data"), std::string::npos);
  const std::string shown = json_text(ledger_json({account}));
  EXPECT_EQ(shown.find(account.runs.at(0).fingerprint), std::string::npos);
}

TEST_F(RunLedgerTest, a_missing_input_costs_nothing) {
  init();
  EXPECT_THROW(Reservation(path_, "", request(1), {(folder_ / "missing").string()}), Error);
  EXPECT_THROW(Reservation(path_, "", request(1), {folder_.string()}), Error);
  EXPECT_TRUE(RunLedger(path_).account("").runs.empty());
}

TEST_F(RunLedgerTest, a_place_pays_for_one_run_of_its_kind) {
  init();
  Reservation place(path_, "", request(1, 1e-7), "-");
  EXPECT_THROW(place.begin({1.5, 1e-7}, statement(1e-7)), Error);
  EXPECT_THROW(place.begin({1, 1e-6}, statement(1e-7)), Error);
  PrivacyStatement document = statement(1e-7);
  document.unit = "one document";
  EXPECT_THROW(place.begin({1, 1e-7}, document), Error);
  EXPECT_THROW(place.commit(), Error);
  place.begin({1, 1e-7}, statement(1e-7));
  EXPECT_THROW(place.begin({1, 1e-7}, statement(1e-7)), Error);
  place.settle(certificate(1));
  place.commit();
  EXPECT_EQ(RunLedger(path_).account("").open_runs(), 0);
}

TEST_F(RunLedgerTest, disjoint_data_sets_compose_in_parallel) {
  init();
  RunLedger ledger(path_);
  ledger.add({"staff", {3, 1e-5}, "one patient", {"visits"}});
  ledger.add({"meals", {3, 1e-5}, "one patient"});
  EXPECT_EQ(largest_overlap(ledger.accounts(), {1, 2, 4}), 6);
  EXPECT_EQ(largest_overlap(ledger.accounts(), {3, 2, 0}), 3);
  ledger.add({"rooms", {3, 1e-5}, "one patient", {"visits", "staff", "meals"}});
  EXPECT_EQ(largest_overlap(ledger.accounts(), {1, 2, 4, 5}), 6);
  EXPECT_EQ(largest_overlap(ledger.accounts(), {1, 2, 4, 7}), 7);
}

TEST_F(RunLedgerTest, a_forecast_is_what_then_happens) {
  init();
  RunLedger ledger(path_);
  const PrivacyClaim claim{0.5, 1e-7};
  const std::int64_t whole = runs_that_fit(ledger.account(""), claim, false, 1000);
  const std::int64_t gaussian = runs_that_fit(ledger.account(""), claim, true, 1000);
  EXPECT_EQ(whole, 6);
  EXPECT_GT(gaussian, whole);
  const LedgerForecast forecast(ledger.account(""), request(0.5));
  EXPECT_EQ(forecast.to_json().at("runs_that_fit_gaussian"), gaussian);
  std::int64_t runs = 0;
  for (; runs < gaussian; ++runs) {
    ledger.commit(ledger.reserve("", request(0.5)), "visits", certificate(0.5));
  }
  EXPECT_LE(ledger.account("").count().composed_epsilon(), 3);
  const LedgerForecast last(ledger.account(""), request(3));
  EXPECT_EQ(last.to_json().at("admitted"), false);
}

TEST_F(RunLedgerTest, is_shown_as_csv) {
  RunLedger::init(path_, {"visits, \"old\"", {3, 1e-5}, "one patient"});
  RunLedger ledger(path_);
  ledger.reserve("", request(1));
  const std::string csv = ledger_csv(ledger.accounts());
  EXPECT_NE(csv.find("\"visits, \"\"old\"\"\",mixture,record,1,1e-07,open or broken off"),
            std::string::npos)
      << csv;
}

}  // namespace
}  // namespace sotto
