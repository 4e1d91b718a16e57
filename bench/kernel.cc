// The block contraction kernel: its effective rate 2 d^p L / time in GF/s, which compares with a
// dgemm that ignores symmetry. Prints "NAME GFLOPS" lines.
#include <cmath>
#include <cstdio>

#include "bench/timing.h"
#include "sotto/base/random.h"
#include "sotto/tensor/contraction.h"

int main() {
  const struct {
    int order;
    sotto::Index dim, columns;
  } cases[] = {{3, 100, 32}, {3, 200, 10}, {3, 200, 32}, {3, 400, 32}, {4, 40, 32}, {4, 80, 32}};
  for (const auto& c : cases) {
    sotto::SymmetricTensor tensor(c.dim, c.order);
    sotto::SeededRandom random(1);
    for (double& x : tensor.packed()) x = random.normal();
    const sotto::Matrix block = sotto::Matrix::Random(c.dim, c.columns);
    const double seconds =
        sotto::bench::best_seconds([&] { return sotto::contract(tensor, block); });
    const double flops = 2 * std::pow(c.dim, c.order) * static_cast<double>(c.columns);
    std::printf("order%d_d%ld_L%ld %.2f\n", c.order, c.dim, c.columns, flops / seconds / 1e9);
  }
}
