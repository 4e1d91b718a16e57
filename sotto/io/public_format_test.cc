#include "sotto/io/public_format.h"

#include <gtest/gtest.h>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

TEST(PublicFormat, the_name_tells_it) {
  const std::pair<const char*, const char*> cases[] = {{"a.npy", "npy"},
                                                       {"b/a.TNS", "tns"},
                                                       {"a.mtx.gz", "mm"},
                                                       {"a.mm", "mm"},
                                                       {"a.svm", "svmlight"},
                                                       {"a.svmlight", "svmlight"},
                                                       {"a.libsvm", "svmlight"},
                                                       {"a.ldac", "lda-c"},
                                                       {"a.lda-c", "lda-c"},
                                                       {"a.lda", "lda-c"},
                                                       {"a.csv.gz", "csv"},
                                                       {"a.tsv", "tsv"},
                                                       {"news.txt", "text"},
                                                       {"docword.txt", "uci"},
                                                       {"x/docword.kos.txt.gz", "uci"},
                                                       {"docword/x.txt", "text"},
                                                       {"a.raw", "raw"},
                                                       {"a.f4", "raw"},
                                                       {"a.f8", "raw"},
                                                       {"ml/u.data", "u.data"},
                                                       {"ratings.dat", "movielens"},
                                                       {"-", ""},
                                                       {"csv", ""},
                                                       {"folder.csv/points", ""},
                                                       {"a.gz", ""},
                                                       {"/dev/stdin", ""},
                                                       {"a.json", ""}};
  for (const auto& [path, format] : cases) EXPECT_EQ(format_by_name(path), format) << path;
  EXPECT_TRUE(is_named_f4("a/b.f4.gz"));
  EXPECT_FALSE(is_named_f4("f4"));
}

TEST(PublicFormat, the_content_is_looked_at_for_a_mark_alone) {
  const TemporaryFolder folder;
  constexpr std::string_view reads[] = {"npy", "csv", "mm", "svmlight"};
  const auto found = [&](const std::string& name, std::string_view bytes) {
    put(folder / name, bytes);
    ByteSource source(folder / name);
    return public_format(folder / name, source, reads);
  };
  EXPECT_EQ(found("a.csv", "\x93NUMPY"), "csv");  // a name that tells is not second-guessed
  EXPECT_EQ(found("a", "\x93NUMPY\1"), "npy");
  std::string first;
  for (const char* text :
       {"", "1 1:2\n", "2 1:2 3:1\n", "1,2\n", "secret", "%%MatrixMarket matrix"}) {
    const std::string said = error_of([&] { found("a.txt", text); });
    EXPECT_PRED2(mentions, said, "`format`: is needed");
    if (first.empty()) first = said;
    EXPECT_EQ(said, first);
  }
}

}  // namespace
}  // namespace sotto
