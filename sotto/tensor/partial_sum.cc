#include "sotto/tensor/partial_sum.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr Index kMostLevels = 62;

// Parts come from other processes: what is wrong with them is not the fault of the input.
void require_part(bool holds, const char* message) {
  if (!holds) throw Error(message, "", Fault::system);
}

}  // namespace

void PartialSum::put(Node node, RowMatrix sum) {
  require_part(sum.rows() == rows_ && sum.cols() == cols_, "a part of a sum has another shape");
  auto& [level, place] = node;
  for (;;) {
    const auto other = nodes_.find({level, place ^ 1});
    if (other != nodes_.end()) {
      // Addition commutes, so it does not matter which of the two came first.
      sum += other->second;
      nodes_.erase(other);
    } else if (!has_no_neighbour(node)) {
      break;
    }
    ++level;
    place /= 2;
  }
  const bool is_new = nodes_.emplace(node, std::move(sum)).second;
  require_part(is_new, "a piece of a sum came twice");
}

bool PartialSum::has_no_neighbour(const Node& node) const {
  const auto& [level, place] = node;
  return place > 0 && place % 2 == 0 && (place + 1) << level >= pieces_;
}

void PartialSum::join(PartialSum&& other) {
  require_part(pieces_ == other.pieces_ && rows_ == other.rows_ && cols_ == other.cols_,
               "two parts are of different sums");
  records += other.records;
  for (auto& [node, sum] : other.nodes_) put(node, std::move(sum));
}

RowMatrix PartialSum::total(Index pieces) const {
  RowMatrix sum;
  // Where the number was unknown, nodes at the right edge have not moved up yet: they are the
  // binary digits of `pieces`, the smallest at the right.
  Index end = pieces;
  bool first = true;
  for (const auto& [node, value] : nodes_) {  // the smallest first
    const auto& [level, place] = node;
    require_part(std::min(pieces, (place + 1) << level) == end, "a piece of a sum is missing");
    end = place << level;
    if (first) {
      sum = value;
    } else {
      sum += value;
    }
    first = false;
  }
  require_part(end == 0, "a piece of a sum is missing");
  if (first) sum.setZero(rows_, cols_);
  return sum;
}

void PartialSum::write(ByteWriter& bytes) const {
  for (const Index number : {rows_, cols_, pieces_, records, static_cast<Index>(nodes_.size())}) {
    bytes.integer(number);
  }
  for (const auto& [node, sum] : nodes_) {
    bytes.integer(node.first);
    bytes.integer(node.second);
    bytes.reals({sum.data(), static_cast<std::size_t>(sum.size())});
  }
}

PartialSum PartialSum::read(ByteReader& bytes) {
  const Index rows = bytes.integer(), cols = bytes.integer();
  require_part(rows >= 0 && cols >= 0, "a part of a sum has no shape");
  PartialSum part(rows, cols, bytes.integer());
  part.records = bytes.integer();
  for (Index left = bytes.integer(); left > 0; --left) {
    const Index level = bytes.integer(), place = bytes.integer();
    const std::vector<double> values = bytes.reals();
    const bool fits = level >= 0 && level <= kMostLevels && place >= 0 &&
                      place <= std::numeric_limits<Index>::max() >> level &&
                      (cols == 0 ? values.empty() : std::ssize(values) / cols == rows) &&
                      (cols == 0 || std::ssize(values) % cols == 0);
    require_part(fits, "a part of a sum has nodes of another shape than it says");
    part.put({level, place}, Eigen::Map<const RowMatrix>(values.data(), rows, cols));
  }
  return part;
}

}  // namespace sotto
