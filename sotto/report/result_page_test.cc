#include "sotto/report/result_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include "sotto/base/error.h"
#include "sotto/report/describe.h"

namespace sotto {
namespace {

CertifiedRelease release(const std::string& what, const std::string& mechanism, double sensitivity,
                         double noise, std::int64_t values, Cost cost) {
  CertifiedRelease made;
  made.record.what = what;
  made.record.mechanism = mechanism;
  made.record.sensitivity = sensitivity;
  made.record.noise = noise;
  made.record.values = values;
  made.record.cost = cost;
  return made;
}

Certificate document_certificate() {
  PrivacyStatement statement;
  statement.unit = "one document";
  statement.neighbours = "one document replaced by another";
  statement.public_facts = {"the number of documents", "all options"};
  statement.delta = 1e-6;
  Certificate certificate{
      statement,
      0.99999123,
      true,
      "epsilon follows from the releases",
      "GDP (exact)",
      {release("first moment", "gaussian", 0.00035355, 0.0024937, 300, GaussianCost{0.14177589}),
       release("bound", "exponential", 1, 2.5, 1, PureCost{0.125})}};
  certificate.releases[1].parallel = 1;
  certificate.releases[1].record.count = 3;
  certificate.releases[1].record.note = "a note";
  return certificate;
}

struct Fields {
  std::int64_t topics = 2;
  double epsilon = 1;
  OptionTable table() {
    return OptionTable().integer("topics", 'k', topics, {}, "").real("epsilon", 0, epsilon, {}, "");
  }
};

// An empty result of a command that the library does not have.
ResultDocument invented(const std::vector<std::string>& arguments = {"my corpus.txt", "-k", "2"}) {
  Fields fields;
  return ResultDocument({"divine", "What was divined", fields.table(), arguments});
}

// One element of every kind that a private result may have.
ResultDocument private_topics(const std::string& word,
                              const Certificate& certificate = document_certificate()) {
  ResultDocument document = invented();
  document.input("documents", 12345).input("words", {{"kept", 7}, {"dropped", nullptr}});
  document.certificate(certificate);
  document.weights(Vector{{0.6180339887, 0.3819660113}}, "topic");
  document.topic_cards(
      {{{"weight", 0.6180339887}, {"words", {{{"word", word}, {"probability", 0.1875}}}}},
       {{"weight", 0.3819660113}, {"words", {{{"word", "b"}, {"probability", 0.0625}}}}}});
  document.columns("vectors", Matrix{{0.25, -0.75}, {4.5, 0.5}}, {});
  document.fit("fit", 0.875);
  document.value("score", 17.25).value("test", {{"entries", 812}});
  document.fact("mechanism", "pairs").fact("core_words", 41, "Words of the core");
  document.spectrum("second_spectrum", {0.71, 0.29});
  document.curve("log_likelihood", {-3.5, -3.25, -3.125});
  document.component_history(
      {{"component", {0, 0, 1}}, {"iteration", {1, 2, 1}}, {"change", {1.4, 1.3e-9, 0.77}}});
  document.table("diagnostics/conditions", "Conditions of the method",
                 {{{"what", "gap"}, {"value", 0.51}, {"met", false}}});
  document.quality("diversity", 0.86);
  document.component_column("evaluation/npmi_by_topic", {0.11, 0.12}, "Coherence");
  document.exposed("inferred.npy shows others");
  document.detail("odd", {{"nested", {{"value", 99.5}}}, {"none", nullptr}});
  document.detail("many", {{{"left", 55.5}}, {{"left", 66.5}}});
  document.files({"topics.npy"});
  return document;
}

void collect(const Json& value, std::set<double>& numbers) {
  if (value.is_number()) numbers.insert(value.get<double>());
  for (const auto& child : value) {
    if (value.is_structured()) collect(child, numbers);
  }
}

std::set<double> numbers_on(const std::string& html) {
  std::set<double> numbers;
  const std::regex data("<data value=\"([^\"]*)\"");
  for (std::sregex_iterator it(html.begin(), html.end(), data), end; it != end; ++it) {
    numbers.insert(std::stod((*it)[1]));
  }
  return numbers;
}

std::string html_of(const ResultDocument& document) { return render(page_of(document)); }

const PageSection* section(const Page& page, const std::string& heading) {
  for (const PageSection& each : page.sections) {
    if (each.heading == heading) return &each;
  }
  return nullptr;
}

TEST(ResultPage, numbers_are_those_of_the_json_and_no_others) {
  const ResultDocument document = private_topics("a");
  std::set<double> known;
  collect(json_of(document), known);
  const std::set<double> shown = numbers_on(html_of(document));
  for (const double x : shown) {
    // The axis of a curve counts the positions in its list.
    EXPECT_TRUE(known.contains(x) || x == 3) << x;
  }
  for (const double x :
       {12345.0, 7.0,          0.99999123,   1e-6,   0.00035355, 0.0024937, 0.14177589,
        0.125,   0.6180339887, 0.3819660113, 0.1875, 0.0625,     4.5,       -0.75,
        17.25,   812.0,        41.0,         0.71,   -3.25,      1.3e-9,    0.51,
        0.86,    0.11,         99.5,         66.5}) {
    EXPECT_TRUE(shown.contains(x)) << x;
  }
}

// A command that this page does not know gets every section from its declarations.
TEST(ResultPage, an_element_of_every_kind_stands_in_its_section) {
  const Page page = page_of(private_topics("a"));
  EXPECT_EQ(page.title, "What was divined");
  std::vector<std::string> headings;
  for (const PageSection& each : page.sections) headings.push_back(each.heading);
  EXPECT_EQ(headings, (std::vector<std::string>{
                          "Privacy certificate", "What the numbers mean", "What is not protected",
                          "Are such numbers usual?", "What the certificate does not cover",
                          "What was computed", "Result", "Quality", "Curves", "What was released",
                          "Also in the result", "Run it again", "All options"}));
  const auto facts = section(page, "What was computed")->facts;
  EXPECT_EQ(facts.back().first, "Words of the core");
  const PageSection& result = *section(page, "Result");
  EXPECT_EQ(result.facts.size(), 3u);
  EXPECT_EQ(result.facts[0].first, "Fit");
  EXPECT_EQ(result.facts[2].first, "Test: entries");
  ASSERT_EQ(result.charts.size(), 1u);
  EXPECT_EQ(result.charts[0].categories[0], "1: a");
  EXPECT_EQ(result.cards.size(), 4u);
  ASSERT_EQ(result.tables.size(), 2u);
  EXPECT_EQ(result.tables[0].head, (std::vector<std::string>{"Topic", "Weight", "Coherence"}));
  EXPECT_EQ(result.tables[1].caption, "Conditions of the method");
  const PageSection& curves = *section(page, "Curves");
  ASSERT_EQ(curves.charts.size(), 3u);
  EXPECT_FALSE(curves.charts[0].categories.empty());  // a spectrum has bars
  EXPECT_TRUE(curves.charts[1].categories.empty());
  EXPECT_EQ(curves.charts[2].series.size(), 2u);  // one curve a component
  EXPECT_EQ(section(page, "Also in the result")->tables.size(), 1u);
}

TEST(ResultPage, certificate_with_sentence_and_unit_comes_before_the_result) {
  const std::string html = html_of(private_topics("a"));
  const std::size_t sentence = html.find("Differentially private with epsilon");
  const std::size_t unit = html.find("<dt>Protected unit</dt><dd>one document</dd>");
  ASSERT_NE(unit, std::string::npos);
  EXPECT_LT(sentence, unit);
  EXPECT_LT(unit, html.find("<h2>What was computed</h2>"));
  EXPECT_LT(unit, html.find("<h2>Result</h2>"));
}

TEST(ResultPage, fit_comes_first_where_nothing_is_private) {
  ResultDocument document = invented();
  document.input("entries", 9).fit("rmse", 0.5, "RMSE").value("score", 2).quality("npmi", 0.25);
  const Page page = page_of(document);
  EXPECT_NE(render(page).find("Not private."), std::string::npos);
  EXPECT_EQ(page.sections[0].heading, "How well it fits");
  ASSERT_EQ(page.sections[0].facts.size(), 2u);
  EXPECT_EQ(page.sections[0].facts[0].first, "RMSE");
  EXPECT_EQ(page.sections[0].facts[1].first, "Npmi");
  EXPECT_EQ(section(page, "Quality"), nullptr);
}

// A result that a model was applied to, with the certificate that its folder had.
ResultDocument applied(const Json& certificate) {
  ResultDocument document = invented();
  document.input("documents", 3).exposed("Nothing was spent.");
  document.source({{"folder", "found"}, {"command", "topics"}, {"privacy", certificate}});
  return document;
}

TEST(ResultPage, a_model_that_was_applied_leads_with_its_certificate) {
  const std::string html = html_of(applied(Json(document_certificate().to_json())));
  for (const char* text : {"<p class=\"notice\">Nothing is spent: made from a model with epsilon ",
                           "for one document. This page shows the data that it was given.",
                           "<h2>What this result shows</h2>", "<h2>The model that was applied</h2>",
                           "one document replaced by another", "first moment"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(html.find("Not private"), std::string::npos);
}

TEST(ResultPage, a_model_without_a_guarantee_gives_none_when_it_is_applied) {
  EXPECT_NE(html_of(applied(nullptr)).find("No privacy guarantee: made from a model that is not"),
            std::string::npos);
  Certificate certificate = document_certificate();
  certificate.proved = false;
  certificate.why = "the seed is known";
  const std::string html = html_of(applied(Json(certificate.to_json())));
  EXPECT_NE(html.find("notice bad"), std::string::npos);
  EXPECT_NE(html.find("the seed is known"), std::string::npos);
  // A folder is a file that anyone can write.
  for (const Json& odd : {Json("x"), Json({{"guarantee", "proved"}, {"epsilon", "x"}}),
                          Json({{"releases", {{{"what", 3}}, {{"cost", 4}}}}})}) {
    EXPECT_NE(html_of(applied(odd)).find("No privacy guarantee"), std::string::npos);
  }
}

TEST(ResultPage, rows_in_an_order_are_lines_and_others_are_cards) {
  RowNames days;
  for (int d = 1; d <= 20; ++d) days.labels.push_back("2024-05-" + std::to_string(d + 10));
  RowNames spectrum;
  for (int n = 0; n < 20; ++n) spectrum.labels.push_back(std::to_string(250.5 + n));
  ResultDocument document = invented();
  document.columns("factors_0", Matrix{{0.5, -1}, {2, 3}}, {.labels = {"tea", "milk"}});
  document.columns("factors_1", Matrix::Random(20, 2), days);
  document.columns("factors_2", Matrix::Random(20, 2), spectrum);
  document.columns("factors_3", Matrix::Zero(2, 2), {});
  const PageSection result = *section(page_of(document), "Result");
  ASSERT_EQ(result.charts.size(), 2u);
  EXPECT_EQ(result.charts[0].x_names[19], "2024-05-30");
  EXPECT_EQ(result.charts[0].series[1].x[19], 19);
  EXPECT_TRUE(result.charts[1].x_names.empty());
  EXPECT_EQ(result.charts[1].series[0].x[1], 251.5);
  ASSERT_EQ(result.cards.size(), 2u);  // a column of zeros says nothing
  EXPECT_EQ(result.cards[0].title[0].text, "Component 1, factors_0");
  EXPECT_EQ(result.cards[0].bars[0].first, "milk");
  const std::string html = html_of(document);
  EXPECT_NE(html.find("<td>2024-05-30</td>"), std::string::npos);
  EXPECT_NE(html.find("class=\"signed\""), std::string::npos);
}

TEST(ResultPage, a_curve_goes_on_where_iterations_are_counted_again) {
  ResultDocument document = invented();
  document.component_history({{"component", {0, 0, 0, 0, 1}},
                              {"iteration", {1, 2, 1, 2, 1}},
                              {"change", {0.5, 0.25, 0.125, 0.0625, 0.75}}});
  const Chart chart = section(page_of(document), "Curves")->charts[0];
  EXPECT_EQ(chart.series[0].x, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(chart.series[1].x, (std::vector<double>{1}));
}

TEST(ResultPage, times_and_epochs_of_a_result_that_is_not_private) {
  ResultDocument document = invented();
  document.input("entries", 9).seconds(1.5).seconds("reading", 0.25);
  document.epoch_history({{"train_rmse", {3, 2}}, {"validation_rmse", {4, 5}}});
  document.epoch_seconds({0.5, 0.75});
  const Page page = page_of(document);
  ASSERT_EQ(section(page, "Curves")->charts.size(), 1u);
  EXPECT_EQ(section(page, "Curves")->charts[0].series.size(), 2u);
  EXPECT_EQ(section(page, "Time")->facts.size(), 2u);
  EXPECT_EQ(section(page, "Time")->charts.size(), 1u);
  EXPECT_EQ(json_of(document)["diagnostics"]["history"]["seconds"], Json({0.5, 0.75}));
}

TEST(ResultPage, a_column_that_fits_no_row_is_still_shown) {
  ResultDocument document = invented();
  document.weights(Vector{{0.5, 0.25}}, "component");
  document.component_column("diagnostics/iterations", {3, 4, 5});
  const Page page = page_of(document);
  EXPECT_TRUE(section(page, "Result")->tables.empty());
  EXPECT_EQ(section(page, "Also in the result")->facts[0].first, "Iterations");
}

TEST(ResultPage, certificate_stands_in_plain_words) {
  const std::string html = html_of(private_topics("a"));
  for (const char* text :
       {"class=\"notice good\"", "Differentially private with epsilon ", ">1</data>",
        "one document", "one document replaced by another", "the number of documents; all options",
        "The guarantee is proved", "first moment", "Cost, mu", "Cost, epsilon", "a note",
        "Rows of one group read different records"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
}

TEST(ResultPage, epsilon_is_never_shown_smaller_than_it_is) {
  Certificate certificate = document_certificate();
  certificate.epsilon = 1.00001;
  EXPECT_NE(html_of(private_topics("a", certificate))
                .find("<data value=\"1.00001\" title=\"1.00001\">1.0001</data>"),
            std::string::npos);
}

TEST(ResultPage, says_when_epsilon_promises_little) {
  Certificate certificate = document_certificate();
  EXPECT_EQ(html_of(private_topics("a", certificate)).find("promises little"), std::string::npos);
  certificate.epsilon = 40;
  EXPECT_NE(html_of(private_topics("a", certificate)).find("promises little"), std::string::npos);
}

TEST(ResultPage, says_when_there_is_no_guarantee) {
  Certificate certificate = document_certificate();
  certificate.proved = false;
  certificate.why = "the seed is known";
  certificate.epsilon = std::numeric_limits<double>::quiet_NaN();
  certificate.statement.claimed = {0.25, 0.0};
  const std::string html = html_of(private_topics("a", certificate));
  EXPECT_NE(html.find("notice bad"), std::string::npos);
  EXPECT_NE(html.find("No privacy guarantee: the seed is known."), std::string::npos);
  EXPECT_NE(html.find("published analysis of this method claims epsilon <data value=\"0.25\""),
            std::string::npos);
  EXPECT_EQ(html.find("is proved"), std::string::npos);

  EXPECT_NE(html_of(invented()).find("no data was read"), std::string::npos);
  EXPECT_NE(html_of(invented().input("documents", 3)).find("Not private."), std::string::npos);
}

TEST(ResultPage, command_line_is_quoted_for_a_shell) {
  const auto document = invented({"it's.txt", "--out", "a b", "$(rm)", "", "--x=1,2"});
  EXPECT_NE(html_of(document).find(
                "<pre>sotto divine &#39;it&#39;\\&#39;&#39;s.txt&#39; --out &#39;a b&#39; "
                "&#39;$(rm)&#39; &#39;&#39; --x=1,2</pre>"),
            std::string::npos);
}

TEST(ResultPage, hostile_words_are_text) {
  const std::string html = html_of(private_topics("</script><script>alert(1)</script>"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(html.find("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
}

TEST(ResultPage, takes_elements_that_hold_nothing) {
  ResultDocument document = invented({});
  document.weights(Vector(), "component").topic_cards(Json::array());
  document.columns("vectors", Matrix(0, 2), {}).curve("movement", Json::array());
  document.spectrum("second_spectrum", {0.5}).component_history(Json::object());
  document.table("rows", "Rows", Json::array()).fact("none", nullptr).detail("list", Json::array());
  document.files({});
  EXPECT_NE(html_of(document).find("</html>"), std::string::npos);
  EXPECT_TRUE(json_of(document)["files"].empty());
}

TEST(ResultPage, a_core_consistency_that_says_nothing_is_not_spelt_out) {
  DecomposeResult result;
  result.found.weights = result.found.agreement = Vector{{1.0}};
  result.cp.emplace();
  result.cp->start_congruence = Vector{{1.0}};
  result.cp->core_consistency = -4.6e14;
  RankTrial good, hopeless;
  good.components = 1;
  good.core_consistency = -99.5;
  hopeless.components = 2;
  hopeless.core_consistency = -3.7e9;
  result.trials = {good, hopeless};
  ResultDocument document = invented({});
  describe(result, document);
  const std::string html = html_of(document);
  for (const char* number : {"-4.6e+14", "-460000000000000.0", "-3.7e+09", "-3700000000.0"}) {
    EXPECT_EQ(html.find(">" + std::string(number) + "<"), std::string::npos) << number;
  }
  EXPECT_NE(html.find(">-99.50<"), std::string::npos);
  const std::string shown = ">below -100<";
  const std::size_t first = html.find(shown);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(html.find(shown, first + 1), std::string::npos);
  const Json json = json_of(document);
  EXPECT_EQ(json["diagnostics"]["core_consistency"], -4.6e14);
  EXPECT_EQ(json["trials"][1]["core_consistency"], -3.7e9);
  const std::string text = to_text(result);
  EXPECT_NE(text.find("core consistency below -100 %"), std::string::npos);
  EXPECT_NE(text.find("-99.5 %"), std::string::npos);
  EXPECT_EQ(text.find("e+"), std::string::npos);
}

TEST(ResultPage, many_topics_of_long_words_fit) {
  constexpr int kMany = 300;
  Json topics = Json::array();
  for (int t = 0; t < kMany; ++t) {
    Json words = Json::array();
    for (int w = 0; w < kMany; ++w) {
      words.push_back({{"word", std::string(200, '&')}, {"probability", 1.0 / (w + 3)}});
    }
    topics.push_back({{"weight", 1.0 / kMany}, {"words", words}});
  }
  ResultDocument document = invented();
  document.weights(Vector::Constant(kMany, 1.0 / kMany), "topic").topic_cards(topics);
  EXPECT_LT(html_of(document).size(), 2'000'000u);
}

}  // namespace
}  // namespace sotto
