#include "sotto/io/table_documents.h"

#include <gtest/gtest.h>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

using Texts = std::vector<std::string>;

class TableDocumentsTest : public ::testing::Test {
 protected:
  Texts read(const std::string& text) {
    put(folder_ / "t.csv", text);
    ByteSource bytes(folder_ / "t.csv");
    TableDocuments table(bytes, rules_);
    Texts texts;
    for (std::string_view one; table.next(one);) texts.emplace_back(one);
    ids_ = table.take_ids();
    return texts;
  }

  TemporaryFolder folder_;
  TableRules rules_{',', {}, "text", "", false};
  Texts ids_;
};

TEST_F(TableDocumentsTest, quoted_texts_may_hold_anything) {
  rules_.id_column = "id";
  EXPECT_EQ(read("id,text\r\n1,plain\r\n2,\"a, b\"\r\n3,\"two\r\nlines \"\"so\"\"\"\r\n4,\"\"\r\n"),
            (Texts{"plain", "a, b", "two lines \"so\"", ""}));
  EXPECT_EQ(ids_, (Texts{"1", "2", "3", "4"}));
}

TEST_F(TableDocumentsTest, a_column_may_have_a_number) {
  rules_.text_column = "2";
  EXPECT_ERROR(read("a,b\n"), "`header`");
  rules_.header = false;
  EXPECT_EQ(read("1,x\n2,y"), (Texts{"x", "y"}));
  rules_.header = true;
  EXPECT_EQ(read("id,text\n1,x\n\n2,y\n"), (Texts{"x", "y"}));
  rules_.text_column = "3";
  EXPECT_ERROR(read("id,text\n1,x\n"), "no column 3");
  rules_.text_column = "body";
  EXPECT_ERROR(read("id,text\n1,x\n"), "no column body");
  rules_.header = false;
  EXPECT_ERROR(read("id,text\n1,x\n"), "`header`");
}

TEST_F(TableDocumentsTest, one_column_may_have_blank_documents) {
  EXPECT_EQ(read("text\na b\n\nc\n"), (Texts{"a b", "", "c"}));
}

TEST_F(TableDocumentsTest, malformed_records_are_refused) {
  EXPECT_ERROR(read("id,text\n1,a,b\n"), ":2: has 3 fields");
  EXPECT_ERROR(read("id,text\n1,\"a\n2,b\n"), ":2: the quote");
  EXPECT_ERROR(read("id,text\n1,\"a\" b\n"), ":2: text follows");
  rules_.is_private = true;
  EXPECT_ERROR(read("id,text\n1,a\n\n2,b\n"), ":3: is blank");
  rules_.header = false;
  rules_.text_column = "2";
  EXPECT_ERROR(read("1,a\n"), "`header`");
}

}  // namespace
}  // namespace sotto
