#include "sotto/linalg/kernels/narrow_gemm.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"

namespace sotto {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor random_matrix(Index rows, Index columns, SeededRandom& random) {
  RowMajor m(rows, columns);
  for (Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
  return m;
}

TEST(NarrowGemm, adds_the_product_for_a_matrix_and_for_a_transpose) {
  SeededRandom random(1);
  for (const Index m : {1, 5, 6, 7, 25, 35}) {
    for (const Index k : {0, 1, 3, 511, 512, 1025}) {
      for (const Index n : {1, 2, 4, 7, 8, 9, 10, 12, 16, 18, 20, 24, 26, 28, 31, 32, 33, 60, 70}) {
        const RowMajor a = random_matrix(m, k, random), b = random_matrix(k, n, random),
                       start = random_matrix(m, n, random), at = a.transpose();
        RowMajor expected = start;
        for (Index i = 0; i < m; ++i) {
          for (Index t = 0; t < k; ++t) expected.row(i) += a(i, t) * b.row(t);
        }
        RowMajor c = start;
        kernels::narrow_gemm_accumulate({a.data(), m, k, k, 1}, b.data(), c.data(), {n, n});
        EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-11) << m << " " << k << " " << n;
        c = start;
        kernels::narrow_gemm_accumulate({at.data(), m, k, 1, m}, b.data(), c.data(), {n, n});
        EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-11) << m << " " << k << " " << n;
      }
    }
  }
}

// Columns of padding stay as they are, whatever stands beside the full vectors of the others.
TEST(NarrowGemm, padded_columns_are_those_of_the_product_without_padding) {
  SeededRandom random(4);
  for (const kernels::NarrowColumns n : {kernels::NarrowColumns{4, 1},
                                         {4, 2},
                                         {4, 3},
                                         {8, 6},
                                         {12, 9},
                                         {12, 10},
                                         {12, 11},
                                         {20, 18},
                                         {28, 25},
                                         {28, 26},
                                         {36, 34},
                                         {60, 58}}) {
    for (const Index m : {1, 4, 15, 16, 49}) {
      const RowMajor a = random_matrix(m, 530, random);
      RowMajor b = random_matrix(530, n.all, random), c = random_matrix(m, n.all, random);
      b.rightCols(n.all - n.used).setZero();
      const RowMajor expected = c + a.lazyProduct(b);
      kernels::narrow_gemm_accumulate({a.data(), m, 530, 530, 1}, b.data(), c.data(), n);
      EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-11) << m << " " << n.all << " " << n.used;
    }
  }
}

// Rows side by side are worked on in blocks.
TEST(NarrowGemm, adds_the_product_over_several_blocks) {
  SeededRandom random(2);
  for (const Index m : {763, 768, 1550}) {
    for (const Index n : {10, 13, 30}) {
      const RowMajor a = random_matrix(m, 37, random), b = random_matrix(37, n, random),
                     start = random_matrix(m, n, random), at = a.transpose();
      RowMajor c = start;
      kernels::narrow_gemm_accumulate({at.data(), m, 37, 1, m}, b.data(), c.data(), {n, n});
      EXPECT_LT((c - start - a.lazyProduct(b)).cwiseAbs().maxCoeff(), 1e-12) << m << " " << n;
    }
  }
}

// What C held, and what stands in the padding of B, makes no difference.
TEST(NarrowGemm, an_upright_product_takes_the_place_of_what_was_there) {
  SeededRandom random(3);
  for (const Index m : {5, 16, 763, 1550}) {
    for (const Index k : {0, 1, 37}) {
      for (const kernels::NarrowColumns n :
           {kernels::NarrowColumns{12, 10}, {12, 12}, {4, 1}, {32, 29}}) {
        const RowMajor a = random_matrix(m, k, random), b = random_matrix(k, n.all, random),
                       at = a.transpose();
        RowMajor expected = a.lazyProduct(b), c = random_matrix(m, n.all, random);
        expected.rightCols(n.all - n.used).setZero();
        kernels::narrow_gemm_upright({at.data(), m, k, 1, m}, b.data(), c.data(), n);
        EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-12) << m << " " << k << " " << n.used;

        // Columns that begin m + 3 numbers apart leave what is between them alone.
        Matrix columns = Matrix::Constant(m + 3, n.used, 7);
        kernels::narrow_gemm_upright_columns({at.data(), m, k, 1, m}, b.data(), columns.data(),
                                             m + 3, n);
        EXPECT_LT((columns.topRows(m) - expected.leftCols(n.used)).cwiseAbs().maxCoeff(), 1e-12);
        EXPECT_TRUE((columns.bottomRows(3).array() == 7).all());
      }
    }
  }
}

}  // namespace
}  // namespace sotto
