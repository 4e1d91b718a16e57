// A program of another project, built against the installed library without its special flags.
#include <cstdio>

#include "sotto/decompose/power.h"
#include "sotto/tensor/contraction.h"

int main() {
  sotto::SymmetricTensor tensor(4, 3);
  sotto::Vector v = sotto::Vector::Zero(4);
  v[2] = 1;
  tensor.add_rank_one(2.5, v);
  sotto::TensorOracle oracle(tensor);
  sotto::PowerOptions options;
  options.components = 1;
  const sotto::Decomposition found = sotto::robust_power_method(oracle, options);
  std::printf("%.6f %.6f\n", found.weights[0], found.vectors()(2, 0));
  return 0;
}
