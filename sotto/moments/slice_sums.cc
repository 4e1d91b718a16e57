#include "sotto/moments/slice_sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"

namespace sotto {
namespace {

struct NoWorker {};

// A thread's map from rows to places among a person's rows.
struct RowPlaces {
  std::vector<std::int32_t> place, own;
  explicit RowPlaces(Index rows) : place(static_cast<std::size_t>(rows), -1) {}

  void clear() {
    for (const std::int32_t row : own) place[static_cast<std::size_t>(row)] = -1;
    own.clear();
  }
  Index of(Index row) {
    std::int32_t& at = place[static_cast<std::size_t>(row)];
    if (at < 0) {
      at = static_cast<std::int32_t>(own.size());
      own.push_back(static_cast<std::int32_t>(row));
    }
    return at;
  }
};

Index row_of_packed(Index i, Index size) { return i * size - i * (i - 1) / 2 - i; }  // plus j >= i

Matrix unpacked_sums(const std::vector<double>& packed, Index size) {
  Matrix full(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = i; j < size; ++j) {
      full(i, j) = full(j, i) = packed[static_cast<std::size_t>(row_of_packed(i, size) + j)];
    }
  }
  return full;
}

}  // namespace

SliceSums::SliceSums(std::unique_ptr<const SparseTensor> values)
    : SliceSums(std::move(values), *values) {}

SliceSums::SliceSums(std::unique_ptr<const SparseTensor>&& own, const SparseTensor& values)
    : own_(std::move(own)),
      values_(values),
      offset_(feature_offsets(values)),
      begin_(people_begin(values)) {
  SOTTO_REQUIRE(values.order() >= 3,
                "people need at least two modes beside them, this tensor has {}",
                values.order() - 1);
}

double SliceSums::scale_of(Index first, Index last) const {
  double largest = 0;
  for (Index e = first; e < last; ++e) largest = std::max(largest, std::abs(value(e)));
  return largest >= kShortestPerson ? 1 / largest : 0;
}

Vector SliceSums::row_norms() const {
  const auto part = [&](RowPlaces& rows, Index first, Index last, const auto& add) {
    rows.clear();
    const double scale = scale_of(first, last);
    std::vector<double> square;
    for (Index e = first; e < last; ++e) {
      const double v = value(e) * scale;
      for (Index m = 0; m < modes(); ++m) {
        const auto at = static_cast<std::size_t>(rows.of(feature(e, m)));
        if (at == square.size()) square.push_back(0);
        square[at] += v * v;
      }
    }
    double sum = 0;
    for (double& s : square) {
      s = std::sqrt(s);
      sum += s * s;
    }
    const double weight = to_norm_one(sum);
    for (std::size_t i = 0; i < square.size(); ++i) add(rows.own[i], square[i] * weight);
  };
  const std::vector<double> sums = sum_over_people(
      begin_, features(), [&] { return RowPlaces(features()); }, part);
  return Eigen::Map<const Vector>(sums.data(), features());
}

Matrix SliceSums::gram(Index mode, std::span<const std::int32_t> core) const {
  const Index size = std::ssize(core), rows = values_.dims()[static_cast<std::size_t>(mode + 1)];
  std::vector<std::int32_t> in_core(static_cast<std::size_t>(rows), -1);
  for (std::size_t c = 0; c < core.size(); ++c) {
    in_core.at(static_cast<std::size_t>(core[c])) = static_cast<std::int32_t>(c);
  }
  const auto own_row = [&](Index e) { return cell(e)[static_cast<std::size_t>(mode)]; };
  // Compares the places of two entries in all other modes.
  const auto before = [&](Index a, Index b) {
    for (std::size_t m = 0; m < static_cast<std::size_t>(modes()); ++m) {
      if (m == static_cast<std::size_t>(mode) || cell(a)[m] == cell(b)[m]) continue;
      return cell(a)[m] < cell(b)[m];
    }
    return false;
  };
  const auto part = [&](RowPlaces& places, Index first, Index last, const auto& add) {
    places.clear();
    const double scale = scale_of(first, last);
    std::vector<Index> order;
    for (Index e = first; e < last; ++e) {
      const std::int32_t c = in_core[static_cast<std::size_t>(own_row(e))];
      if (c < 0) continue;
      order.push_back(e);
      places.of(c);
    }
    std::sort(places.own.begin(), places.own.end());
    for (std::size_t i = 0; i < places.own.size(); ++i) {
      places.place[static_cast<std::size_t>(places.own[i])] = static_cast<std::int32_t>(i);
    }
    std::stable_sort(order.begin(), order.end(), before);
    const Index own = std::ssize(places.own);
    Matrix block = Matrix::Zero(own, own);
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      for (end = begin; end < order.size() && !before(order[begin], order[end]);) ++end;
      for (std::size_t a = begin; a < end; ++a) {
        const Index i = places.of(in_core[static_cast<std::size_t>(own_row(order[a]))]);
        for (std::size_t b = begin; b < end; ++b) {
          const Index j = places.of(in_core[static_cast<std::size_t>(own_row(order[b]))]);
          block(i, j) += (value(order[a]) * scale) * (value(order[b]) * scale);
        }
      }
    }
    double square = 0;
    for (Index i = 0; i < own; ++i) {
      for (Index j = i; j < own; ++j) square += (i == j ? 1 : 2) * block(i, j) * block(i, j);
    }
    const double weight = to_norm_one(square);
    for (Index i = 0; i < own; ++i) {
      const Index row = row_of_packed(places.own[static_cast<std::size_t>(i)], size);
      for (Index j = i; j < own; ++j) {
        add(row + places.own[static_cast<std::size_t>(j)], block(i, j) * weight);
      }
    }
  };
  return unpacked_sums(sum_over_people(
                           begin_, size * (size + 1) / 2, [&] { return RowPlaces(size); }, part),
                       size);
}

Matrix SliceSums::compressed(const std::vector<RowMatrix>& bases) const {
  SOTTO_REQUIRE(std::ssize(bases) == modes(), "a basis for each of {} modes is needed", modes());
  Index size = 1;
  for (const RowMatrix& basis : bases) size *= basis.cols();
  const auto part = [&](NoWorker&, Index first, Index last, const auto& add) {
    const double scale = scale_of(first, last);
    Vector z = Vector::Zero(size);
    std::vector<double> one, next;
    for (Index e = first; e < last; ++e) {
      one.assign(1, value(e) * scale);
      for (std::size_t m = 0; m < bases.size(); ++m) {
        const auto row = bases[m].row(cell(e)[m]);
        next.clear();
        for (const double v : one) {
          for (Index i = 0; i < row.size(); ++i) next.push_back(v * row[i]);
        }
        one.swap(next);
      }
      z += Eigen::Map<const Vector>(one.data(), size);
    }
    double square = 0;
    for (const double v : z) square += v * v;
    z *= to_norm_one(square);
    for (Index i = 0; i < size; ++i) {
      for (Index j = i; j < size; ++j) add(row_of_packed(i, size) + j, z[i] * z[j]);
    }
  };
  return unpacked_sums(sum_over_people(
                           begin_, size * (size + 1) / 2, [] { return NoWorker{}; }, part),
                       size);
}

void SliceSums::products(const RowMatrix& stacked, Index entry, Index but,
                         Eigen::RowVectorXd& out) const {
  out.setOnes(stacked.cols());
  for (Index m = 0; m < modes(); ++m) {
    if (m != but) out.array() *= stacked.row(feature(entry, m)).array();
  }
}

Eigen::RowVectorXd SliceSums::solved(const SliceFactors& factors, Index first, Index last) const {
  const double scale = scale_of(first, last);
  Eigen::RowVectorXd seen = Eigen::RowVectorXd::Zero(factors.stacked.cols()), one;
  for (Index e = first; e < last; ++e) {
    products(factors.stacked, e, -1, one);
    seen += value(e) * scale * one;
  }
  return seen * factors.solve;
}

Vector SliceSums::normal(const SliceFactors& factors) const {
  const Index k = factors.stacked.cols(), numbers = features() * k + k * k;
  SOTTO_REQUIRE(factors.stacked.rows() == features() && factors.solve.rows() == k,
                "factors of {} features are needed", features());
  const auto part = [&](RowPlaces& rows, Index first, Index last, const auto& add) {
    rows.clear();
    const double scale = scale_of(first, last);
    const Eigen::RowVectorXd a = solved(factors, first, last);
    for (Index e = first; e < last; ++e) {
      for (Index m = 0; m < modes(); ++m) rows.of(feature(e, m));
    }
    RowMatrix block = RowMatrix::Zero(std::ssize(rows.own) + k, k);
    Eigen::RowVectorXd one;
    for (Index e = first; e < last; ++e) {
      for (Index m = 0; m < modes(); ++m) {
        products(factors.stacked, e, m, one);
        block.row(rows.of(feature(e, m))).array() += value(e) * scale * one.array() * a.array();
      }
    }
    block.bottomRows(k) = a.transpose() * a;
    double square = 0;
    for (Index n = 0; n < block.size(); ++n) square += block.data()[n] * block.data()[n];
    const double weight = to_norm_one(square);
    if (weight == 0) return;
    for (Index i = 0; i < block.rows(); ++i) {
      const bool is_row = i < std::ssize(rows.own);
      const Index at = is_row ? Index{rows.own[static_cast<std::size_t>(i)]}
                              : features() + i - std::ssize(rows.own);
      for (Index t = 0; t < k; ++t) add(at * k + t, block(i, t) * weight);
    }
  };
  const std::vector<double> sums = sum_over_people(
      begin_, numbers, [&] { return RowPlaces(features()); }, part);
  return Eigen::Map<const Vector>(sums.data(), numbers);
}

RowMatrix SliceSums::loadings(const SliceFactors& factors, Index bins) const {
  const Index k = factors.stacked.cols();
  const auto part = [&](NoWorker&, Index first, Index last, const auto& add) {
    const Eigen::RowVectorXd a = solved(factors, first, last);
    const double whole = a.squaredNorm();
    if (!(whole >= kShortestPerson) || !std::isfinite(whole)) return;
    for (Index t = 0; t < k; ++t) {
      const double share = a[t] * a[t] / whole * static_cast<double>(bins);
      add(std::min(bins - 1, static_cast<Index>(share)) * k + t,
          1 / std::sqrt(static_cast<double>(k)));
    }
  };
  const std::vector<double> sums = sum_over_people(
      begin_, bins * k, [] { return NoWorker{}; }, part);
  return Eigen::Map<const RowMatrix>(sums.data(), bins, k);
}

RowMatrix SliceSums::solved(const SliceFactors& factors) const {
  const Index k = factors.stacked.cols();
  SOTTO_REQUIRE(factors.stacked.rows() == features() && factors.solve.rows() == k,
                "factors of {} features are needed", features());
  RowMatrix found = RowMatrix::Zero(values_.dims()[0], k);
  const Index people = std::ssize(begin_) - 1;
  parallel_for(people, {64}, [&](Index p) {
    const Index first = begin_[static_cast<std::size_t>(p)];
    const Index last = begin_[static_cast<std::size_t>(p) + 1];
    const double scale = scale_of(first, last);
    if (scale > 0) found.row(values_.index(first)[0]) = solved(factors, first, last) / scale;
  });
  return found;
}

}  // namespace sotto
