// What completion learns: biases and a low-rank part, CP or Tucker.
//
//   CP:     x = biases + sum_r a_r b_r c_r            (Wei et al. 2022, section 4.1)
//   Tucker: x = biases + sum_pqt g_pqt a_p b_q c_t
//
// A mode of one row (two modes read as three) is fixed at (1, .., 1) for CP and (1, 0, .., 0) for
// Tucker, so that the model is that of the other modes. An entry with an unknown row is predicted
// by its biases alone, or by the mean of all values where there are no biases.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/tensor/dense_tensor.h"
#include "sotto/tensor/observed.h"

namespace SOTTO_API sotto {

enum class LowRank { cp, tucker };
constexpr auto enum_names(LowRank) {
  return std::to_array<EnumName<LowRank>>({{LowRank::cp, "cp"}, {LowRank::tucker, "tucker"}});
}

// Of the rows of every mode (biases.h).
struct Biases {
  double mean = 0;
  std::vector<Vector> rows;     // one vector a mode; all 0 where a mode has no biases
  std::vector<double> unknown;  // of an unknown row, one a mode; empty: 0

  // No biases but the mean.
  static Biases constant(const ObservedEntries& entries);

  // What the rows of the entry say.
  double predict(const ObservedEntries& entries, Index entry) const {
    double x = mean;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      const std::int32_t r = entries.row(static_cast<Index>(m), entry);
      if (r != kUnknownRow) {
        x += rows[m][r];
      } else if (!unknown.empty()) {
        x += unknown[m];
      }
    }
    return x;
  }
};

class BiScaling;

constexpr Index kMaxCoreSize = 1 << 20;  // numbers

using FactorRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct CompletionModel {
  LowRank kind = LowRank::cp;
  Index rank = 0;
  std::vector<FactorRows> factors;  // dims[m] x padded_rank(rank); the padding is 0
  // Tucker: rank^(order-1) rows of padded_rank(rank), last mode fastest; the padding is 0.
  FactorRows core;
  Biases biases;
  std::shared_ptr<const BiScaling> scaling;        // of the values, undone by predict
  std::optional<std::pair<double, double>> range;  // predictions are clipped to it
  std::optional<double> unknown_value;  // for entries with an unknown row, when there are no biases
  // The factors of an unknown row, stride() numbers per mode; empty: the low-rank part is 0 there.
  std::vector<Vector> unknown_factors;

  Index order() const { return static_cast<Index>(factors.size()); }
  Index stride() const;
  bool holds(Index mode) const { return factors[static_cast<std::size_t>(mode)].rows() == 1; }

  // The low-rank part; 0 where an unknown row has no `unknown_factors`.
  double low_rank(const ObservedEntries& entries, Index entry) const;
  // The completed value.
  double predict(const ObservedEntries& entries, Index entry) const;
  // The completed values at all entries, in parallel.
  std::vector<double> predict(const ObservedEntries& entries) const;

  // Factors and core without the padding: dims[m] x rank, and rank x .. x rank.
  Matrix factor(Index mode) const;
  DenseTensor core_tensor() const;
};

// Entry (r, .., r) of a core is at place r of its row r * superdiagonal_step.
Index superdiagonal_step(Index rank, Index order);

// How the low-rank part starts: rows around `centre[m]` with normal deviations `spread`, and a
// Tucker core around the identity (1 on the superdiagonal) with deviations `core_spread`.
struct Start {
  std::vector<double> centre;
  double spread = 0.1;
  double core_spread = 0.1;
  std::uint64_t seed = 0;
  std::uint64_t attempt = 0;  // another start of the same seed
};

// Refuses orders, ranks and cores that the kernels do not support.
void check_model(LowRank kind, Index rank, Index order);

CompletionModel start_model(LowRank kind, Index rank, const std::vector<Index>& dims,
                            const Start& start);

}  // namespace sotto
