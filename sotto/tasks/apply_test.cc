#include "sotto/tasks/apply.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sotto/base/json.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/tasks/apply_ratings.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/result_folder.h"
#include "sotto/tasks/topics.h"

namespace sotto {
namespace {

constexpr const char* kDocuments =
    "6\n4\n12\n1 1 5\n1 2 4\n2 1 3\n2 2 6\n3 3 4\n3 4 5\n4 3 6\n4 4 2\n5 1 4\n5 2 3\n6 3 3\n6 4 "
    "4\n";

// A small model of topics in a folder, with as much of result.json as it needs.
class ApplyFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    put(documents_, kDocuments);
    TopicsTask task;
    task.topics.topics = 2;
    const TopicsResult result = run(documents_input(documents_, task.file, false), task);
    OutputFolder folder(model_);
    save(result, folder);
    json_ = {{"command", "topics"},
             {"version", "0.2.0"},
             {"format", kResultFormat},
             {"options", {{"model", "lda"}}},
             {"privacy", nullptr},
             {"weights", std::vector<double>(result.model.alpha.begin(), result.model.alpha.end())},
             {"files", folder.names()}};
    folder.write_text("result.json", json_text(json_));
    folder.commit();
  }

  void say(const std::string& key, const Json& value) {
    Json changed = json_;
    changed[key] = value;
    put(model_ + "/result.json", json_text(changed));
  }
  ApplyResult applied(const ApplyTask& task = {}) const { return apply(model_, documents_, task); }

  TemporaryFolder folder_;
  std::string documents_ = folder_ / "docword.txt", model_ = folder_ / "model";
  Json json_;
};

TEST_F(ApplyFolder, gives_what_the_run_inferred) {
  const ApplyResult result = applied();
  const DenseTensor expected = read_npy(model_ + "/proportions.npy");
  ASSERT_EQ(result.rows.size(), expected.size());
  for (Index n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(result.rows.data()[n], expected.values()[static_cast<std::size_t>(n)]);
  }
  EXPECT_EQ(result.records, 6);
  EXPECT_EQ(result.model.command, "topics");
}

TEST_F(ApplyFolder, only_a_proved_certificate_is_a_promise) {
  const Json proved{
      {"guarantee", "proved"}, {"epsilon", 1.5}, {"delta", 1e-6}, {"unit", "one cat"}};
  say("privacy", proved);
  EXPECT_TRUE(applied().model.proved());
  EXPECT_TRUE(mentions(applied().exposes, "epsilon 1.5, delta 1e-06, protected: one cat"));
  for (const char* key : {"guarantee", "epsilon", "delta"}) {
    Json less = proved;
    less.erase(key);
    say("privacy", less);
    EXPECT_FALSE(applied().model.proved()) << key;
    EXPECT_TRUE(mentions(applied().exposes, "gives no guarantee")) << key;
  }
}

TEST_F(ApplyFolder, newer_formats_and_other_commands_are_refused) {
  say("format", kResultFormat + 1);
  EXPECT_ERROR(applied(), "newer");
  say("format", 0);
  EXPECT_ERROR(applied(), "no such format");
  say("command", "generate corpus");
  EXPECT_ERROR(applied(), "generate corpus");
  say("files", "all");
  EXPECT_ERROR(applied(), "result.json");
  say("weights", {0.5, 0.5});
  EXPECT_ERROR(applied(), "do not belong together");
  say("weights", {0.5, 0.25, 0.25});
  EXPECT_ERROR(applied(), "do not belong together");
  say("options", Json::object());
  EXPECT_ERROR(applied(), "options/model");
  std::filesystem::remove(model_ + "/result.json");
  EXPECT_ERROR(applied(), "has no result.json");
}

TEST_F(ApplyFolder, options_of_other_models_are_refused) {
  ApplyTask task;
  task.recommend = true;
  EXPECT_ERROR(applied(task), "`recommend`");
  task = {};
  task.format = "tns";
  EXPECT_ERROR(applied(task), "`format`");
}

TEST_F(ApplyFolder, a_damaged_result_is_an_error_or_the_same_model) {
  damage_everywhere(model_ + "/result.json", [&] { applied(); });
}

TEST_F(ApplyFolder, a_damaged_array_is_an_error_or_an_array) {
  damage_everywhere(model_ + "/topics.npy", [&] { ResultFolder(model_).matrix("topics.npy"); });
}

TEST(Applied, the_best_items_that_were_not_rated_are_recommended) {
  LabelTable items;
  for (const char* item : {"a", "b", "c", "d", "e"}) items.add(item);
  ObservedEntries own({1, 5, 1});
  own.append(std::vector<std::int32_t>{0, 3, 0}, 2);
  const std::vector<double> values = {1, 3, 3, 9, 2};
  const ApplyResult best = best_items(items, values, own, 3);
  ASSERT_EQ(best.predictions.size(), 3u);
  const char* expected[] = {"b", "c", "e"};  // ties in the order of the items
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(best.predictions[n].place[0], expected[n]);
  EXPECT_EQ(best.predictions[2].value, 2);
  EXPECT_EQ(best_items(items, values, own, 1000).predictions.size(), 4u);
}

TEST(Applied, predictions_are_written_as_csv) {
  TemporaryFolder folder;
  ApplyResult result;
  result.modes = {"user", "film"};
  result.predictions = {{{"a", "Heat, 1995"}, 0.1}, {{"b\"c", "x"}, 3}};
  OutputFolder out(folder / "out");
  save(result, out);
  out.write_text("result.json", "{}");
  out.commit();
  EXPECT_EQ(get(folder / "out/predictions.csv"),
            "user,film,prediction\na,\"Heat, 1995\",0.1\n\"b\"\"c\",x,3\n");
}

}  // namespace
}  // namespace sotto
