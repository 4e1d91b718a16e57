#include "sotto/moments/person_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/moments/exp_digamma.h"

namespace sotto {
namespace {

constexpr Index kCellsAtATime = 128;
constexpr double kMostEvents = 0x1p31;  // in one cell

}  // namespace

Index TripleBasis::size() const {
  Index numbers = 0;
  for (std::size_t a = 0; a < of_mode.size(); ++a) {
    for (std::size_t b = a + 1; b < of_mode.size(); ++b) numbers += size(a, b);
  }
  return numbers;
}

// What one thread needs for one person at a time.
struct PersonSums::Worker {
  const PersonSums& sums;
  std::vector<std::int32_t> place;  // of a feature among the person's, or -1
  std::vector<std::int32_t> own;    // the person's features, in the order of the cells
  std::vector<double> x;            // of the person's features
  RowMatrix block;                  // of contributions
  RowMatrix left, right;            // cells at hand
  RowMatrix likelihood, shares;     // of the cells
  Eigen::RowVectorXd proportions, weight, total;

  explicit Worker(const PersonSums& of)
      : sums(of), place(static_cast<std::size_t>(of.features()), -1) {}

  Index feature(Index entry, Index mode) const {
    return sums.offset(mode) + sums.cell(entry)[static_cast<std::size_t>(mode)];
  }

  // Numbers the person's features and adds up what the cells have of them.
  void gather(Index first, Index last) {
    for (const std::int32_t j : own) place[static_cast<std::size_t>(j)] = -1;
    own.clear();
    x.clear();
    for (Index e = first; e < last; ++e) {
      for (Index m = 0; m < sums.modes(); ++m) {
        const Index j = feature(e, m);
        std::int32_t& at = place[static_cast<std::size_t>(j)];
        if (at < 0) {
          at = static_cast<std::int32_t>(own.size());
          own.push_back(static_cast<std::int32_t>(j));
          x.push_back(0);
        }
        x[static_cast<std::size_t>(at)] += sums.count(e);
      }
    }
  }

  Index local(Index entry, Index mode) const {
    return place[static_cast<std::size_t>(feature(entry, mode))];
  }

  void solve(Index first, Index last, const PersonFactors& factors) {
    const Index k = factors.stacked.cols(), cells = last - first;
    likelihood.resize(cells, k);
    double events = 0;
    for (Index e = first; e < last; ++e) {
      likelihood.row(e - first) = factors.stacked.row(feature(e, 0));
      for (Index m = 1; m < sums.modes(); ++m) {
        likelihood.row(e - first).array() *= factors.stacked.row(feature(e, m)).array();
      }
      // Many modes of small numbers: only ratios count.
      const double largest = likelihood.row(e - first).maxCoeff();
      likelihood.row(e - first) *= largest >= kShortestPerson ? 1 / largest : 0;
      events += sums.count(e);
    }
    weight.resize(1, k);
    proportions.resize(1, k);
    total.resize(1, k);
    proportions = factors.alpha.transpose().array() + events / static_cast<double>(k);
    for (int round = 0; round < factors.rounds; ++round) {
      exp_digamma(proportions.data(), k, weight.data());
      total = factors.alpha.transpose();
      for (Index c = 0; c < cells; ++c) {
        const double sum = likelihood.row(c).dot(weight);
        if (sum < kShortestPerson) continue;
        total.array() += likelihood.row(c).array() * weight.array() * (sums.count(first + c) / sum);
      }
      proportions = total;
    }
    exp_digamma(proportions.data(), k, weight.data());
  }
};

template <class Part>
std::vector<double> PersonSums::sum(Index numbers, Part part) const {
  return sum_over_people(
      begin_, numbers, [&] { return Worker(*this); }, part);
}

PersonSums::PersonSums(std::unique_ptr<const SparseTensor> events)
    : PersonSums(std::move(events), *events) {}

PersonSums::PersonSums(std::unique_ptr<const SparseTensor>&& own, const SparseTensor& events)
    : own_(std::move(own)),
      events_(events),
      offset_(feature_offsets(events)),
      begin_(people_begin(events)) {
  SOTTO_REQUIRE(events.order() >= 3,
                "people need at least two modes beside them, this tensor has {}",
                events.order() - 1);
  for (const double v : events.values()) {
    SOTTO_REQUIRE(v >= 0 && v <= kMostEvents && v == std::floor(v),
                  "the entries must be counts: whole numbers from 0 to 2^31");
  }
}

Vector PersonSums::frequencies() const {
  const auto part = [](Worker& work, Index first, Index last, const auto& add) {
    work.gather(first, last);
    double square = 0;
    for (const double v : work.x) square += v * v;
    const double scale = to_norm_one(square);
    for (std::size_t i = 0; i < work.own.size(); ++i) add(work.own[i], work.x[i] * scale);
  };
  const std::vector<double> sums = sum(features(), part);
  return Eigen::Map<const Vector>(sums.data(), features());
}

Matrix PersonSums::pairs(std::span<const std::int32_t> core, const Vector& weights) const {
  const Index size = std::ssize(core);
  SOTTO_REQUIRE(weights.size() == size, "{} weights for {} features", weights.size(), size);
  std::vector<std::int32_t> in_core(static_cast<std::size_t>(features()), -1);
  for (Index c = 0; c < size; ++c) {
    in_core.at(static_cast<std::size_t>(core[static_cast<std::size_t>(c)])) =
        static_cast<std::int32_t>(c);
  }
  const auto row_start = [size](Index i) { return i * size - i * (i - 1) / 2 - i; };  // plus j >= i
  const auto part = [&](Worker& work, Index first, Index last, const auto& add) {
    work.gather(first, last);
    // Core features first, in the order of the core.
    std::vector<std::int32_t> kept;
    for (const std::int32_t j : work.own) {
      if (in_core[static_cast<std::size_t>(j)] >= 0) {
        kept.push_back(in_core[static_cast<std::size_t>(j)]);
      }
    }
    std::sort(kept.begin(), kept.end());
    const Index own = std::ssize(kept);
    std::vector<double> count(static_cast<std::size_t>(own));
    for (Index i = 0; i < own; ++i) {
      std::int32_t& at = work.place[static_cast<std::size_t>(
          core[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])])];
      count[static_cast<std::size_t>(i)] = work.x[static_cast<std::size_t>(at)];
      at = static_cast<std::int32_t>(i);
    }
    const Eigen::Map<const Vector> x(count.data(), own);
    work.block.resize(own, own);
    work.block.noalias() = x * x.transpose();
    std::vector<Index> mine;
    for (Index e = first; e < last; ++e) {
      mine.clear();
      for (Index m = 0; m < modes(); ++m) {
        if (in_core[static_cast<std::size_t>(work.feature(e, m))] >= 0) {
          mine.push_back(work.local(e, m));
        }
      }
      for (const Index i : mine) {
        for (const Index j : mine) work.block(i, j) -= this->count(e);
      }
    }
    double square = 0;
    for (Index i = 0; i < own; ++i) {
      const double gi = weights[kept[static_cast<std::size_t>(i)]];
      for (Index j = i; j < own; ++j) {
        double& v = work.block(i, j);
        v *= gi * weights[kept[static_cast<std::size_t>(j)]];
        square += (i == j ? 1 : 2) * v * v;
      }
    }
    const double scale = to_norm_one(square);
    if (scale == 0) return;
    for (Index i = 0; i < own; ++i) {
      const Index row = row_start(kept[static_cast<std::size_t>(i)]);
      for (Index j = i; j < own; ++j) {
        add(row + kept[static_cast<std::size_t>(j)], work.block(i, j) * scale);
      }
    }
  };
  const std::vector<double> packed = sum(size * (size + 1) / 2, part);
  Matrix full(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = i; j < size; ++j) {
      full(i, j) = full(j, i) = packed[static_cast<std::size_t>(row_start(i) + j)];
    }
  }
  return full;
}

Vector PersonSums::triples(const TripleBasis& basis) const {
  const Index others = basis.of_other.cols(), numbers = basis.size();
  SOTTO_REQUIRE(std::ssize(basis.of_mode) == modes() && basis.of_other.rows() == features(),
                "a basis of triples has a matrix for each of {} modes", modes());
  const auto part = [&](Worker& work, Index first, Index last, const auto& add) {
    Eigen::RowVectorXd all = Eigen::RowVectorXd::Zero(others), one(others);
    const auto other_of = [&](Index e) {
      one = basis.of_other.row(work.feature(e, 0));
      for (Index m = 1; m < modes(); ++m) one += basis.of_other.row(work.feature(e, m));
    };
    for (Index e = first; e < last; ++e) {
      other_of(e);
      all += count(e) * one;
    }
    std::vector<double> numbers_of(static_cast<std::size_t>(numbers), 0);
    for (Index begin = first; begin < last; begin += kCellsAtATime) {
      const Index cells = std::min(kCellsAtATime, last - begin);
      work.right.resize(cells, others);
      for (Index c = 0; c < cells; ++c) {
        other_of(begin + c);
        work.right.row(c) = count(begin + c) * (all - one);
      }
      double* at = numbers_of.data();
      for (Index a = 0; a < modes(); ++a) {
        const RowMatrix& of_a = basis.of_mode[static_cast<std::size_t>(a)];
        for (Index b = a + 1; b < modes(); ++b) {
          const RowMatrix& of_b = basis.of_mode[static_cast<std::size_t>(b)];
          work.left.resize(cells, of_a.cols() * of_b.cols());
          for (Index c = 0; c < cells; ++c) {
            const auto row_a = of_a.row(cell(begin + c)[static_cast<std::size_t>(a)]);
            const auto row_b = of_b.row(cell(begin + c)[static_cast<std::size_t>(b)]);
            for (Index i = 0; i < of_a.cols(); ++i) {
              work.left.row(c).segment(i * of_b.cols(), of_b.cols()) = row_a[i] * row_b;
            }
          }
          Eigen::Map<RowMatrix>(at, work.left.cols(), others).noalias() +=
              work.left.transpose() * work.right;
          at += work.left.cols() * others;
        }
      }
    }
    double square = 0;
    for (const double v : numbers_of) square += v * v;
    const double scale = to_norm_one(square);
    if (scale == 0) return;
    for (Index n = 0; n < numbers; ++n) add(n, numbers_of[static_cast<std::size_t>(n)] * scale);
  };
  const std::vector<double> sums = sum(numbers, part);
  return Eigen::Map<const Vector>(sums.data(), numbers);
}

RowMatrix PersonSums::expected_counts(const PersonFactors& factors, const Vector& scale) const {
  const Index k = factors.stacked.cols();
  SOTTO_REQUIRE(factors.stacked.rows() == features() && factors.alpha.size() == k &&
                    scale.size() == features(),
                "factors and scales of {} features are needed", features());
  const auto part = [&](Worker& work, Index first, Index last, const auto& add) {
    work.gather(first, last);
    work.solve(first, last, factors);
    work.block.resize(std::ssize(work.own), k);
    work.block.setZero();
    for (Index e = first; e < last; ++e) {
      const auto row = work.likelihood.row(e - first);
      const double sum = row.dot(work.weight);
      if (sum < kShortestPerson) continue;
      work.total = row.array() * work.weight.array() * (count(e) / sum);
      for (Index m = 0; m < modes(); ++m) work.block.row(work.local(e, m)) += work.total;
    }
    double square = 0;
    for (Index i = 0; i < work.block.rows(); ++i) {
      work.block.row(i) *= scale[work.own[static_cast<std::size_t>(i)]];
      for (Index t = 0; t < k; ++t) square += work.block(i, t) * work.block(i, t);
    }
    const double weight = to_norm_one(square);
    if (weight == 0) return;
    for (Index i = 0; i < work.block.rows(); ++i) {
      const Index row = Index{work.own[static_cast<std::size_t>(i)]} * k;
      for (Index t = 0; t < k; ++t) add(row + t, work.block(i, t) * weight);
    }
  };
  const std::vector<double> sums = sum(features() * k, part);
  return Eigen::Map<const RowMatrix>(sums.data(), features(), k);
}

RowMatrix PersonSums::loadings(const PersonFactors& factors, Index bins) const {
  const Index k = factors.stacked.cols();
  SOTTO_REQUIRE(factors.stacked.rows() == features() && factors.alpha.size() == k && bins >= 1,
                "factors of {} features are needed", features());
  const auto part = [&](Worker& work, Index first, Index last, const auto& add) {
    double events = 0;
    for (Index e = first; e < last; ++e) events += count(e);
    if (events == 0) return;
    work.solve(first, last, factors);
    const double whole = work.proportions.sum();
    for (Index t = 0; t < k; ++t) {
      const double share = work.proportions[t] / whole * static_cast<double>(bins);
      const Index bin = share >= 0 ? std::min(bins - 1, static_cast<Index>(share)) : 0;
      add(bin * k + t, 1 / std::sqrt(static_cast<double>(k)));
    }
  };
  const std::vector<double> sums = sum(bins * k, part);
  return Eigen::Map<const RowMatrix>(sums.data(), bins, k);
}

RowMatrix PersonSums::proportions(const PersonFactors& factors) const {
  const Index k = factors.stacked.cols();
  SOTTO_REQUIRE(factors.stacked.rows() == features() && factors.alpha.size() == k,
                "factors of {} features are needed", features());
  RowMatrix found(events_.dims()[0], k);
  found.rowwise() = factors.alpha.transpose() / factors.alpha.sum();
  parallel_for_with(
      people(), {64}, [&] { return Worker(*this); },
      [&](Worker& work, Index p) {
        const auto at = static_cast<std::size_t>(p);
        work.solve(begin_[at], begin_[at + 1], factors);
        found.row(events_.index(begin_[at])[0]) = work.proportions / work.proportions.sum();
      });
  return found;
}

}  // namespace sotto
