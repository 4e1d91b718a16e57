#include "sotto/io/tns.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/atomic_file.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

using Coordinate = SparseTensor::Coordinate;
constexpr Index largest_index = std::numeric_limits<Coordinate>::max();

// The words of a line, of which the first nine (8 indices and a value) are kept.
struct LineWords {
  std::array<std::string_view, max_tensor_order + 1> word;
  Index count = 0;

  explicit LineWords(std::string_view line) {
    constexpr auto space = [](char c) { return c == ' ' || c == '\t'; };
    for (auto at = line.begin();; ++count) {
      at = std::find_if_not(at, line.end(), space);
      if (at == line.end()) return;
      const auto end = std::find_if(at, line.end(), space);
      if (count < std::ssize(word)) word[count] = std::string_view(at, end);
      at = end;
    }
  }
};

// The parts of a .tns file line by line; every error names the line.
class TnsReader {
 public:
  TnsReader(ByteSource& source, Duplicates duplicates, Shape shape, IndexBase base,
            const PeopleShare& share)
      : path_(source.path()),
        lines_(source, LineReader::longest_document),
        duplicates_(duplicates),
        shape_(shape),
        base_(first_index(base)),
        share_(share) {}

  AnyTensor read() {
    SOTTO_REQUIRE_AT(next(), path_, "the file has no entries");
    const std::string_view first = line_.substr(0, line_.find_last_not_of(" \t") + 1);
    if (first == "sptensor") return read_sptensor();
    if (share_.parts > 1) refuse_part("has no Tensor Toolbox header of a sparse tensor");
    if (first == "tensor") return read_dense();
    SOTTO_REQUIRE_AT(
        shape_ == Shape::declared_or_seen, path_,
        "has no header that declares its shape; write it with a Tensor Toolbox header");
    return read_frostt();
  }

 private:
  // Moves to the next line that is neither blank nor a comment.
  bool next() {
    while (lines_.next(line_)) {
      const std::size_t start = line_.find_first_not_of(" \t");
      if (start == std::string_view::npos || line_[start] == '#') continue;
      line_.remove_prefix(start);
      return true;
    }
    return false;
  }

  void require_next(std::string_view what) {
    SOTTO_REQUIRE_AT(next(), lines_.place(), "the file ends before {}", what);
  }

  // `count` is how many there are of what an index counts.
  Index whole_number(std::string_view word, std::string_view what, Index least, Index most,
                     std::optional<Index> count = {}) const {
    Index value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    SOTTO_REQUIRE_AT(stop == end && error != std::errc::invalid_argument, lines_.place(),
                     "{} {} is not a whole number", what, printable(word));
    SOTTO_REQUIRE_AT(error == std::errc{} && value >= least && value <= most, lines_.place(),
                     "{} {} is not between {} and {}{}", what, printable(word), least, most,
                     count && error == std::errc{} ? base_hint(value, base_, *count) : "");
    return value;
  }

  double real_number(std::string_view word) const {
    double value = 0;
    const char* end = word.data() + word.size();
    const bool plus = word.starts_with('+') && !word.starts_with("+-");
    const char* begin = word.data() + (plus ? 1 : 0);
    const auto [stop, error] = fast_float::from_chars(begin, end, value);
    SOTTO_REQUIRE_AT(stop == end && error != std::errc::invalid_argument, lines_.place(),
                     "{} is not a number", printable(word));
    SOTTO_REQUIRE_AT(std::isfinite(value), lines_.place(), "the value {} is not finite",
                     printable(word));
    return value;
  }

  // "i_1 .. i_p value"; dims[m] limits the indices of mode m.
  void read_entry(std::span<const Index> dims) {
    const LineWords words(line_);
    const Index order = std::ssize(dims);
    SOTTO_REQUIRE_AT(words.count == order + 1, lines_.place(), "expected {} fields, got {}",
                     order + 1, words.count);
    const double value = real_number(words.word[order]);
    const auto [first, last] = share_.of(dims[0]);
    for (Index m = 0; m < order; ++m) {
      const Index index =
          whole_number(words.word[m], "index", base_, dims[m] - 1 + base_, dims[m]) - base_;
      if (m == 0 && (index < first || index >= last)) return;
      indices_.push_back(static_cast<Coordinate>(index));
    }
    values_.push_back(value);
  }

  AnyTensor read_frostt() {
    const Index order = LineWords(line_).count - 1;
    SOTTO_REQUIRE_AT(order >= 1 && order <= max_tensor_order, lines_.place(),
                     "expected 1 to {} indices and a value, got {} fields", max_tensor_order,
                     order + 1);
    const std::vector<Index> limits(order, largest_index);
    do {
      read_entry(limits);
    } while (next());
    std::vector<Index> dims(order, 1);
    for (std::size_t n = 0; n < indices_.size(); ++n) {
      Index& d = dims[n % dims.size()];
      d = std::max<Index>(d, indices_[n] + 1);
    }
    return make_sparse(std::move(dims));
  }

  std::vector<Index> read_dims() {
    require_next("the order of the tensor");
    const Index order = whole_number(only_word(), "order", 1, max_tensor_order);
    require_next("the dimensions of the tensor");
    const LineWords words(line_);
    SOTTO_REQUIRE_AT(words.count == order, lines_.place(), "expected {} dimensions, got {}", order,
                     words.count);
    std::vector<Index> dims;
    for (Index m = 0; m < order; ++m) {
      dims.push_back(whole_number(words.word[m], "dimension", 1, largest_index));
    }
    return dims;
  }

  std::string_view only_word() const {
    const LineWords words(line_);
    SOTTO_REQUIRE_AT(words.count == 1, lines_.place(), "expected 1 field, got {}", words.count);
    return words.word[0];
  }

  AnyTensor read_sptensor() {
    std::vector<Index> dims = read_dims();
    require_next("the number of entries");
    const Index claimed =
        whole_number(only_word(), "number of entries", 0, std::numeric_limits<Index>::max());
    Index entries = 0;
    for (; next(); ++entries) {
      SOTTO_REQUIRE_AT(entries < claimed, lines_.place(),
                       "the header promises {} entries, here is one more", claimed);
      read_entry(dims);
    }
    SOTTO_REQUIRE_AT(entries == claimed, lines_.place(),
                     "the header promises {} entries, the file ends after {}", claimed, entries);
    return make_sparse(std::move(dims));
  }

  [[noreturn]] void refuse_part(const char* why) const {
    throw Error(fmt::format("{} and cannot be shared out among ranks", why), path_,
                Fault::unopened);
  }

  AnyTensor make_sparse(std::vector<Index> dims) {
    try {
      return SparseTensor(std::move(dims), std::move(indices_), std::move(values_), duplicates_);
    } catch (const Error& error) {  // a coordinate given twice, found only after sorting
      throw Error(error.message(), path_, error.fault(), error.condition(), error.raised_at());
    }
  }

  AnyTensor read_dense() {
    std::vector<Index> dims = read_dims();
    const Index claimed = checked_entry_count(dims, lines_.place());
    while (next()) {
      for (std::string_view rest = line_; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
        SOTTO_REQUIRE_AT(std::ssize(values_) < claimed, lines_.place(),
                         "a tensor of {} has {} values, here is one more", shape_text(dims),
                         claimed);
        values_.push_back(real_number(word));
        rest.remove_prefix(word.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      }
    }
    SOTTO_REQUIRE_AT(std::ssize(values_) == claimed, lines_.place(),
                     "a tensor of {} has {} values, the file ends after {}", shape_text(dims),
                     claimed, values_.size());
    return DenseTensor::from_fortran(std::move(dims), values_);
  }

  std::string path_;
  LineReader lines_;
  Duplicates duplicates_;
  Shape shape_;
  Index base_;  // the number of the first row of every mode
  PeopleShare share_;
  std::string_view line_;
  std::vector<Coordinate> indices_;
  std::vector<double> values_;
};

}  // namespace

AnyTensor read_tns(ByteSource& source, Duplicates duplicates, Shape shape, IndexBase base,
                   const PeopleShare& share) {
  return TnsReader(source, duplicates, shape, base, share).read();
}

AnyTensor read_tns(const std::string& path, Duplicates duplicates, Shape shape) {
  ByteSource source(path);
  return read_tns(source, duplicates, shape);
}

void write_tns(const std::string& path, const SparseTensor& tensor, TnsDialect dialect) {
  SOTTO_REQUIRE_AT(!tensor.has_nonfinite(), path, "the tensor has values that are not finite");
  SOTTO_REQUIRE_AT(tensor.nnz() > 0 || dialect == TnsDialect::tensor_toolbox, path,
                   "a tensor without entries has no FROSTT form; use Tensor Toolbox headers");
  AtomicFile file(path);
  std::string text;
  if (dialect == TnsDialect::tensor_toolbox) {
    text = fmt::format("sptensor\n{}\n{}\n{}\n", tensor.order(), join_text(tensor.dims(), " "),
                       tensor.nnz());
  }
  for (Index e = 0; e < tensor.nnz(); ++e) {
    for (const Coordinate i : tensor.index(e)) {
      text += fmt::format_int(Index{i} + 1).c_str();
      text += ' ';
    }
    text += fmt::format("{}\n", tensor.values()[e]);
    if (text.size() < std::size_t{1} << 20) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace sotto
