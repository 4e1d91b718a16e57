#include "sotto/io/text_fields.h"

#include <gtest/gtest.h>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

TEST(TextFields, a_quoted_field_ends_at_its_own_quote) {
  EXPECT_EQ(field_end("a,b", ","), 1u);
  EXPECT_EQ(field_end("\"a,b\",c", ","), 5u);
  EXPECT_EQ(field_end("\"a \"\"b\"\", c\",d", ","), 12u);
  EXPECT_EQ(field_end("\"\",b", ","), 2u);
  EXPECT_EQ(field_end("\"a \"b\" c\",d", ","), 9u);  // not doubled, as some programs write it
  EXPECT_EQ(field_end("\"a,b", ","), std::string_view::npos);
}

TEST(TextFields, an_open_quote_is_told_from_a_closed_one) {
  for (const char* open : {"a,\"b", "\"a", "x,\"a \"\"b", "x,\"a\"\""}) {
    EXPECT_TRUE(quote_is_open(open, ",")) << open;
  }
  for (const char* closed : {"a,b", "a,\"b\"", "a,\"b \"\"c\"\"\"", "5\",b", "\"\",\"\""}) {
    EXPECT_FALSE(quote_is_open(closed, ",")) << closed;
  }
}

TEST(TextFields, one_separator_is_found_and_two_are_refused) {
  EXPECT_EQ(separator_in("a,b", "f"), ',');
  EXPECT_EQ(separator_in("a;\"b,c\"", "f"), ';');
  EXPECT_EQ(separator_in("a\tb", "f"), '\t');
  EXPECT_EQ(separator_in("1 2 3", "f"), 0);
  EXPECT_ERROR(separator_in("1;2;3,5", "f"), "`separator`");
  EXPECT_EQ(excel_separator("sep=;\r"), ';');
  EXPECT_EQ(excel_separator("\"sep=,\""), ',');
  EXPECT_EQ(excel_separator("sep,a"), 0);
  EXPECT_EQ(first_line_of("sep=;\r\n\n# b\na;b\r\nc;d\n"), "a;b");
  EXPECT_EQ(first_line_of("# only"), "");
}

TEST(TextFields, utf8_is_told_from_other_bytes) {
  for (const char* text :
       {"", "abc", "na\xc3\xafve", "\xe2\x82\xac", "\xf0\x9f\x8d\x8e", "a\xe2\x82"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* text : {"M\xfcnchen", "\xc3(", "\x80", "\xc0\x80", "\xe2\x82z"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(TextFields, other_files_are_named) {
  EXPECT_ERROR(refuse_other_files("\xff\xfe"
                                  "a",
                                  "f"),
               "UTF-16");
  EXPECT_ERROR(refuse_other_files("PK\x03\x04", "f"), "archive");
  EXPECT_ERROR(refuse_other_files("1,2\r3,4\r", "f"), "CR");
  for (const char* text : {"", "1,2", "1,2\r\n", "1,2\r", "a\rb\nc"}) {
    refuse_other_files(text, "f");
  }
}

}  // namespace
}  // namespace sotto
