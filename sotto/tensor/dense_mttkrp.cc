#include <algorithm>
#include <array>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/large_matrix.h"
#include "sotto/tensor/mttkrp.h"

namespace sotto {
namespace {

Index product_of(std::span<const Index> dims) {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

// Where to cut the modes so that the halves' sizes have the smallest sum.
Index best_split(std::span<const Index> dims) {
  Index best = 1;
  const auto cost = [&](Index s) {
    return product_of(dims.first(s)) + product_of(dims.subspan(s));
  };
  for (Index s = 2; s < std::ssize(dims); ++s) {
    if (cost(s) < cost(best)) best = s;
  }
  return best;
}

// Partly contracted tensors have their remaining modes in C order and k numbers at each place.
// Products of fewer rows take less time than waiting for a second thread.
constexpr Index kWorthThreadsRows = 100000;

// Sums over rows of k numbers, k a multiple of 4: two rows fill whole registers. `Width` is 2 k
// where that is known to the compiler.
template <int Width>
struct RowPairs {
  using Pair = Eigen::Array<double, Width, 1>;
  using ConstPair = Eigen::Map<const Pair>;

  // sum_j t[j, :] * a[j, :] into `sum`.
  static void add_up(const double* t, const double* a, Index rows, Index k, double* sum) {
    Pair pair = Pair::Zero(2 * k);
    Index j = 0;
    for (; j + 2 <= rows; j += 2) {
      pair += ConstPair(t + j * k, 2 * k) * ConstPair(a + j * k, 2 * k);
    }
    for (Index r = 0; r < k; ++r) {
      sum[r] = pair[r] + pair[k + r] + (j < rows ? t[j * k + r] * a[j * k + r] : 0);
    }
  }

  // sums[i, :] += sum_n t[n][i, :] * a[n, :] over four rows of a.
  static void add_four(const std::array<const double*, 4>& t, const double* a, Index rows, Index k,
                       double* sums) {
    std::array<Pair, 4> factors;
    for (std::size_t n = 0; n < 4; ++n) {
      factors[n].resize(2 * k);
      for (Index r = 0; r < 2 * k; ++r) factors[n][r] = a[static_cast<Index>(n) * k + r % k];
    }
    Index i = 0;
    for (; i + 2 <= rows; i += 2) {
      Eigen::Map<Pair>(sums + i * k, 2 * k) += ConstPair(t[0] + i * k, 2 * k) * factors[0] +
                                               ConstPair(t[1] + i * k, 2 * k) * factors[1] +
                                               ConstPair(t[2] + i * k, 2 * k) * factors[2] +
                                               ConstPair(t[3] + i * k, 2 * k) * factors[3];
    }
    for (Index e = i * k; e < rows * k; ++e) {
      for (std::size_t n = 0; n < 4; ++n) sums[e] += t[n][e] * factors[n][e - i * k];
    }
  }
};

// sum_j T[.., j, :] * A[j, :] over the last mode.
template <int Width>
RowMatrix contract_last_mode(const RowMatrix& t, const RowMatrix& a) {
  const Index k = a.cols(), inner = a.rows(), outer = t.rows() / inner;
  RowMatrix result(outer, k);
  parallel_for(outer, {0, t.rows() > kWorthThreadsRows}, [&](Index i) {
    RowPairs<Width>::add_up(t.data() + i * inner * k, a.data(), inner, k, result.data() + i * k);
  });
  return result;
}

// sum_j T[j, .., :] * A[j, :] over the first mode, for some rows of the result at a time: they stay
// in the cache while T passes in runs.
template <int Width>
RowMatrix contract_first_mode(const RowMatrix& t, const RowMatrix& a) {
  constexpr Index kRows = 64, kTogether = 4;
  const Index k = a.cols(), inner = a.rows(), outer = t.rows() / inner;
  RowMatrix padded = RowMatrix::Zero((inner + kTogether - 1) / kTogether * kTogether, k);
  padded.topRows(inner) = a;
  RowMatrix result = RowMatrix::Zero(outer, k);
  parallel_for((outer + kRows - 1) / kRows, {0, t.rows() > kWorthThreadsRows}, [&](Index block) {
    const Index first = block * kRows, rows = std::min(kRows, outer - first);
    for (Index j = 0; j < inner; j += kTogether) {
      std::array<const double*, kTogether> from{};
      for (Index n = 0; n < kTogether; ++n) {
        // Rows beyond the last one count as zeros.
        from[static_cast<std::size_t>(n)] =
            t.data() + (std::min(j + n, inner - 1) * outer + first) * k;
      }
      RowPairs<Width>::add_four(from, padded.data() + j * k, rows, k, result.data() + first * k);
    }
  });
  return result;
}

using Contract = RowMatrix (*)(const RowMatrix&, const RowMatrix&);
struct ModeContractions {
  Contract last, first;
};
template <int Width>
constexpr ModeContractions contractions_of() {
  return {contract_last_mode<Width>, contract_first_mode<Width>};
}
ModeContractions contractions_for(Index k) {
  switch (k) {
    case 4:
      return contractions_of<8>();
    case 8:
      return contractions_of<16>();
    case 12:
      return contractions_of<24>();
    case 16:
      return contractions_of<32>();
    default:
      return contractions_of<Eigen::Dynamic>();
  }
}

// All modes contracted but the one at `wanted`.
RowMatrix contract_others(const RowMatrix& whole, std::span<const RowMatrix* const> factors,
                          Index wanted) {
  if (std::ssize(factors) == 1) return whole;
  const ModeContractions contract = contractions_for(whole.cols());
  RowMatrix t;
  const RowMatrix* from = &whole;
  for (Index n = std::ssize(factors) - 1; n > wanted; --n, from = &t) {
    t = contract.last(*from, *factors[n]);
  }
  for (Index n = 0; n < wanted; ++n, from = &t) t = contract.first(*from, *factors[n]);
  return t;
}

// Blocks of columns that stay in the cache, for sums over all entries.
constexpr Index kEntriesPerBlock = 1 << 15;

}  // namespace

RowMatrix khatri_rao(std::span<const RowMatrix> factors) {
  SOTTO_REQUIRE(!factors.empty(), "a Khatri-Rao product needs a factor");
  RowMatrix product = factors.front();
  for (const RowMatrix& factor : factors.subspan(1)) {
    RowMatrix next;
    resize_large(next, product.rows() * factor.rows(), factor.cols());
    for (Index i = 0; i < product.rows(); ++i) {
      next.middleRows(i * factor.rows(), factor.rows()) =
          factor.array().rowwise() * product.row(i).array();
    }
    product = std::move(next);
  }
  return product;
}

DenseMttkrp::DenseMttkrp(const DenseTensor& tensor, const DenseTensor* weights,
                         std::optional<double> squared_norm)
    : tensor_(tensor),
      weights_(weights),
      factors_(tensor.dims().size()),
      contractions_(tensor.order(), best_split(tensor.dims())) {
  SOTTO_REQUIRE(tensor.order() >= 2, "products of a tensor of {} need at least two modes",
                shape_text(tensor.dims()));
  squared_norm_ = squared_norm ? *squared_norm : sotto::squared_norm(tensor.values());
}

void DenseMttkrp::place(Index mode, const Matrix& factor) {
  SOTTO_REQUIRE(factor.rows() == dims()[mode], "the factor of mode {} must have {} rows, got {}",
                mode, dims()[mode], factor.rows());
  // With columns of zeros up to what a narrow product takes without copies.
  factors_[mode] = RowMatrix::Zero(factor.rows(), padded_narrow(factor.cols()));
  factors_[mode].leftCols(factor.cols()) = factor;
  components_ = factor.cols();
  contractions_.place(mode);
}

// In C order the tensor is a list of column-major matrices: places of the modes behind the
// contracted ones by places of the contracted ones.
void DenseMttkrp::contract(Contraction& over) const {
  const std::span<const Index> all = dims();
  const RowMatrix b = khatri_rao(std::span(factors_).subspan(over.first, over.last - over.first));
  const Index before = product_of(all.first(over.first)),
              after = product_of(all.subspan(over.last));
  const double* x = tensor_.values().data();
  if (after == 1) {
    multiply_transposed_narrow_into(Eigen::Map<const Matrix>(x, b.rows(), before), b, over.values);
  } else {
    multiply_narrow_list_into({x, before, after, b.rows()}, b, over.values);
  }
  over.stale = false;
}

Matrix DenseMttkrp::product(Index mode) {
  Contraction& over = contractions_.for_product(mode);
  if (over.stale) contract(over);
  std::vector<const RowMatrix*> left;
  for (Index m = 0; m < order(); ++m) {
    if (!over.holds(m)) left.push_back(&factors_[m]);
  }
  const Index place = mode < over.first ? mode : mode - (over.last - over.first);
  return contract_others(over.values, left, place).leftCols(components_);
}

double DenseMttkrp::squared_residual() const {
  const Index split = best_split(dims());
  const RowMatrix a = khatri_rao(std::span(factors_).subspan(split));
  const RowMatrix b = khatri_rao(std::span(factors_).first(split));
  const Index right = a.rows(), left = b.rows();
  const Index rows = std::min(right, kEntriesPerBlock);
  const Index columns = std::max<Index>(1, kEntriesPerBlock / rows);
  const Index blocks = (left + columns - 1) / columns;
  const Eigen::Map<const Matrix> x(tensor_.values().data(), right, left);
  std::vector<double> sums(static_cast<std::size_t>(blocks), 0.0);
  parallel_for(blocks, {1, tensor_.size() > 100000}, [&](Index c) {
    const Index first = c * columns, width = std::min(columns, left - first);
    for (Index r = 0; r < right; r += rows) {
      const Index height = std::min(rows, right - r);
      Matrix gap = x.block(r, first, height, width);
      gap.noalias() -= a.middleRows(r, height) * b.middleRows(first, width).transpose();
      if (weights_ != nullptr) {
        const Eigen::Map<const Matrix> w(weights_->values().data(), right, left);
        gap.array() *= w.block(r, first, height, width).array();
      }
      sums[static_cast<std::size_t>(c)] += gap.squaredNorm();
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace sotto
