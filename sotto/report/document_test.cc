#include "sotto/report/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"
#include "sotto/base/version.h"
#include "sotto/report/result_page.h"
#include "sotto/report/write_result.h"

namespace sotto {
namespace {

ResultDocument small_document(const std::vector<std::string>& unused = {}) {
  double tolerance = 0.5;
  std::int64_t plan = 3;
  const OptionTable table =
      OptionTable().real("tolerance", 0, tolerance, {}, "").integer("plan", 0, plan, {}, "");
  return ResultDocument({"divine", "What was divined", table, {"a.npy", "-x"}, unused});
}

Certificate some_certificate() {
  PrivacyStatement statement;
  statement.unit = "one entry";
  statement.delta = 1e-6;
  return {statement, 0.5, true, "it follows", "GDP (exact)", {}};
}

TEST(ResultDocument, rows_in_an_order_are_drawn_as_lines) {
  Matrix spectra(60, 2), shuffled(60, 2);
  for (Index i = 0; i < 60; ++i) {
    const double x = static_cast<double>(i) / 10;
    spectra.row(i) << std::exp(-(x - 2) * (x - 2)), std::exp(-(x - 4) * (x - 4));
    shuffled.row(37 * i % 60) = spectra.row(i);
  }
  ResultDocument document = small_document();
  document.lines_if_ordered("factors_1", spectra).lines_if_ordered("factors_2", shuffled);
  const Json json = json_of(document);
  ASSERT_EQ(json["lines"].size(), 1u);
  EXPECT_EQ(json["lines"]["factors_1"][1][40], spectra(40, 1));
}

TEST(ResultDocument, json_has_what_every_command_must_say) {
  const Json json = json_of(small_document());
  EXPECT_EQ(json.dump(),
            R"({"command":"divine","version":")" SOTTO_VERSION
            R"(","format":1,"arguments":["a.npy","-x"],"options":{"tolerance":0.5,"plan":3},)"
            R"("input":{},"privacy":null})");
}

TEST(ResultDocument, options_are_those_that_were_used_as_they_were_used) {
  ResultDocument document = small_document({"plan"});
  document.option("tolerance", 0.25);
  EXPECT_EQ(json_of(document)["options"], Json({{"tolerance", 0.25}}));
}

TEST(ResultDocument, elements_stand_at_their_paths_in_their_order) {
  ResultDocument document = small_document();
  document.input("path", "a.npy").weights(Vector{{2, 1}}, "component").fact("status", "converged");
  document.entry_cards("vectors", Matrix{{0.5}, {-4.0}, {0.5}}).curve("movement", {3, 2});
  document.quality("error", 0.125).detail("source/folder", "x").seconds("reading", 1.5);
  Json json = json_of(document);
  for (const char* key : {"command", "version", "format", "arguments", "options", "privacy"})
    json.erase(key);
  EXPECT_EQ(json.dump(),
            R"({"input":{"path":"a.npy"},"weights":[2.0,1.0],)"
            R"("diagnostics":{"status":"converged","movement":[3,2],"seconds_reading":1.5},)"
            R"("largest_entries":{"vectors":[{"index":[1,0,2],"value":[-4.0,0.5,0.5]}]},)"
            R"("evaluation":{"error":0.125},"source":{"folder":"x"}})");
}

TEST(ResultDocument, an_element_is_declared_once) {
  EXPECT_THROW(small_document().fact("rank", 1).fact("rank", 2), Error);
  EXPECT_THROW(small_document().fact("rank", 1).curve("rank", {2, 3}), Error);
}

TEST(ResultDocument, is_written_as_json_and_page_beside_the_files_it_lists) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "result_document_test";
  fs::remove_all(folder);
  ResultDocument document = small_document();
  OutputFolder output(folder.string());
  output.write_npy("vectors.npy", Vector{{1, 2}});
  write_result(output, document);
  std::ifstream file(folder / "result.json");
  EXPECT_EQ(Json::parse(file)["files"], Json({"vectors.npy"}));
  EXPECT_TRUE(fs::exists(folder / "report.html") && fs::exists(folder / "vectors.npy"));
  fs::remove_all(folder);
}

TEST(ResultDocument, a_private_result_has_no_time_whatever_comes_first) {
  EXPECT_THROW(small_document().certificate(some_certificate()).seconds(1.0), Error);
  EXPECT_THROW(small_document().certificate(some_certificate()).seconds("reading", 1.0), Error);
  EXPECT_THROW(small_document().certificate(some_certificate()).epoch_seconds({1.0}), Error);
  EXPECT_THROW(small_document().seconds(1.0).certificate(some_certificate()), Error);
  EXPECT_EQ(json_of(small_document().certificate(some_certificate()))["privacy"]["epsilon"], 0.5);
}

}  // namespace
}  // namespace sotto
