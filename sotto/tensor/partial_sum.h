// A part of a long sum, with the rest of which it joins in any order to the same bits.
//
// The terms of the sum are numbered pieces 0, 1, .. They are the leaves of a binary tree: pieces 2i
// and 2i+1 are added, then pairs of pairs, and so on. A node at the right edge that has no
// neighbour moves up as it is. The tree depends on the number of pieces alone. A part holds the
// nodes that its pieces complete, and joining two parts completes more. So it does not matter which
// part has which piece, or which part comes first. A term passes at most log2(pieces) + 1
// additions.
//
// Memory of a part with n pieces next to each other: 2 log2(n) nodes at most.
// Privacy: a part is exact, and as secret as the records it was made of.
#pragma once

#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

class PartialSum {
 public:
  // The number of pieces of the whole sum, where it is known beforehand; else the largest number.
  static constexpr Index kUnknown = std::numeric_limits<Index>::max();
  PartialSum(Index rows, Index cols, Index pieces = kUnknown)
      : rows_(rows), cols_(cols), pieces_(pieces) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  // What this part was summed over; joined parts add theirs up.
  Index records = 0;

  void add(Index piece, RowMatrix sum) { put({0, piece}, std::move(sum)); }
  void join(PartialSum&& other);
  // Refuses a sum with missing or additional pieces.
  RowMatrix total(Index pieces) const;

  void write(ByteWriter& bytes) const;
  static PartialSum read(ByteReader& bytes);

 private:
  using Node = std::pair<Index, Index>;  // level above the leaves, and place in it

  void put(Node node, RowMatrix sum);
  bool has_no_neighbour(const Node& node) const;

  Index rows_, cols_, pieces_;
  std::map<Node, RowMatrix> nodes_;
};

// The sum of all terms by the same tree.
template <class Term>
Term tree_sum(std::vector<Term> terms) {
  while (terms.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t n = 0; n < terms.size(); n += 2) {
      if (n + 1 < terms.size()) terms[n] += terms[n + 1];
      if (kept != n) terms[kept] = std::move(terms[n]);
      ++kept;
    }
    terms.resize(kept);
  }
  return std::move(terms.front());
}

}  // namespace sotto
