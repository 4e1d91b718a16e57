// The dgemm rate of this machine in GF/s: OpenBLAS (if present) and this library's own product,
// over square and narrow shapes. Prints "NAME GFLOPS" lines.
#include <cstdio>

#include "bench/openblas.h"
#include "bench/timing.h"
#include "sotto/linalg/gemm.h"

using sotto::Index;
using sotto::Matrix;

int main() {
  const struct {
    const char* name;
    int m, n, k;
  } shapes[] = {{"square_1000", 1000, 1000, 1000},
                {"square_2000", 2000, 2000, 2000},
                {"narrow_4000x32", 4000, 32, 4000}};
  for (const auto& s : shapes) {
    const Matrix a = Matrix::Random(s.m, s.k), b = Matrix::Random(s.k, s.n);
    const double flops = 2.0 * s.m * s.n * s.k;
    const double seam = sotto::bench::best_seconds([&] { return sotto::multiply(a, b); });
    std::printf("seam.%s %.2f\n", s.name, flops / seam / 1e9);
#ifdef HAVE_OPENBLAS
    Matrix c(s.m, s.n);
    const double one = 1, zero = 0;
    const double blas = sotto::bench::best_seconds([&] {
      dgemm_("N", "N", &s.m, &s.n, &s.k, &one, a.data(), &s.m, b.data(), &s.k, &zero, c.data(),
             &s.m);
    });
    std::printf("openblas.%s %.2f\n", s.name, flops / blas / 1e9);
#endif
  }
}
