#include "sotto/tasks/document_files.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/io/public_format.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/text_files.h"
#include "sotto/moments/document_sums.h"
#include "sotto/release/private_shard.h"
#include "sotto/tasks/declare.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {
namespace {

constexpr std::string_view kFilesMark = "sotto text files";
constexpr const char* kAltered = "a question to a shard was altered on its way";

// A question to those who read the documents from files: how many there are in each range of them,
// or, when that is known, one about the documents. Zeros behind the counts make it, and the answer,
// as long for files of any size: how long they are is printed. The question about the documents
// has a checksum of its own, and follows these bytes as it is: it may have many megabytes.
struct FilesQuestion {
  Index shards = 1;
  Index ranges = 0;
  std::vector<Index> counts;  // empty: the shards are asked for them

  std::string bytes(const std::string& about_documents = "") const {
    ByteWriter bytes;
    write_mark(kFilesMark, bytes);
    bytes.integer(shards);
    bytes.integer(ranges);
    bytes.integer(std::ssize(counts));
    for (const Index count : counts) bytes.integer(count);
    const std::string files = std::move(bytes).sealed();
    const std::uint64_t length = files.size();
    std::string whole;
    whole.reserve(sizeof length + files.size() + about_documents.size());
    whole.append(reinterpret_cast<const char*>(&length), sizeof length);
    return whole.append(files).append(about_documents);
  }

  // And the question about the documents, which stays in the text.
  static std::pair<FilesQuestion, std::string_view> read(std::string_view text) {
    std::uint64_t length = 0;
    require_whole(text.size() >= sizeof length, kAltered);
    std::memcpy(&length, text.data(), sizeof length);
    text.remove_prefix(sizeof length);
    require_whole(length <= text.size(), kAltered);
    ByteReader bytes(text.substr(0, length), "a question to a shard");
    require_mark(kFilesMark, bytes);
    FilesQuestion question;
    question.shards = bytes.integer();
    question.ranges = bytes.integer();
    for (Index left = bytes.integer(); left > 0; --left) question.counts.push_back(bytes.integer());
    bytes.require_end();
    return {std::move(question), text.substr(length)};
  }
};

TextFiles text_files(const std::vector<std::string>& paths, const CorpusFileOptions& file) {
  return TextFiles(paths, has_header_line(file), packing_of(file.records_are_private));
}

// The documents of one shard, from the files.
class FileShard {
 public:
  FileShard(std::vector<std::string> paths, CorpusFileOptions file,
            std::function<void()> before_piece)
      : paths_(std::move(paths)), file_(std::move(file)), before_(std::move(before_piece)) {}

  std::string answer(const std::string& text, Index shard) {
    return answer_or_error([&] {
      const auto [question, about_documents] = FilesQuestion::read(text);
      if (question.counts.empty()) return counted(question, shard);
      if (!answers_ || question.counts != counts_) read(question, shard);
      return answers_(about_documents);
    });
  }

 private:
  // A part with the counts of this shard's ranges, and zeros for the others.
  std::string counted(const FilesQuestion& question, Index shard) const {
    const TextFiles files = text_files(paths_, file_);
    const Index ranges = files.ranges();
    require_same_size(question, ranges, shard);
    RowMatrix counts = RowMatrix::Zero(files.most_ranges(), 1);
    const Index first = ranges * shard / question.shards;
    const Index last = ranges * (shard + 1) / question.shards;
    for (Index range = first; range < last; ++range) {
      if (before_) before_();
      counts(range, 0) = static_cast<double>(files.count(range));
    }
    ShardAnswer answer;
    answer.question = 0;
    answer.part.emplace(files.most_ranges(), 1, question.shards);
    answer.part->add(shard, std::move(counts));
    return answer.bytes();
  }

  void require_same_size(const FilesQuestion& question, Index ranges, Index shard) const {
    SOTTO_REQUIRE_AT(ranges == question.ranges, paths_.front(),
                     "and the files behind it have another size for rank {} than for rank 0: give "
                     "all ranks the same files",
                     shard);
  }

  void read(const FilesQuestion& question, Index shard) {
    Index documents = 0;
    for (const Index count : question.counts) documents += count;
    const auto [begin, end] = pieces_of_shard(document_pieces(documents), shard, question.shards);
    const Index first = begin * kPieceDocuments;
    const Index last = std::min(end * kPieceDocuments, documents);
    const TextFiles files = text_files(paths_, file_);
    require_same_size(question, files.ranges(), shard);
    answers_ =
        document_answers(declared(read_text_range(files, question.counts, first, last, file_),
                                  file_.records_are_private, "the documents"),
                         first, last, before_);
    counts_ = question.counts;
  }

  std::vector<std::string> paths_;
  CorpusFileOptions file_;
  std::function<void()> before_;
  AnswerDocuments answers_;
  std::vector<Index> counts_;
};

std::vector<Index> count_documents(Shards& shards, const AnswerQuestion& own,
                                   const TextFiles& files) {
  const FilesQuestion question{shards.count(), files.ranges(), {}};
  const auto answer = ShardAnswer::of(shards.ask(question.bytes(), own), 0);
  require_whole(
      answer.part && answer.part->rows() == files.most_ranges() && answer.part->cols() == 1,
      "the parts of the shards are not those of this question");
  const RowMatrix sum = answer.part->total(shards.count());
  std::vector<Index> counts;
  for (Index range = 0; range < files.most_ranges(); ++range) {
    counts.push_back(static_cast<Index>(sum(range, 0)));
  }
  return counts;
}

std::vector<std::string> ordered_words(const PartialWords& found, WordOrder order,
                                       std::int64_t min_df) {
  std::vector<std::pair<std::int64_t, std::string>> placed;
  for (const auto& [word, count] : found.words()) {
    const std::int64_t place = order == WordOrder::by_frequency ? -count.tokens : 0;
    if (count.documents >= min_df) placed.emplace_back(place, word);
  }
  std::sort(placed.begin(), placed.end());
  std::vector<std::string> words;
  words.reserve(placed.size());
  for (auto& [place, word] : placed) words.push_back(std::move(word));
  return words;
}

}  // namespace

AnswerDocuments document_answers(Input<Corpus> held, Index first, Index end,
                                 std::function<void()> before_piece) {
  if (!held.is_public()) {
    return private_document_answers(std::move(held).sensitive(), first, end,
                                    std::move(before_piece));
  }
  const auto documents = std::make_shared<HeldDocuments>(
      std::make_shared<const Corpus>(std::move(held).open()), first, end);
  return [documents, before = std::move(before_piece)](std::string_view question) {
    return answer_or_error([&] { return answer_document_question(*documents, question, before); });
  };
}

AnswerQuestion document_file_answers(const std::vector<std::string>& paths, CorpusFileOptions file,
                                     bool is_private, std::function<void()> before_piece) {
  file.records_are_private = is_private;
  const auto shard = std::make_shared<FileShard>(paths, std::move(file), std::move(before_piece));
  return [shard](const std::string& question, Index number) {
    return shard->answer(question, number);
  };
}

void find_vocabulary(DocumentSource& documents, WordOrder order, std::int64_t min_df) {
  std::vector<std::string> found = ordered_words(documents.count_words(0), order, min_df);
  SOTTO_REQUIRE_AT(!found.empty(), min_df > 1 ? "`min-df`" : "", "{}",
                   min_df > 1 ? fmt::format("no word is in {} documents or more", min_df)
                              : "the documents have no words");
  documents.set_vocabulary(std::move(found), false);
}

Documents asked_documents(AskedDocuments::Ask ask, Index documents, const CorpusFileOptions& file) {
  DocumentWords words;
  if (!file.vocab.empty()) {
    words.names = read_vocabulary(file.vocab);
    words.size = std::ssize(words.names);
    words.is_declared = true;
  }
  auto asked = std::make_unique<AskedDocuments>(std::move(ask), documents, words);
  if (file.records_are_private) return asked;
  if (!words.is_declared) {
    find_vocabulary(*asked, WordOrder::by_frequency, file.min_df);
  } else if (file.min_df > 1) {
    const RowMatrix counts = word_frequencies(*asked);
    std::vector<std::string> kept;
    for (Index w = 0; w < words.size; ++w) {
      if (counts(w, 1) >= static_cast<double>(file.min_df)) {
        kept.push_back(words.names[static_cast<std::size_t>(w)]);
      }
    }
    SOTTO_REQUIRE_AT(!kept.empty(), "`min-df`", "no word is in {} documents or more", file.min_df);
    asked->set_vocabulary(std::move(kept), false);
  }
  return asked;
}

Input<Documents> sharded_documents(const std::vector<std::string>& paths, CorpusFileOptions file,
                                   bool is_private, Shards& shards) {
  file.records_are_private = is_private;
  for (const std::string& path : paths) {
    const CorpusFormat format = corpus_format(path, file);
    SOTTO_REQUIRE_AT(format == CorpusFormat::text, path,
                     "is {} and cannot be shared out among ranks: give plain text, one document a "
                     "line",
                     name_of(format));
  }
  const TextFiles files = text_files(paths, file);
  const AnswerQuestion own =
      document_file_answers(paths, file, is_private, [&shards] { shards.require_all(); });
  const std::vector<Index> counts = count_documents(shards, own, files);
  check_first_lines(files, counts, file);
  Index documents = 0;
  for (const Index count : counts) documents += count;
  const auto ask = [&shards, own, counts, ranges = files.ranges()](const std::string& about) {
    return shards.ask(FilesQuestion{shards.count(), ranges, counts}.bytes(about), own);
  };
  Input<Documents> input = declared(Sensitive<Documents>(asked_documents(ask, documents, file)),
                                    is_private, "the documents");
  input.add_public_fact(format_fact(name_of(CorpusFormat::text)));
  return input;
}

}  // namespace sotto
