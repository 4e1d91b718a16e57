#include "sotto/complete/private/position_features.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kSpareVectors = 8;
constexpr int kIterations = 15;
constexpr double kUserDamping = 1, kItemDamping = 5;
constexpr double kAboveRandom = 1.2;
constexpr double kLongest = 2.5;  // in deviations
constexpr std::uint64_t kFeatureStream = 43;

Vector counts(const ObservedEntries& positions, Index mode) {
  const auto m = static_cast<std::size_t>(mode);
  Vector count = Vector::Zero(positions.dims[m]);
  for (const std::int32_t r : positions.index[m]) count[r] += 1;
  return count;
}

// The normalised incidence matrix, applied to blocks of vectors (row-major: each step works on a
// row).
class Incidence {
 public:
  Incidence(const ObservedEntries& positions, const Vector& users, const Vector& items)
      : positions_(positions),
        user_weight_((users.array() + kUserDamping).rsqrt()),
        item_weight_((items.array() + kItemDamping).rsqrt()) {}

  Rows times(const Rows& block) const { return product(block, item_weight_, 1, user_weight_, 0); }
  Rows transposed_times(const Rows& block) const {
    return product(block, user_weight_, 0, item_weight_, 1);
  }
  const Vector& item_weight() const { return item_weight_; }

 private:
  Rows product(const Rows& block, const Vector& from, std::size_t from_mode, const Vector& to,
               std::size_t to_mode) const {
    const Rows weighted = from.asDiagonal() * block;
    Rows result = Rows::Zero(to.size(), block.cols());
    for (std::size_t e = 0; e < positions_.value.size(); ++e) {
      result.row(positions_.index[to_mode][e]) += weighted.row(positions_.index[from_mode][e]);
    }
    return to.asDiagonal() * result;
  }

  const ObservedEntries& positions_;
  Vector user_weight_, item_weight_;
};

Rows orthonormal(const Rows& block) { return householder_basis(block); }

// Leading right singular vectors, items x `wanted`, of decreasing singular value, and the squares
// of all singular values found, smallest first.
struct Spectrum {
  Matrix vectors;
  Vector squares;
};
Spectrum leading_spectrum(const Incidence& incidence, Index items, Index wanted, Index block) {
  SeededRandom random(0, kFeatureStream);
  Rows v(items, block);
  for (Index i = 0; i < items; ++i) {
    for (Index c = 0; c < block; ++c) v(i, c) = random.normal();
  }
  for (int n = 0; n < kIterations; ++n) {
    v = orthonormal(incidence.transposed_times(orthonormal(incidence.times(v))));
  }
  const Rows image = incidence.times(v);
  const Eigenpairs gram = ascending_eigenpairs(image.transpose() * image);
  return {(v * gram.vectors.rowwise().reverse()).leftCols(wanted), gram.values};
}

// Scales to mean square 1 over the entries, cuts, centres. A column of zeros stays so. `bare`, the
// feature of a row without entries, is transformed in the same way and returned.
double standardise(Eigen::Ref<Vector> column, const Vector& count, double bare) {
  const double entries = count.sum();
  const double scale = std::sqrt(column.cwiseAbs2().dot(count) / entries);
  if (!(scale > 1e-9)) {
    column.setZero();
    return 0;
  }
  column = (column / scale).cwiseMax(-kLongest).cwiseMin(kLongest);
  const double mean = column.dot(count) / entries;
  column.array() -= mean;
  return std::clamp(bare / scale, -kLongest, kLongest) - mean;
}

// Returns the feature of a row without entries.
double set_log_count(Eigen::Ref<Vector> column, const Vector& count) {
  column = (count.array() + 1).log();
  const double mean = column.dot(count) / count.sum();
  column.array() -= mean;
  return standardise(column, count, -mean);
}

}  // namespace

PositionFeatures position_features(const ObservedEntries& positions) {
  const Vector users = counts(positions, 0), items = counts(positions, 1);
  const Index most = std::min(users.size(), items.size());
  const Index vectors = std::min(kMaxPositionVectors, most);
  const Incidence incidence(positions, users, items);
  PositionFeatures result;
  result.users.resize(users.size());
  result.new_user = set_log_count(result.users, users);
  result.items.resize(items.size(), 1 + vectors);
  result.new_item.resize(1 + vectors);
  result.new_item[0] = set_log_count(result.items.col(0), items);
  result.items.rightCols(vectors) =
      incidence.item_weight().asDiagonal() *
      leading_spectrum(incidence, items.size(), vectors, std::min(most, vectors + kSpareVectors))
          .vectors;
  for (Index c = 1; c <= vectors; ++c) {
    result.new_item[c] = standardise(result.items.col(c), items, 0);
  }
  return result;
}

// Random places have singular values up to 1 / sqrt(n_u) + 1 / sqrt(n_i) beyond the first, n the
// damped mean numbers of entries of a row.
bool positions_tell(const ObservedEntries& positions) {
  const Vector users = counts(positions, 0), items = counts(positions, 1);
  const Index most = std::min(users.size(), items.size());
  if (most < 2) return false;
  const Incidence incidence(positions, users, items);
  const Vector squares =
      leading_spectrum(incidence, items.size(), 2, std::min(most, 2 + kSpareVectors)).squares;
  const double second = std::sqrt(std::max(0.0, squares[squares.size() - 2]));
  const double random =
      1 / std::sqrt(users.mean() + kUserDamping) + 1 / std::sqrt(items.mean() + kItemDamping);
  return second > kAboveRandom * random;
}

}  // namespace sotto
