#include "sotto/io/read_slices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/byte_source.h"
#include "sotto/io/large_values.h"
#include "sotto/io/npy.h"

namespace sotto {
namespace {

NpyHeader sliceable_header(ByteSource& source) {
  SOTTO_REQUIRE_AT(source.is_regular() && source.size(), source.path(),
                   "cannot be shared out among ranks: give a plain .npy file");
  NpyHeader header = read_npy_header(source);
  SOTTO_REQUIRE_AT(
      !header.fortran_order, source.path(),
      "is in Fortran order, and ranks read C order: numpy.ascontiguousarray writes it");
  return header;
}

// Places of sorted indices among the packed entries: how many entries of order m a dimension has.
class SortedPlaces {
 public:
  SortedPlaces(Index dim, int order) : order_(order) {
    for (int m = 1; m <= order; ++m) {
      for (Index n = 0; n <= dim; ++n) entries_[m].push_back(n == 0 ? 0 : unique_entries(n, m));
    }
  }
  Index operator()(std::span<const Index> sorted) const {
    Index place = 0, low = 0;
    const auto dim = static_cast<Index>(entries_[1].size()) - 1;
    for (int m = 0; m < order_; ++m) {
      const std::vector<Index>& rest = entries_[order_ - m];
      const Index index = sorted[static_cast<std::size_t>(m)];
      place +=
          rest[static_cast<std::size_t>(dim - low)] - rest[static_cast<std::size_t>(dim - index)];
      low = index;
    }
    return place;
  }

 private:
  int order_;
  std::array<std::vector<Index>, 5> entries_;
};

class SliceReader {
 public:
  SliceReader(const std::string& path, HeldSlices& slices)
      : source_(path),
        header_(sliceable_header(source_)),
        slices_(slices),
        places_(slices.dim, slices.order),
        high_(slices.packed.size(), -std::numeric_limits<double>::infinity()),
        low_(slices.packed.size(), std::numeric_limits<double>::infinity()) {
    const std::vector<Index> starts = slice_chunks(slices.dim, slices.order);
    first_ = starts[static_cast<std::size_t>(slices.first_chunk)];
    last_ = starts[static_cast<std::size_t>(slices.last_chunk)];
    SOTTO_REQUIRE_AT(
        header_.shape == std::vector<Index>(static_cast<std::size_t>(slices.order), slices.dim),
        path, "is {} for one rank and not for another: give all ranks the same file",
        shape_text(header_.shape));
  }

  // Rows along the last index, where the other indices allow an own one.
  void read(const std::function<void()>& before_read) {
    std::vector<Index> index(static_cast<std::size_t>(slices_.order), 0);
    const std::span<Index> lead(index.data(), index.size() - 1);
    Index row = 0;
    do {
      if (before_read && lead.back() == 0) before_read();
      const Index lowest = *std::min_element(lead.begin(), lead.end());
      if (lowest >= first_) read_row(row, index, {first_, lowest < last_ ? slices_.dim : last_});
      ++row;
    } while (advance(lead));
    compare();
  }

 private:
  struct Range {
    Index first, last;
  };

  bool advance(std::span<Index> lead) const {
    for (std::size_t m = lead.size(); m-- > 0;) {
      if (++lead[m] < slices_.dim) return true;
      lead[m] = 0;
    }
    return false;
  }

  void read_row(Index row, std::vector<Index>& index, Range own) {
    const Index count = own.last - own.first;
    bytes_.resize(static_cast<std::size_t>(count * header_.item_size));
    values_.resize(static_cast<std::size_t>(count));
    const Index place = (row * slices_.dim + own.first) * header_.item_size;
    const std::size_t had = source_.read_at(header_.data_offset + static_cast<std::uint64_t>(place),
                                            bytes_.data(), bytes_.size());
    SOTTO_REQUIRE_AT(had == bytes_.size(), source_.path(), "became shorter while it was read");
    convert_npy_items(header_, bytes_.data(), values_, source_.path());
    refuse_large(values_, kLargestPublicValue, source_.path());
    for (Index k = own.first; k < own.last; ++k) {
      index.back() = k;
      take(index, values_[static_cast<std::size_t>(k - own.first)]);
    }
  }

  void take(const std::vector<Index>& index, double x) {
    SOTTO_REQUIRE_AT(std::isfinite(x), source_.path(),
                     "the value at index ({}), counted from 0, is {}", join_text(index, ", "),
                     std::isnan(x) ? "NaN" : "infinite");
    std::array<Index, 4> sorted{};
    const auto end = std::copy(index.begin(), index.end(), sorted.begin());
    const bool is_kept = std::is_sorted(sorted.begin(), end);
    if (!is_kept) std::sort(sorted.begin(), end);
    const auto n =
        static_cast<std::size_t>(places_({sorted.data(), index.size()}) - slices_.before);
    if (is_kept) slices_.packed[n] = x;
    high_[n] = std::max(high_[n], x);
    low_[n] = std::min(low_[n], x);
    slices_.symmetry.largest = std::max(slices_.symmetry.largest, std::abs(x));
  }

  void compare() {
    std::size_t n = 0;
    for_unique_entries(slices_.dim, slices_.order, first_, last_,
                       [&](const std::vector<Index>& sorted, double) {
                         const double difference = high_[n] - low_[n];
                         ++n;
                         if (difference <= slices_.symmetry.worst) return;
                         slices_.symmetry.worst = difference;
                         slices_.symmetry.sorted = sorted;
                       });
  }

  ByteSource source_;
  NpyHeader header_;
  HeldSlices& slices_;
  SortedPlaces places_;
  Index first_ = 0, last_ = 0;  // leading indices
  std::vector<double> high_, low_;
  std::vector<char> bytes_;
  std::vector<double> values_;
};

}  // namespace

std::vector<Index> sliceable_dims(const std::string& path) {
  ByteSource source(path);
  return sliceable_header(source).shape;
}

void read_slices(const std::string& path, HeldSlices& slices,
                 const std::function<void()>& before_read) {
  SliceReader(path, slices).read(before_read);
}

}  // namespace sotto
