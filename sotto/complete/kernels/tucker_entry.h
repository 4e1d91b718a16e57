// One observed entry under the Tucker model: the prediction, and its gradient with respect to every
// row and to the core.
//
// With H_0 the core and H_{m+1} = sum_i a^m_i H_m[i,..] (the core contracted with the first rows),
// and K_m the outer product of the rows m, m+1, ..:
//   x^ = <H_m, K_m> for every m,   dx^/da^m_i = <H_m[i,..], K_{m+1}>,   dx^/dG = K_0.
// The last mode is stored in S numbers (padding 0), the others in `rank`, so that all inner loops
// run over whole packs. Cost: about 6 rank^(O-1) S flops with the update of the core.
#pragma once

#include <array>
#include <vector>

#include "sotto/complete/kernels/packs.h"

namespace sotto {

// Work space for entries of one model; not shared between threads.
template <int O, int S>
class TuckerEntry {
 public:
  explicit TuckerEntry(Index rank) : rank_(rank), last_(S) {
    for (int m = 1; m < O; ++m) {
      contracted_[m].resize(static_cast<std::size_t>(outer_size(m)));
      outer_[m].resize(static_cast<std::size_t>(outer_size(m)));
    }
  }

  // The prediction. `rows[m]` is the row of mode m; core has rank^(O-1) rows of S numbers.
  double predict(const std::array<const double*, O>& rows, const double* core) {
    const double* h = core;
    for (int m = 0; m < O - 1; ++m) {
      double* out = m == O - 2 ? last_.data() : contracted_[m + 1].data();
      contract(h, rows[m], outer_size(m + 1), out);
      h = out;
    }
    return (Pack<S>::load(last_.data()) * Pack<S>::load(rows[O - 1])).sum();
  }

  // After predict of the same rows: the slopes of the prediction, S numbers a mode.
  void slopes(const std::array<const double*, O>& rows, const double* core,
              std::array<Pack<S>, O>& slope) {
    slope[O - 1] = Pack<S>::load(last_.data());
    make_outer(rows);
    for (int m = O - 2; m >= 0; --m) {
      const double* h = m == 0 ? core : contracted_[m].data();
      slope[m] = inner(h, outer(m + 1), outer_size(m + 1));
    }
  }

  // After slopes: core = keep * core + gain * K_0, the step of gradient descent on the core.
  void step_core(const std::array<const double*, O>& rows, double keep, double gain, double* core) {
    const double* k = outer(1);
    const Index size = outer_size(1);
    for (Index i = 0; i < rank_; ++i) {
      const double weight = gain * rows[0][i];
      double* g = core + i * size;
      for (Index at = 0; at < size; at += S) {
        (Pack<S>::load(g + at) * keep + Pack<S>::load(k + at) * weight).store(g + at);
      }
    }
  }

  // After slopes: K_1 as rank^(O-2) rows of S numbers.
  const double* outer_of_later_modes() const { return outer(1); }

 private:
  const double* outer(int m) const { return outer_[m].data(); }
  // Numbers of K_m and of H_{m-1}[i,..].
  Index outer_size(int m) const {
    Index size = S;
    for (int n = m; n < O - 1; ++n) size *= rank_;
    return size;
  }

  // out = sum_i row[i] h[i,..], blocks of `size` numbers.
  void contract(const double* h, const double* row, Index size, double* out) const {
    for (Index at = 0; at < size; at += S) {
      Pack<S> sum = Pack<S>::load(h + at) * row[0];
      for (Index i = 1; i < rank_; ++i) sum += Pack<S>::load(h + i * size + at) * row[i];
      sum.store(out + at);
    }
  }

  // K_m for m = O-1 .. 1.
  void make_outer(const std::array<const double*, O>& rows) {
    Pack<S>::load(rows[O - 1]).store(outer_[O - 1].data());
    for (int m = O - 2; m >= 1; --m) {
      const Index size = outer_size(m + 1);
      for (Index i = 0; i < rank_; ++i) {
        for (Index at = 0; at < size; at += S) {
          (Pack<S>::load(outer(m + 1) + at) * rows[m][i]).store(outer_[m].data() + i * size + at);
        }
      }
    }
  }

  // Number i is <h[i,..], k>; the padding of the result is 0.
  Pack<S> inner(const double* h, const double* k, Index size) const {
    alignas(32) double result[S] = {};
    for (Index i = 0; i < rank_; ++i) {
      Pack<S> sum = Pack<S>::load(h + i * size) * Pack<S>::load(k);
      for (Index at = S; at < size; at += S) {
        sum += Pack<S>::load(h + i * size + at) * Pack<S>::load(k + at);
      }
      result[i] = sum.sum();
    }
    return Pack<S>::load(result);
  }

  Index rank_;
  std::array<std::vector<double>, O> contracted_;  // H_1 .. H_{O-2}
  std::vector<double> last_;                       // H_{O-1}
  std::array<std::vector<double>, O> outer_;       // K_1 .. K_{O-1}
};

}  // namespace sotto
