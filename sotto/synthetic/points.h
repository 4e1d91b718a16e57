// Points around latent components: data with a known truth for the streaming methods and mixtures.
//
// Each record picks a component h with probability w_h and is x = c v_h + e, where
// e = noise * N(0, I)/sqrt(d), so that |e| is about `noise`.
//
//   c = 1 (default): the points of the private streaming prototype. Noise leaves a trace in the
//     third moment: E[x^(x)3] = sum_h w_h v_h^(x)3 + (noise^2/d) (m (x) I in its 3 placements),
//     m = sum_h w_h v_h, because E[v (x) e (x) e] does not vanish. Power iterations on it end
//     within O(noise^2/d) of the v_h, whatever the number of records.
//   centred: c is 4^(1/3) with probability 1/3 and -4^(1/3)/2 otherwise, so E[c] = 0 and
//     E[c^3] = 1. Then the trace of the noise vanishes and E[x^(x)3] = sum_h w_h v_h^(x)3 exactly.
//   mixture: a mixture of Gaussians of one spherical variance s^2 = noise^2/d. Its means have
//     random directions instead of the orthonormal v_h. They all have the same length, such that
//     the two nearest are `separation` times s apart.
//
// With max_norm, a longer record is clipped to that norm, as in private methods. The vectors remain
// the truth up to the same order as above; the weights shrink.
// Record i depends on the seed and i alone, not on the number of threads or the block size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/options.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

enum class PointKind { orthonormal, mixture };
constexpr auto enum_names(PointKind) {
  return std::to_array<EnumName<PointKind>>(
      {{PointKind::orthonormal, "orthonormal"}, {PointKind::mixture, "mixture"}});
}

struct PointModel {
  PointKind model = PointKind::orthonormal;
  std::int64_t dim = 50;
  std::int64_t components = 3;
  std::int64_t records = 100000;
  std::vector<double> weights;  // probabilities up to a factor; empty: from 2 down to 1
  double noise = 0.5;
  bool centred = false;
  double separation = 8;  // mixture only
  double max_norm = 0;    // 0: none
  std::int64_t seed = 0;

  OptionTable table();
  bool is_mixture() const { return model == PointKind::mixture; }
  // Standard deviation of the noise in one coordinate.
  double deviation() const;
};

// Makes the records as they are read. Can be rewound.
class SyntheticPoints final : public PointSource {
 public:
  explicit SyntheticPoints(const PointModel& model);

  Index dim() const override { return vectors_.rows(); }
  std::string name() const override { return "synthetic points"; }
  std::optional<Index> records() const override { return model_.records; }
  bool can_rewind() const override { return true; }

  const Matrix& vectors() const { return vectors_; }  // d x k: orthonormal, or the means
  const Vector& weights() const { return weights_; }  // sum to 1

 protected:
  Index fill(Index max_rows, PointBlock& block) override;
  void restart() override { next_ = 0; }

 private:
  void make_record(Index number, double* x) const;

  PointModel model_;
  Matrix vectors_;
  Vector weights_;
  Vector cumulated_;
  Index next_ = 0;
};

}  // namespace sotto
