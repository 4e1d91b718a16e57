#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/complete/fit/als_modes.h"
#include "sotto/complete/kernels/tucker_entry.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Entries are summed in this many pieces, whatever the number of threads.
constexpr Index kCorePieces = 8;
constexpr Index kCoreBatch = 256;

struct CoreSystem {
  Matrix outer;  // lower triangle
  Vector target;
  double square = 0;

  explicit CoreSystem(Index size) : outer(Matrix::Zero(size, size)), target(Vector::Zero(size)) {}
};

template <int O, int S>
class TuckerAls final : public Solver {
 public:
  TuckerAls(const ObservedEntries& entries, const AlsSettings& settings, CompletionModel& model)
      : entries_(entries),
        model_(model),
        rows_(entries, settings, model),
        core_lambda_(settings.core_lambda),
        core_centre_(settings.core_centre) {}

  double epoch() override {
    for (std::size_t n = 0; n < rows_.free_modes().size(); ++n) {
      const Index m = rows_.free_modes()[n];
      rows_.template solve_mode<S>(
          n, false, [&] { return TuckerEntry<O, S>(model_.rank); },
          [&](TuckerEntry<O, S>& work, RowSystem<S>& system, const AlsEntry& e) {
            std::array<Pack<S>, O> slope;
            find_slopes(work, e, slope);
            system.add(slope[static_cast<std::size_t>(m)], rows_.target(m, e));
          },
          [](Index, const RowSystem<S>&, const RowSolution&) { return 0.0; });
    }
    return solve_core();
  }

 private:
  std::array<const double*, O> rows_of(const AlsEntry& e) const {
    std::array<const double*, O> rows{};
    for (int m = 0; m < O; ++m) rows[m] = rows_.row(m, e);
    return rows;
  }
  void find_slopes(TuckerEntry<O, S>& work, const AlsEntry& e,
                   std::array<Pack<S>, O>& slope) const {
    const auto rows = rows_of(e);
    work.predict(rows, model_.core.data());
    work.slopes(rows, model_.core.data(), slope);
  }

  // The slope with respect to the core, K_0, without padding.
  void core_slope(Index e, Eigen::Ref<Vector> out) const {
    std::array<std::int32_t, O> places{};
    for (int m = 0; m < O; ++m) places[static_cast<std::size_t>(m)] = entries_.row(m, e);
    const auto rows = rows_of({places.data(), entries_.at(e)});
    Index size = 1;
    out[0] = 1;
    for (int m = O - 1; m >= 0; --m) {  // back to front, so that what is read is not overwritten
      for (Index i = model_.rank - 1; i >= 0; --i) {
        out.segment(i * size, size) = rows[m][i] * out.head(size);
      }
      size *= model_.rank;
    }
  }

  CoreSystem sum_core(Index first, Index last) const {
    const Index size = model_.core.rows() * model_.rank;
    CoreSystem sums(size);
    Matrix slopes(size, kCoreBatch);
    Vector targets(kCoreBatch);
    for (Index at = first; at < last; at += kCoreBatch) {
      const Index count = std::min(kCoreBatch, last - at);
      for (Index n = 0; n < count; ++n) {
        core_slope(at + n, slopes.col(n));
        targets[n] = entries_.at(at + n) - model_.biases.predict(entries_, at + n);
      }
      sums.outer.template selfadjointView<Eigen::Lower>().rankUpdate(slopes.leftCols(count));
      sums.target.noalias() += slopes.leftCols(count) * targets.head(count);
      sums.square += targets.head(count).squaredNorm();
    }
    return sums;
  }

  double solve_core() {
    std::vector<CoreSystem> pieces(kCorePieces, CoreSystem(0));
    const Index n = entries_.size();
    parallel_for(kCorePieces, {1, worth_threads(entries_)}, [&](Index p) {
      pieces[static_cast<std::size_t>(p)] =
          sum_core(p * n / kCorePieces, (p + 1) * n / kCorePieces);
    });
    CoreSystem all = std::move(pieces[0]);
    for (std::size_t p = 1; p < pieces.size(); ++p) {
      all.outer += pieces[p].outer;
      all.target += pieces[p].target;
      all.square += pieces[p].square;
    }
    Matrix system = all.outer;
    const double lambda = solvable_penalty(core_lambda_, system.trace(), system.rows());
    system.diagonal().array() += lambda;
    Vector right = all.target;
    const Index diagonal = superdiagonal_step(model_.rank, O) * model_.rank + 1;
    for (Index r = 0; r < model_.rank; ++r) right[r * diagonal] += lambda * core_centre_;
    const Vector core = solve_positive_definite(system, right);
    model_.core.leftCols(model_.rank) =
        Eigen::Map<const FactorRows>(core.data(), model_.core.rows(), model_.rank);
    const Vector product = all.outer.selfadjointView<Eigen::Lower>() * core;
    return std::max(0.0, all.square - 2 * core.dot(all.target) + core.dot(product));
  }

  const ObservedEntries& entries_;
  CompletionModel& model_;
  AlsModes rows_;
  double core_lambda_, core_centre_;
};

}  // namespace

std::unique_ptr<Solver> make_tucker_als(const ObservedEntries& entries, const AlsSettings& settings,
                                        CompletionModel& model) {
  const Index size = model.core.rows() * model.rank;
  SOTTO_REQUIRE(size <= kMaxAlsCoreSize,
                "least squares solves cores of at most {} numbers, rank {} has {}; take a lower "
                "rank or stochastic gradients",
                kMaxAlsCoreSize, model.rank, size);
  SOTTO_REQUIRE(settings.core_lambda >= 0, "a penalty must not be negative");
  return with_order(model.order(), [&](auto o) {
    return with_stride(model.stride(), [&](auto s) -> std::unique_ptr<Solver> {
      return std::make_unique<TuckerAls<o(), s()>>(entries, settings, model);
    });
  });
}

}  // namespace sotto
