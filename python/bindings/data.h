// Documents, tensors and ratings from Python. Each is taken by one run.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/bindings/arrays.h"
#include "sotto/moments/documents.h"
#include "sotto/tensor/corpus.h"
#include "sotto/tensor/ratings.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto::python {

// Counts by document (CSR): columns of a row increasing, none twice, counts at least 1. `declared`:
// the words were fixed without looking at the documents.
Corpus corpus_of_rows(const Flat<std::int64_t>& begin, const Flat<std::int32_t>& word,
                      const Flat<std::int32_t>& count, Index words,
                      std::vector<std::string> vocabulary, bool declared);

// Documents as strings, cut into words by the rules of io/text_corpus.h. An empty vocabulary: the
// words that are found. `without_stop_words`: English ones are left out.
Corpus corpus_of_texts(nb::handle texts, const std::vector<std::string>& vocabulary,
                       bool without_stop_words, std::int64_t min_length, bool keep_case);

// Documents that stay in the workers of an engine, and the Python function that asks for them. A
// run takes them, once.
struct RemoteDocuments {
  Documents documents;
  nb::object kept_alive;
};

// An array of any order in C order, float64.
AnyTensor tensor_of_array(const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& array);
// Places as rows of `index`, one column a mode.
AnyTensor tensor_of_places(
    const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& index,
    const Flat<double>& value, std::vector<Index> dims, bool sum_repeated);

// One column of rows: the number of each entry's row in `labels`.
struct RatingColumn {
  std::string name;
  std::vector<std::string> labels;
  std::vector<std::int32_t> rows;
};
// Rows are renumbered by their labels' text, whatever their order here. Two columns get a third
// mode of one row, as in a file of ratings.
Ratings ratings_of_columns(const std::vector<RatingColumn>& columns, const Flat<double>& value);

}  // namespace sotto::python
