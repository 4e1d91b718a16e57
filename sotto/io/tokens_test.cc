#include "sotto/io/tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sotto/io/stop_words.h"

namespace sotto {
namespace {

using Strings = std::vector<std::string>;

Strings tokens_of(std::string_view text, bool lower = true) {
  Strings all;
  std::string token;
  for (Tokens tokens(text, lower); tokens.next(token);) all.push_back(token);
  return all;
}

TEST(Tokens, are_runs_of_letters_digits_and_underscores) {
  EXPECT_EQ(tokens_of("  Don't e-mail X2 new_york, (3.5)!"),
            (Strings{"don", "t", "e", "mail", "x2", "new_york", "3", "5"}));
  EXPECT_EQ(tokens_of("Keep Case", false), (Strings{"Keep", "Case"}));
  EXPECT_EQ(tokens_of(""), Strings{});
  EXPECT_EQ(tokens_of(" ,;\t"), Strings{});
}

TEST(Tokens, keep_words_of_other_scripts_whole_and_split_at_their_punctuation) {
  EXPECT_EQ(tokens_of("naïve “ÉCOLE”…ŁÓDŹ—Ÿ «Москва» ΆΛΦΑ 東京、大阪 50€ a\u00a0b \U0001F600ok"),
            (Strings{"naïve", "école", "łódź", "ÿ", "москва", "άλφα", "東京", "大阪", "50", "a",
                     "b", "ok"}));
  EXPECT_EQ(tokens_of("\ufeffstart"), Strings{"start"});
}

TEST(Tokens, take_bytes_that_are_not_utf8_for_separators) {
  EXPECT_EQ(tokens_of("ab\xff"
                      "cd\xc3"),
            (Strings{"ab", "cd"}));
  EXPECT_EQ(tokens_of("a\xc0\x80"
                      "b\xed\xa0\x80"
                      "c\xf4\x90\x80\x80"
                      "d\xe2\x82"),
            (Strings{"a", "b", "c", "d"}));
  EXPECT_EQ(lower_case("A\xff"
                       "B\xc3"),
            "a\xff"
            "b\xc3");
}

TEST(Tokens, count_their_length_in_characters) {
  std::string token;
  Tokens tokens("été ab", true);
  ASSERT_TRUE(tokens.next(token));
  EXPECT_EQ(tokens.length(), 3);
  ASSERT_TRUE(tokens.next(token));
  EXPECT_EQ(tokens.length(), 2);
}

TEST(Tokens, lower_case_maps_each_capital_to_its_small_letter) {
  EXPECT_EQ(lower_case("AZ ÀÖØÞ× ĀĮĲĶĹŇŊŶŸŹŽ ΑΡΣΫ ЀЏАЯѠҊ ԱՖ"),
            "az àöøþ× āįĳķĺňŋŷÿźž αρσϋ ѐџаяѡҋ աֆ");
  const std::string small = "az àöøþÿ āįĳķĺňŋŷźž αρσϋ ѐџаяѡҋ աֆ ß ĸ ŉ ſ 東 _09";
  EXPECT_EQ(lower_case(small), small);
}

TEST(StopWords, are_sorted_lower_case_tokens) {
  const auto words = english_stop_words();
  EXPECT_GT(words.size(), 250u);
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
  for (const std::string_view word : words) EXPECT_EQ(tokens_of(word), Strings{std::string(word)});
}

}  // namespace
}  // namespace sotto
