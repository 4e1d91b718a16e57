#include "sotto/linalg/kernels/packed_symm.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/base/random.h"

namespace sotto {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(PackedSymm, adds_the_product_of_the_unpacked_matrix) {
  SeededRandom random(1);
  const Index unit = kernels::strip_granularity();
  for (Index width = unit; width <= kernels::strip_width(); width += unit) {
    for (const Index m : {0, 1, 2, 5, 6, 7, 12, 13, 31, 64}) {
      std::vector<double> packed;
      Matrix full(m, m);
      for (Index a = 0; a < m; ++a) {
        for (Index b = a; b < m; ++b) {
          packed.push_back(random.normal());
          full(a, b) = full(b, a) = packed.back();
        }
      }
      RowMajor u(m, width), w(m, width);
      for (Index n = 0; n < u.size(); ++n) {
        u.data()[n] = random.normal();
        w.data()[n] = random.normal();
      }
      const RowMajor expected = w + full * u;
      kernels::packed_symm_accumulate(packed.data(), m, u.data(), w.data(), width);
      if (m > 0) {
        EXPECT_LT((w - expected).cwiseAbs().maxCoeff(), 1e-12) << m << " " << width;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
