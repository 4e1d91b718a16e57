#include "python/bindings/data.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/stop_words.h"
#include "sotto/io/text_corpus.h"

namespace sotto::python {

Corpus corpus_of_rows(const Flat<std::int64_t>& begin, const Flat<std::int32_t>& word,
                      const Flat<std::int32_t>& count, Index words,
                      std::vector<std::string> vocabulary, bool declared) {
  Corpus corpus;
  corpus.vocabulary_size = words;
  corpus.begin = to_vector(begin);
  corpus.word = to_vector(word);
  corpus.count = to_vector(count);
  corpus.vocabulary = std::move(vocabulary);
  corpus.vocabulary_is_declared = declared;
  return corpus;
}

Corpus corpus_of_texts(nb::handle texts, const std::vector<std::string>& vocabulary,
                       bool without_stop_words, std::int64_t min_length, bool keep_case) {
  TextRules rules{!keep_case, min_length, {}};
  if (without_stop_words) {
    rules.stop_words.assign(english_stop_words().begin(), english_stop_words().end());
  }
  nb::iterator next = nb::iter(texts);
  nb::object held;
  Corpus corpus = read_text_corpus(
      [&](std::string_view& text) {
        if (next == nb::iterator::sentinel()) return false;
        held = nb::borrow(*next);
        ++next;
        Py_ssize_t size = 0;
        const char* begin = PyUnicode_AsUTF8AndSize(held.ptr(), &size);
        if (begin == nullptr) throw nb::python_error();
        text = {begin, static_cast<std::size_t>(size)};
        return true;
      },
      vocabulary, rules);
  corpus.vocabulary_is_declared = !vocabulary.empty();
  return corpus;
}

AnyTensor tensor_of_array(const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& array) {
  std::vector<Index> dims;
  for (std::size_t m = 0; m < array.ndim(); ++m) dims.push_back(static_cast<Index>(array.shape(m)));
  return DenseTensor(std::move(dims), AlignedValues(array.data(), array.data() + array.size()));
}

AnyTensor tensor_of_places(
    const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& index,
    const Flat<double>& value, std::vector<Index> dims, bool sum_repeated) {
  SOTTO_REQUIRE(index.shape(0) == value.size() && index.shape(1) == dims.size(),
                "a place of {} numbers is needed for each of {} values", dims.size(), value.size());
  return SparseTensor(std::move(dims), {index.data(), index.data() + index.size()},
                      to_vector(value), sum_repeated ? Duplicates::sum : Duplicates::refuse);
}

Ratings ratings_of_columns(const std::vector<RatingColumn>& columns, const Flat<double>& value) {
  Ratings ratings;
  ratings.path = "X";
  ratings.user_column = "the column " + columns[0].name;
  ratings.value_column = "y";
  const std::size_t order = std::max<std::size_t>(columns.size(), kMinObservedOrder);
  ratings.entries = ObservedEntries(std::vector<Index>(order, 1));
  ratings.entries.value = to_vector(value);
  for (std::size_t m = 0; m < order; ++m) {
    RatingMode mode{m < columns.size() ? columns[m].name : "all", false, {}};
    std::vector<std::int32_t> rows(value.size(), 0);
    if (m < columns.size()) {
      for (const std::string& label : columns[m].labels) mode.labels.add(label);
      SOTTO_REQUIRE(mode.labels.size() == std::ssize(columns[m].labels),
                    "a label of column {} stands twice", columns[m].name);
      const std::vector<std::int32_t> old = mode.labels.sort();
      std::vector<std::int32_t> place(old.size());
      for (std::size_t n = 0; n < old.size(); ++n) {
        place[static_cast<std::size_t>(old[n])] = static_cast<std::int32_t>(n);
      }
      std::transform(columns[m].rows.begin(), columns[m].rows.end(), rows.begin(),
                     [&](std::int32_t row) { return place[static_cast<std::size_t>(row)]; });
    } else {
      mode.labels.add("all");
    }
    ratings.entries.dims[m] = std::max<Index>(1, mode.labels.size());
    ratings.entries.index[m] = std::move(rows);
    ratings.modes.push_back(std::move(mode));
  }
  return ratings;
}

}  // namespace sotto::python
