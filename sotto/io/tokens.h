// The words of plain text.
//
// A token is a longest run of letters, digits and underscores. The text is UTF-8: every character
// beyond ASCII counts as a letter, except those of the punctuation, symbol, space, emoji and
// private-use blocks; bytes that are not UTF-8 separate words. So "don't" gives don and t, "e-mail"
// e and mail, "naïve" and "Москва" one token each; a language written without blanks gives one
// token a phrase.
// Lower-casing covers Latin (to U+017F), Greek, Cyrillic and Armenian, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace sotto {

class Tokens {
 public:
  Tokens(std::string_view text, bool lower) : rest_(text), lower_(lower) {}
  // False after the last one.
  bool next(std::string& token);
  // The length of the token last returned, in characters.
  int length() const { return length_; }

 private:
  std::string_view rest_;
  bool lower_;
  int length_ = 0;
};

// All of the text in lower case; bytes that are not UTF-8 stay.
std::string lower_case(std::string_view text);

}  // namespace sotto
