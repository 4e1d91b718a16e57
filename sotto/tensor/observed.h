// Observed entries of a tensor of order 3 to 5: what completion learns from. Places that are not
// listed are unknown, not 0 (for that, see SparseTensor).
//
// One array of indices a mode (4 bytes an entry each) and one of values; entries keep the order of
// the file. In a test set an index may be `kUnknownRow`: a row that no training entry has.
// Cost: grouping by row is a counting sort; duplicates are found by sorting within each row.
// Privacy: none here; ratings that belong to persons travel as Sensitive.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

constexpr Index kMinObservedOrder = 3;
constexpr Index kMaxObservedOrder = 5;
constexpr std::int32_t kUnknownRow = -1;

struct ObservedEntries {
  std::vector<Index> dims;
  std::vector<std::vector<std::int32_t>> index;  // index[m][e] is the row of entry e in mode m
  std::vector<double> value;

  explicit ObservedEntries(std::vector<Index> shape = {})
      : dims(std::move(shape)), index(dims.size()) {}

  Index order() const { return static_cast<Index>(dims.size()); }
  Index size() const { return static_cast<Index>(value.size()); }
  std::int32_t row(Index mode, Index entry) const {
    return index[static_cast<std::size_t>(mode)][static_cast<std::size_t>(entry)];
  }
  double at(Index entry) const { return value[static_cast<std::size_t>(entry)]; }
  bool has_unknown_row(Index entry) const;

  void append(std::span<const std::int32_t> rows, double x);
  // The listed entries, in that order, in a tensor of the same shape.
  ObservedEntries select(std::span<const std::int32_t> entries) const;
};

// Which entries each row of a mode has, in increasing order. Entries with an unknown row are left
// out.
class RowEntries {
 public:
  RowEntries(const ObservedEntries& entries, Index mode);

  Index rows() const { return static_cast<Index>(begin_.size()) - 1; }
  Index count(Index row) const { return static_cast<Index>(of(row).size()); }
  std::span<const std::int32_t> of(Index row) const {
    const auto r = static_cast<std::size_t>(row);
    const auto first = static_cast<std::size_t>(begin_[r]);
    return {entry_.data() + first, static_cast<std::size_t>(begin_[r + 1]) - first};
  }

 private:
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> entry_;
};

// Two entries at one place, `again` the later one.
struct Duplicate {
  Index first;
  Index again;
};

struct DuplicateCount {
  Index count = 0;                  // entries at a place that an earlier entry has
  std::optional<Duplicate> lowest;  // the one that comes first in the file
};

// An entry with an unknown row has an unknown place: it is not compared.
DuplicateCount find_duplicates(const ObservedEntries& entries);

// The number of entries of `other` at a place of `entries`; both must have the same shape.
Index count_overlap(const ObservedEntries& entries, const ObservedEntries& other);

struct EntrySplit {
  ObservedEntries kept, held_out;
};

// Holds out `share` of the entries, drawn with the seed; both parts keep the order of the file.
EntrySplit split_entries(const ObservedEntries& entries, double share, std::uint64_t seed);

}  // namespace sotto
