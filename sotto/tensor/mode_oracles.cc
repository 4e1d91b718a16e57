#include "sotto/tensor/mode_oracles.h"

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/gemm.h"

namespace sotto {
namespace {

using RowMajorMap =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

void check_factors(const std::vector<Index>& dims, int mode, const std::vector<Matrix>& factors) {
  SOTTO_REQUIRE(factors.size() == dims.size(), "{} factors for a tensor of order {}",
                factors.size(), dims.size());
  const Matrix& some = factors[mode == 0 ? 1 : 0];
  for (std::size_t m = 0; m < dims.size(); ++m) {
    if (static_cast<int>(m) == mode) continue;
    SOTTO_REQUIRE(factors[m].rows() == dims[m] && factors[m].cols() == some.cols(),
                  "factor {} is {} x {}, expected {} x {}", m, factors[m].rows(), factors[m].cols(),
                  dims[m], some.cols());
  }
}

// One column's partly contracted tensor, over modes [low, high], in C order.
struct Partial {
  Vector data;
  std::size_t low, high;
};

// Contracts the last mode of the partial tensor: rows are contiguous.
void contract_last(Partial& p, const Vector& u) {
  const Vector next = RowMajorMap(p.data.data(), p.data.size() / u.size(), u.size()) * u;
  p.data = next;
  --p.high;
}

void contract_first(Partial& p, const Vector& u) {
  const Vector next =
      RowMajorMap(p.data.data(), u.size(), p.data.size() / u.size()).transpose() * u;
  p.data = next;
  ++p.low;
}

}  // namespace

Matrix DenseModeOracle::contract_all_but(int mode, const std::vector<Matrix>& factors) {
  const auto& dims = tensor_.dims();
  check_factors(dims, mode, factors);
  const std::size_t last = dims.size() - 1;
  const auto target = static_cast<std::size_t>(mode);
  // The one large product contracts the last mode, or the first when the last is wanted. In C order
  // the tensor is, column-major, a (d_p x rest) matrix and also a (rest x d_1) matrix.
  const bool keep_last = target == last;
  const Index gone = keep_last ? dims.front() : dims.back();
  const Index rest = tensor_.size() / gone;
  const double* values = tensor_.values().data();
  const Matrix product =
      keep_last ? multiply(Eigen::Map<const Matrix>(values, rest, gone), factors.front())
                : multiply_transposed(Eigen::Map<const Matrix>(values, gone, rest), factors.back());
  Matrix result(dims[target], product.cols());
  parallel_for(product.cols(), {0, product.size() > 1000000}, [&](Index l) {
    Partial p{product.col(l), keep_last ? std::size_t{1} : 0, keep_last ? last : last - 1};
    while (p.high > target) contract_last(p, factors[p.high].col(l));
    while (p.low < target) contract_first(p, factors[p.low].col(l));
    result.col(l) = p.data;
  });
  return result;
}

Vector DenseModeOracle::values(const std::vector<Matrix>& factors) {
  return column_dots(factors.front(), contract_all_but(0, factors));
}

std::unique_ptr<ModeOracle> mode_oracle(const AnyTensor& tensor) {
  if (const auto* dense = std::get_if<DenseTensor>(&tensor)) {
    return std::make_unique<DenseModeOracle>(*dense);
  }
  return std::make_unique<SparseModeOracle>(std::get<SparseTensor>(tensor));
}

}  // namespace sotto
