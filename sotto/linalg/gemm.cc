#include "sotto/linalg/gemm.h"

#include <algorithm>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Rows of the result in a panel: enough for Eigen's blocking to pay, few enough to give every
// thread several panels.
constexpr Index kPanel = 256;

// A product of fewer flops takes less time than starting the threads.
constexpr double kWorthThreads = 4e6;

bool worth_threads(Index m, Index n, Index k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >
         kWorthThreads;
}

}  // namespace

Matrix multiply(const MatrixView& a, const MatrixView& b) {
  SOTTO_REQUIRE(a.cols() == b.rows(), "cannot multiply {} x {} by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  Matrix c(a.rows(), b.cols());
#pragma omp parallel for schedule(dynamic) if (worth_threads(a.rows(), b.cols(), a.cols()))
  for (Index first = 0; first < a.rows(); first += kPanel) {
    const Index rows = std::min(kPanel, a.rows() - first);
    c.middleRows(first, rows).noalias() = a.middleRows(first, rows) * b;
  }
  return c;
}

Matrix multiply_transposed(const MatrixView& a, const MatrixView& b) {
  SOTTO_REQUIRE(a.rows() == b.rows(), "cannot multiply ({} x {})^T by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  Matrix c(a.cols(), b.cols());
#pragma omp parallel for schedule(dynamic) if (worth_threads(a.cols(), b.cols(), a.rows()))
  for (Index first = 0; first < a.cols(); first += kPanel) {
    const Index rows = std::min(kPanel, a.cols() - first);
    c.middleRows(first, rows).noalias() = a.middleCols(first, rows).transpose() * b;
  }
  return c;
}

}  // namespace sotto
