#include "sotto/report/result_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

namespace sotto {
namespace {

Json private_topics(const std::string& word) {
  Json result = Json::parse(R"json({"command": "topics", "version": "0.1.0",
      "arguments": ["my corpus.txt", "-k", "2", "--epsilon", "1"],
      "options": {"topics": 2, "epsilon": 1.0, "vocab": null, "lambda": [0.5, 0.25]},
      "input": {"documents": 12345, "words": 7},
      "privacy": {"accountant": "GDP (exact)", "delta": 1e-06, "epsilon": 0.99999123,
        "guarantee": "proved", "neighbours": "one document replaced by another",
        "public": ["the number of documents", "all options"], "unit": "one document",
        "why": "epsilon follows from the releases",
        "releases": [{"what": "first moment", "mechanism": "gaussian", "sensitivity": 0.00035355,
          "noise": 0.0024937, "count": 1, "values": 300, "cost": {"mu": 0.14177589}},
          {"what": "bound", "mechanism": "exponential", "sensitivity": 1.0, "noise": 2.5,
          "count": 3, "values": 1, "parallel": 1, "cost": {"epsilon": 0.125}, "note": "a note"}]},
      "weights": [0.6180339887, 0.3819660113],
      "diagnostics": {"mechanism": "pairs", "core_words": 41,
        "second_spectrum": [0.71, 0.29], "log_likelihood": [-3.5, -3.25, -3.125],
        "conditions": [{"what": "gap", "value": 0.51, "limit": 0.52, "met": false}],
        "history": {"component": [0, 0, 1], "iteration": [1, 2, 1],
                    "change": [1.4, 1.3e-9, 0.77]}},
      "exposes": "inferred.npy shows others", "evaluation": {"diversity": 0.86, "npmi_by_topic": [0.11, 0.12]},
      "odd": {"nested": {"value": 99.5}, "none": null}, "files": ["topics.npy"]
})json");
  result["topics"] = Json::parse(R"([{"weight": 0.6180339887, "words": [{"probability": 0.1875}]},
      {"weight": 0.3819660113, "words": [{"word": "b", "probability": 0.0625}]}])");
  result["topics"][0]["words"][0]["word"] = word;
  return result;
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

TEST(ResultPage, shows_the_numbers_of_the_result_and_no_others) {
  const Json result = private_topics("a");
  std::set<double> known;
  collect(result, known);
  std::set<double> shown = numbers_on(render(result_page(result)));
  for (const double x : shown) {
    // Positions in a list are counted on the axis of a curve.
    EXPECT_TRUE(known.contains(x) || x == 3) << x;
  }
  for (const double x :
       {12345.0, 0.99999123, 1e-6, 0.00035355, 0.0024937, 0.14177589, 0.125, 0.6180339887,
        0.3819660113, 0.1875, 0.0625, 41.0, 0.71, -3.25, 0.51, 1.3e-9, 0.86, 0.11, 99.5}) {
    EXPECT_TRUE(shown.contains(x)) << x;
  }
}

TEST(ResultPage, certificate_stands_in_plain_words) {
  const std::string html = render(result_page(private_topics("a")));
  for (const char* text :
       {"class=\"notice good\"", "Differentially private with epsilon ", ">1</data>",
        "one document", "one document replaced by another", "the number of documents; all options",
        "The guarantee is proved", "first moment", "Cost, mu", "Cost, epsilon", "a note",
        "Rows of one group read different records"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
}

TEST(ResultPage, epsilon_is_never_shown_smaller_than_it_is) {
  Json result = private_topics("a");
  result["privacy"]["epsilon"] = 1.00001;
  EXPECT_NE(
      render(result_page(result)).find("<data value=\"1.00001\" title=\"1.00001\">1.0001</data>"),
      std::string::npos);
}

TEST(ResultPage, says_when_epsilon_promises_little) {
  Json result = private_topics("a");
  EXPECT_EQ(render(result_page(result)).find("promises little"), std::string::npos);
  result["privacy"]["epsilon"] = 40;
  EXPECT_NE(render(result_page(result)).find("promises little"), std::string::npos);
}

TEST(ResultPage, says_when_there_is_no_guarantee) {
  Json result = private_topics("a");
  result["privacy"]["guarantee"] = "none";
  result["privacy"]["why"] = "the seed is known";
  result["privacy"]["epsilon"] = nullptr;
  result["privacy"]["claimed"] = {{"epsilon", 0.25}, {"delta", 0.0}};
  const std::string html = render(result_page(result));
  EXPECT_NE(html.find("notice bad"), std::string::npos);
  EXPECT_NE(html.find("No privacy guarantee: the seed is known."), std::string::npos);
  EXPECT_NE(html.find("published analysis of this method claims epsilon <data value=\"0.25\""),
            std::string::npos);
  EXPECT_EQ(html.find("is proved"), std::string::npos);

  result["privacy"] = nullptr;
  EXPECT_NE(render(result_page(result)).find("Not private."), std::string::npos);
  result["input"] = Json::object();
  EXPECT_NE(render(result_page(result)).find("no data was read"), std::string::npos);
}

TEST(ResultPage, command_line_is_quoted_for_a_shell) {
  Json result = private_topics("a");
  result["arguments"] = {"it's.txt", "--out", "a b", "$(rm)", "", "--x=1,2"};
  EXPECT_NE(render(result_page(result))
                .find("<pre>sotto topics &#39;it&#39;\\&#39;&#39;s.txt&#39; --out &#39;a b&#39; "
                      "&#39;$(rm)&#39; &#39;&#39; --x=1,2</pre>"),
            std::string::npos);
}

TEST(ResultPage, hostile_words_are_text) {
  const std::string word = "</script><script>alert(1)</script>";
  const std::string html = render(result_page(private_topics(word)));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(html.find("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
}

TEST(ResultPage, takes_results_of_any_form) {
  for (const char* text :
       {"{}", "null", R"({"command": 3, "weights": [], "topics": [], "diagnostics": []})",
        R"({"topics": [{}], "weights": [1], "privacy": {}, "input": null, "options": []})",
        R"({"weights": ["a"], "topics": [{"words": [{}]}], "largest_entries": {"v": [{}]}})",
        R"({"diagnostics": {"history": {"component": [0], "iteration": [], "change": [1, 2]}}})",
        R"({"diagnostics": {"history": {"train_rmse": [1], "odd": [2, 3], "text": "x"}}})",
        R"({"privacy": {"releases": [{"cost": 3}], "public": [], "claimed": {}}})",
        R"({"largest_entries": [1, 2], "evaluation": [1], "files": 7, "arguments": [1]})",
        R"({"topics": [{"words": 5}], "privacy": {"epsilon": "x", "public": 4, "releases": 1}})"}) {
    EXPECT_NE(render(result_page(Json::parse(text))).find("</html>"), std::string::npos) << text;
  }
}

TEST(ResultPage, many_topics_of_long_words_fit) {
  Json result = private_topics("a");
  result["topics"] = Json::array();
  result["weights"] = Json::array();
  for (int t = 0; t < 300; ++t) {
    Json words = Json::array();
    for (int w = 0; w < 300; ++w) {
      words.push_back({{"word", std::string(200, '&')}, {"probability", 1.0 / (w + 3)}});
    }
    result["topics"].push_back({{"weight", 1.0 / 300}, {"words", words}});
    result["weights"].push_back(1.0 / 300);
  }
  EXPECT_LT(render(result_page(result)).size(), 2'000'000u);
}

}  // namespace
}  // namespace sotto
