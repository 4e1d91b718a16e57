#include "sotto/linalg/kernels/differences.h"

#include "sotto/linalg/kernels/lanes.h"

namespace sotto::kernels {
namespace {

// Points at a time. Each has an accumulator, and their sums do not wait for one another.
constexpr int kPoints = 8;

template <int Points>
void square_strip(const double* points, Index d, const double* centres, Index width,
                  double* squares) {
  Lanes sum[Points] = {};
  for (Index j = 0; j < d; ++j) {
    const Lanes centre = load(centres + j * width);
    for (int p = 0; p < Points; ++p) {
      const Lanes gap = points[p * d + j] - centre;
      sum[p] += gap * gap;
    }
  }
  for (int p = 0; p < Points; ++p) store(squares + p * width, sum[p]);
}

template <int Points>
void add_strip(const double* points, Index d, const double* centres, const double* weights,
               Index width, double* sums) {
  Lanes weight[Points];
  for (int p = 0; p < Points; ++p) weight[p] = load(weights + p * width);
  for (Index j = 0; j < d; ++j) {
    const Lanes centre = load(centres + j * width);
    Lanes sum = load(sums + j * width);
    for (int p = 0; p < Points; ++p) sum += weight[p] * (points[p * d + j] - centre);
    store(sums + j * width, sum);
  }
}

}  // namespace

RowMatrix padded_centres(const Matrix& centres) {
  const Index k = centres.cols();
  RowMatrix padded = RowMatrix::Zero(centres.rows(), (k + kLanes - 1) / kLanes * kLanes);
  padded.leftCols(k) = centres;
  return padded;
}

void squared_differences(const double* points, Index m, const RowMatrix& centres, double* squares) {
  const Index d = centres.rows(), width = centres.cols();
  for (Index i = 0; i < width; i += kLanes) {
    Index p = 0;
    for (; p + kPoints <= m; p += kPoints) {
      square_strip<kPoints>(points + p * d, d, centres.data() + i, width, squares + p * width + i);
    }
    for (; p < m; ++p) {
      square_strip<1>(points + p * d, d, centres.data() + i, width, squares + p * width + i);
    }
  }
}

void add_weighted_differences(const double* points, Index m, const RowMatrix& centres,
                              const double* weights, double* sums) {
  const Index d = centres.rows(), width = centres.cols();
  for (Index i = 0; i < width; i += kLanes) {
    Index p = 0;
    for (; p + kPoints <= m; p += kPoints) {
      add_strip<kPoints>(points + p * d, d, centres.data() + i, weights + p * width + i, width,
                         sums + i);
    }
    for (; p < m; ++p) {
      add_strip<1>(points + p * d, d, centres.data() + i, weights + p * width + i, width, sums + i);
    }
  }
}

}  // namespace sotto::kernels
