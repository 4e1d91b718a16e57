// The readers of data: every format, as a public and as a private run reads it.
#include "sotto/base/enum_names.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/read_points.h"
#include "sotto/io/read_ratings.h"
#include "sotto/io/read_tensor.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {
namespace {

template <class T>
T opened(Sensitive<T> data) {
  return std::move(data).open(PublicDeclaration("made by a test"));
}

// One of the formats, or automatic, and whether the records are private.
template <class Options>
void choose(std::string_view& bytes, Options& options) {
  const auto names = enum_names(decltype(options.format){});
  const std::size_t choice = take_choice(bytes, 2 * names.size());
  options.format = names[choice / 2].value;
  options.records_are_private = choice % 2 == 1;
}

void tensor(std::string_view bytes) {
  ReadTensorOptions options;
  choose(bytes, options);
  const BytesInFile file(bytes);
  (void)opened(read_tensor(file.path(), options));
}

void corpus(std::string_view bytes) {
  CorpusFileOptions options;
  choose(bytes, options);
  options.text_column = "2";
  if (options.format != CorpusFormat::csv && options.format != CorpusFormat::tsv) {
    options.text_column.clear();
  }
  const BytesInFile file(bytes);
  (void)opened(read_corpus(file.path(), options));
}

void points(std::string_view bytes) {
  PointFileOptions options;
  choose(bytes, options);
  if (options.format == PointFormat::raw || options.records_are_private) options.dim = 3;
  if (options.records_are_private) options.header = HeaderLine::no;
  const BytesInFile file(bytes);
  const Points source = opened(open_points(file.path(), options));
  PointBlock block;
  // A dimension that is claimed is no reason to hold a thousand records of it.
  const Index rows = std::max<Index>(1, (Index{1} << 16) / source->dim());
  while (source->read(rows, block) > 0) {
  }
  if (source->can_rewind()) source->rewind();
}

void ratings(std::string_view bytes) {
  RatingFileOptions options;
  choose(bytes, options);
  options.time_mode = take_choice(bytes, 2) == 0 ? TimeMode::none : TimeMode::week;
  const BytesInFile file(bytes);
  const Ratings first = opened(read_ratings(file.path(), options));
  (void)opened(read_more_ratings(file.path(), options, first));
}

const std::string kNpy = [] {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }";
  header += std::string(64 - 10 - header.size() % 64 + 63, ' ');
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header +
         std::string(64, '\x3f');
}();

// Each text behind every choice of format.
std::vector<std::string> behind_choices(const std::vector<std::string>& texts, int choices) {
  std::vector<std::string> seeds;
  for (const std::string& text : texts) {
    for (int n = 0; n < choices; ++n) seeds.push_back(std::string(1, static_cast<char>(n)) + text);
  }
  return seeds;
}

}  // namespace

std::vector<Target> reader_targets() {
  const std::string tns = "# a tensor\n1 1 1 2.5\n1 2 1 -1e3\n2 2 2 4\n";
  const std::string toolbox = "sptensor\n3\n2 2 2\n2\n1 1 1 2.5\n2 2 1 7\n";
  const std::string uci = "3\n4\n4\n1 1 2\n1 2 1\n2 3 1\n3 4 5\n";
  const std::string mm =
      "%%MatrixMarket matrix coordinate integer general\n% x\n2 3 2\n1 1 1\n2 3 4\n";
  const std::string lda = "2 0:1 3:2\n1 2:1\n0\n", svm = "1 qid:3 1:0.5 4:2 # c\n-1 2:1\n";
  const std::string csv =
      "\xef\xbb\xbf"
      "a;b;c\n1,5;2;\"3\"\n4;5;6\n";
  const std::string numbers = "1,2,3\n4,5,6\n0.5,1e-3,-7\n";
  const std::string rated =
      "userId,movieId,rating,timestamp\n7,31,2.5,964982703\n8,\"a \"\"b\"\"\",3,0\n";
  const std::string lens = "7::31::2.5::964982703\n7::9::3::1\n",
                    data = "7\t31\t2\t9\n8\t9\t3\t1\n";
  const std::string text = "the cat sat\non the mat\n\n12 mats\n",
                    dated = "u,i,2,2020-02-20\nv,i,3,2020-03-01T10:00\n";
  return {{"tensor", tensor, behind_choices({tns, toolbox, kNpy}, 6)},
          {"corpus", corpus, behind_choices({uci, mm, lda, svm, csv, text}, 16)},
          {"points", points, behind_choices({numbers, csv, uci, lda, svm, kNpy}, 18)},
          {"ratings", ratings, behind_choices({rated, lens, data, tns, toolbox, dated, kNpy}, 14)}};
}

}  // namespace sotto::fuzz
