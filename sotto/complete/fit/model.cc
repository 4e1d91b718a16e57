#include "sotto/complete/fit/model.h"

#include <algorithm>
#include <array>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/base/random.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/kernels/cp_entry.h"
#include "sotto/complete/kernels/packs.h"
#include "sotto/complete/kernels/tucker_entry.h"

namespace sotto {
namespace {

constexpr std::uint64_t kStartStream = 41;

Index core_rows(Index rank, Index order) {
  Index rows = 1;
  for (Index m = 1; m < order; ++m) rows *= rank;
  return rows;
}

const double* factor_row(const CompletionModel& model, std::size_t mode, std::int32_t row) {
  if (row == kUnknownRow) return model.unknown_factors[mode].data();
  return model.factors[mode].data() + model.stride() * row;
}

// Calls store(entry, low-rank part) for those of the entries first .. last-1 whose factors are all
// known.
template <int O, int S, class Store>
void for_each_low_rank(const CompletionModel& model, const ObservedEntries& entries, Index first,
                       Index last, Store store) {
  TuckerEntry<O, S> tucker(model.rank);
  for (Index e = first; e < last; ++e) {
    if (model.unknown_factors.empty() && entries.has_unknown_row(e)) continue;
    std::array<const double*, O> rows{};
    for (int m = 0; m < O; ++m) {
      rows[m] = factor_row(model, static_cast<std::size_t>(m), entries.row(m, e));
    }
    store(e, model.kind == LowRank::cp ? CpEntry<O, S>(rows).value
                                       : tucker.predict(rows, model.core.data()));
  }
}

template <class Store>
void low_rank_of(const CompletionModel& model, const ObservedEntries& entries, Index first,
                 Index last, Store store) {
  with_order(model.order(), [&](auto o) {
    with_stride(model.stride(),
                [&](auto s) { for_each_low_rank<o(), s()>(model, entries, first, last, store); });
  });
}

// The prediction from the low-rank part x, which is 0 at an entry with an unknown row: adds biases,
// undoes the scaling, clips.
double finish(const CompletionModel& model, const ObservedEntries& entries, Index e, double x) {
  x += model.biases.predict(entries, e);
  if (model.unknown_value && entries.has_unknown_row(e)) x = *model.unknown_value;
  if (model.scaling) x = model.scaling->restore(entries, e, x);
  return model.range ? std::clamp(x, model.range->first, model.range->second) : x;
}

void fill_rows(FactorRows& rows, Index rank, double centre, double spread, SeededRandom& random) {
  rows.setZero();
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index r = 0; r < rank; ++r) rows(i, r) = centre + spread * random.normal();
  }
}

// A superdiagonal of ones, where index r of the last mode meets r in all others.
FactorRows start_core(Index rank, Index order, double spread, SeededRandom& random) {
  FactorRows core(core_rows(rank, order), padded_rank(rank));
  fill_rows(core, rank, 0, spread, random);
  const Index step = superdiagonal_step(rank, order);
  for (Index r = 0; r < rank; ++r) core(r * step, r) += 1;
  return core;
}

}  // namespace

Index CompletionModel::stride() const { return padded_rank(rank); }

Index superdiagonal_step(Index rank, Index order) {
  Index step = 0;
  for (Index m = 1; m < order; ++m) step = step * rank + 1;
  return step;
}

double CompletionModel::low_rank(const ObservedEntries& entries, Index entry) const {
  double x = 0;
  low_rank_of(*this, entries, entry, entry + 1, [&](Index, double found) { x = found; });
  return x;
}

double CompletionModel::predict(const ObservedEntries& entries, Index entry) const {
  return finish(*this, entries, entry, low_rank(entries, entry));
}

std::vector<double> CompletionModel::predict(const ObservedEntries& entries) const {
  constexpr Index kChunk = 1 << 14;
  std::vector<double> result(entries.value.size());
  const Index chunks = (entries.size() + kChunk - 1) / kChunk;
  parallel_for(chunks, {0, chunks > 1}, [&](Index c) {
    const Index first = c * kChunk, last = std::min(entries.size(), first + kChunk);
    low_rank_of(*this, entries, first, last,
                [&](Index e, double x) { result[static_cast<std::size_t>(e)] = x; });
    for (Index e = first; e < last; ++e) {
      double& x = result[static_cast<std::size_t>(e)];
      x = finish(*this, entries, e, x);
    }
  });
  return result;
}

Matrix CompletionModel::factor(Index mode) const {
  return factors[static_cast<std::size_t>(mode)].leftCols(rank);
}

DenseTensor CompletionModel::core_tensor() const {
  SOTTO_REQUIRE(kind == LowRank::tucker, "only a Tucker model has a core");
  AlignedValues values;
  for (Index q = 0; q < core.rows(); ++q) {
    for (Index r = 0; r < rank; ++r) values.push_back(core(q, r));
  }
  return DenseTensor(std::vector<Index>(factors.size(), rank), std::move(values));
}

void check_model(LowRank kind, Index rank, Index order) {
  SOTTO_REQUIRE(order >= kMinObservedOrder && order <= kMaxObservedOrder,
                "completion takes tensors of order 3 to 5, got order {}", order);
  SOTTO_REQUIRE(rank >= 1 && rank <= kMaxCompletionRank, "the rank must be 1 to {}, got {}",
                kMaxCompletionRank, rank);
  SOTTO_REQUIRE(kind == LowRank::cp || core_rows(rank, order) * rank <= kMaxCoreSize,
                "a Tucker core of rank {} and order {} has more than {} numbers; take a lower rank",
                rank, order, kMaxCoreSize);
}

CompletionModel start_model(LowRank kind, Index rank, const std::vector<Index>& dims,
                            const Start& start) {
  const auto order = static_cast<Index>(dims.size());
  check_model(kind, rank, order);
  SOTTO_REQUIRE(start.centre.size() == dims.size(), "one centre a mode is needed");
  CompletionModel model;
  model.kind = kind;
  model.rank = rank;
  SeededRandom random(start.seed, kStartStream + (start.attempt << 32));
  for (std::size_t m = 0; m < dims.size(); ++m) {
    model.factors.emplace_back(dims[m], padded_rank(rank));
    fill_rows(model.factors[m], rank, start.centre[m], start.spread, random);
    if (dims[m] > 1) continue;
    model.factors[m].setZero();
    model.factors[m].leftCols(kind == LowRank::cp ? rank : 1).setOnes();
  }
  if (kind == LowRank::tucker) model.core = start_core(rank, order, start.core_spread, random);
  for (const Index dim : dims) model.biases.rows.push_back(Vector::Zero(dim));
  return model;
}

}  // namespace sotto
