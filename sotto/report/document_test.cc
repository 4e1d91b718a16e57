#include "sotto/report/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"
#include "sotto/base/program.h"
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

TEST(ResultDocument, what_is_known_of_the_rows_decides_on_lines_whatever_the_values) {
  const Matrix spectra = Matrix::Random(40, 10);
  RowNames wavelengths, samples;
  for (int i = 0; i < 40; ++i) {
    wavelengths.labels.push_back(std::to_string(250 + 2 * i));
    samples.labels.push_back("sample " + std::to_string(i));
  }
  ResultDocument document = small_document();
  document.columns("spectra", spectra, wavelengths).columns("samples", spectra, samples);
  document.columns("counted", spectra, {.labels = {}, .counted = true}).columns("ids", spectra, {});
  const Json json = json_of(document);
  EXPECT_EQ(json["largest_entries"].size(), 4u);
  ASSERT_EQ(json["lines"].size(), 2u);
  EXPECT_EQ(json["lines"]["spectra"]["rows"][39], 328);
  EXPECT_EQ(json["lines"]["spectra"]["components"].size(), 8u);  // as many as there are colours
  EXPECT_EQ(json["lines"]["spectra"]["components"][1][17], spectra(17, 1));
  EXPECT_FALSE(json["lines"]["counted"].contains("rows"));
}

TEST(ResultDocument, entries_have_the_labels_of_their_rows) {
  ResultDocument document = small_document();
  document.columns("vectors", Matrix{{0.5}, {-4.0}}, {.labels = {"tea", "milk"}});
  EXPECT_EQ(json_of(document)["largest_entries"]["vectors"].dump(),
            R"([{"index":[1,0],"value":[-4.0,0.5],"label":["milk","tea"]}])");
  EXPECT_THROW(small_document().columns("vectors", Matrix::Zero(3, 1), {.labels = {"tea"}}), Error);
}

TEST(ResultDocument, json_has_what_every_command_must_say) {
  const Json json = json_of(small_document());
  EXPECT_EQ(json.dump(),
            R"({"command":"divine","version":")" SOTTO_VERSION R"(","build":")" + build_id() +
                R"(","day":")" + today() +
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
  document.columns("vectors", Matrix{{0.5}, {-4.0}, {0.5}}, {}).curve("movement", {3, 2});
  document.quality("error", 0.125).detail("source/folder", "x").seconds("reading", 1.5);
  Json json = json_of(document);
  for (const char* key :
       {"command", "version", "build", "day", "format", "arguments", "options", "privacy"})
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
  const Json json = Json::parse(file);
  EXPECT_EQ(json["files"], Json({"vectors.npy"}));
  EXPECT_EQ(json["digests"]["vectors.npy"]["blake2b"],
            digest_of_file((folder / "vectors.npy").string()).blake2b);
  EXPECT_EQ(json["digests"].size(), 2U);  // and the page
  EXPECT_EQ(json["seal"].get<std::string>().size(), 64U);
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
