// Records that an engine such as Spark or Dask holds in partitions (sotto/tensor/sharded_points.h).
//
// The coordinator's questions leave through a Python function and come back as answers. In a
// worker, answer_points() and HeldPartition turn a question into the part of one partition. Both
// are bytes.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/bind.h"
#include "python/bindings/data.h"
#include "python/bindings/points.h"
#include "sotto/base/error.h"
#include "sotto/io/corpus_words.h"
#include "sotto/io/text_corpus.h"
#include "sotto/tasks/document_files.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/shard_input.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto::python {
namespace {

constexpr const char* kRecords = "X";

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// Arrays one after the other, whose first record has the number `first` of all.
class HeldPoints final : public PointSource {
 public:
  HeldPoints(const std::vector<Rows>& arrays, Index first, Index dim)
      : PointSource(first), first_(first), next_(first), dim_(dim) {
    for (const Rows& array : arrays) {
      SOTTO_REQUIRE_AT(static_cast<Index>(array.shape(1)) == dim, kRecords,
                       "has a partition with {} columns, another has {}", array.shape(1), dim);
      runs_.push_back({array.data(), static_cast<Index>(array.shape(0))});
      held_ += runs_.back().rows;
    }
  }

  Index dim() const override { return dim_; }
  std::string name() const override { return kRecords; }
  std::optional<Index> records() const override { return first_ + held_; }
  bool has_random_access() const override { return true; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, first_ + held_ - next_);
    block.is_sparse = false;
    block.dense.resize(rows, dim_);
    Index skip = next_ - first_, filled = 0;
    for (const Run& run : runs_) {
      const Index begin = std::min(skip, run.rows);
      const Index count = std::min(run.rows - begin, rows - filled);
      std::copy_n(run.values + begin * dim_, count * dim_, block.dense.data() + filled * dim_);
      skip -= begin;
      filled += count;
    }
    next_ += rows;
    return rows;
  }
  void move_to(Index record) override {
    SOTTO_REQUIRE(record >= first_, "record {} is in another partition", record);
    next_ = record;
  }

 private:
  struct Run {
    const double* values;
    Index rows;
  };

  std::vector<Run> runs_;
  Index first_, next_, dim_, held_ = 0;
};

// `records`: those of the partition, then the first ones of the partitions behind it.
nb::bytes answer_points(const nb::bytes& question, const std::vector<Rows>& records, Index first,
                        bool sensitive) {
  SOTTO_REQUIRE(!records.empty(), "a partition has an array, which may be empty");
  const OwnRecords own{first, first + static_cast<Index>(records.front().shape(0))};
  const std::string asked = text_of(question);
  std::string answer;
  {
    const nb::gil_scoped_release free;
    Points held =
        std::make_unique<HeldPoints>(records, first, static_cast<Index>(records.front().shape(1)));
    answer = points_answer(sensitive ? sensitive_input(std::move(held))
                                     : public_input(std::move(held), "records of a public fit"),
                           own, asked);
  }
  return bytes_of(answer);
}

nb::bytes join_answers(const nb::bytes& first, const nb::bytes& second) {
  const std::string one = text_of(first), other = text_of(second);
  return bytes_of(joined_answers(one, other));
}

// `ask(question, reach)` returns the joined answers of all partitions.
PointInput remote_points(nb::object ask, Index dim, Index records, bool again) {
  const nb::handle function = ask;
  const auto carry = [function](const std::string& question, Index reach) {
    const nb::gil_scoped_acquire lock;
    return text_of(nb::cast<nb::bytes>(function(bytes_of(question), reach)));
  };
  return {std::make_unique<RemotePoints>(carry, kRecords, dim, records, again), {std::move(ask)}};
}

// ---- documents ----

// Documents one after the other. Words with names are numbered by frequency, so that the result
// does not depend on how the documents were cut.
Corpus joined_documents(const std::vector<Corpus*>& parts) {
  SOTTO_REQUIRE(!parts.empty(), "a partition has documents, or an empty list of them");
  Corpus whole = *parts.front();
  for (std::size_t n = 1; n < parts.size(); ++n) append_documents(*parts[n], kRecords, whole);
  return whole.vocabulary.empty() ? whole : by_frequency(std::move(whole));
}

template <class T>
nb::bytes raw_bytes(const std::vector<T>& values) {
  return nb::bytes(values.data(), values.size() * sizeof(T));
}

// begin, words, counts, names of the words: what corpus_of_rows() takes.
nb::tuple rows_of_documents(const Corpus& corpus) {
  return nb::make_tuple(raw_bytes(corpus.begin), raw_bytes(corpus.word), raw_bytes(corpus.count),
                        corpus.vocabulary);
}

// The documents of a partition, followed by the first ones of those behind it: cut into pieces, and
// with what the last expectation step has found, for as long as a worker keeps it.
class HeldPartition {
 public:
  HeldPartition(const std::vector<Corpus*>& held, Index first, bool sensitive) {
    Corpus whole = joined_documents(held);
    entries_ = whole.entries();
    const Index end = first + held.front()->documents();
    answers_ =
        document_answers(sensitive ? sensitive_input(std::move(whole))
                                   : public_input(std::move(whole), "documents of a public fit"),
                         first, end);
  }

  std::int64_t entries() const { return entries_; }
  nb::bytes answer(const nb::bytes& question) {
    const std::string asked = text_of(question);
    std::string answer;
    {
      const nb::gil_scoped_release free;
      answer = answers_(asked);
    }
    return bytes_of(answer);
  }

 private:
  std::int64_t entries_ = 0;
  AnswerDocuments answers_;
};

// `ask(question, reach)` returns the joined answers of all partitions. Without a vocabulary the
// words of public documents are those that are found.
RemoteDocuments remote_documents(nb::object ask, Index documents,
                                 std::vector<std::string> vocabulary, bool sensitive,
                                 bool words_by_text) {
  const nb::handle function = ask;
  const auto carry = [function](const std::string& question) {
    const nb::gil_scoped_acquire lock;
    return text_of(nb::cast<nb::bytes>(function(bytes_of(question), kPieceDocuments - 1)));
  };
  const bool declared = !vocabulary.empty();
  const Index size = std::ssize(vocabulary);
  auto asked = std::make_unique<AskedDocuments>(
      carry, documents, DocumentWords{size, std::move(vocabulary), declared});
  if (!sensitive && !declared) {
    find_vocabulary(*asked, words_by_text ? WordOrder::by_text : WordOrder::by_frequency);
  }
  return {std::move(asked), std::move(ask)};
}

}  // namespace

void bind_partitions(nb::module_& m) {
  m.def("remote_points", remote_points);
  m.def("answer_points", answer_points);
  m.def("join_answers", join_answers);
  m.def("remote_documents", remote_documents);
  m.def("joined_documents", joined_documents);
  m.def("rows_of_documents", rows_of_documents);
  nb::class_<HeldPartition>(m, "HeldPartition")
      .def(nb::init<const std::vector<Corpus*>&, Index, bool>())
      .def_prop_ro("entries", &HeldPartition::entries)
      .def("answer", &HeldPartition::answer);
}

}  // namespace sotto::python
