// Private components of a tensor: the entries of the tensor are sensitive; its shape is public. One
// entry is protected, with epsilon 1.
#include <cmath>
#include <cstdio>

#include "sotto/sotto.h"

int main() {
  sotto::Vector a = sotto::Vector::Zero(10), b = a;
  a[2] = 1;
  b[7] = 1;
  sotto::SymmetricTensor tensor(10, 3);
  tensor.add_rank_one(5000, a);
  tensor.add_rank_one(3000, b);

  sotto::DecomposeTask task;
  task.power.components = 2;
  task.privacy.epsilon = 1;
  task.privacy.delta = 1e-6;
  task.privacy.weight = 2000;  // what we expect: the run is refused if noise would hide it
  const auto result = sotto::run(sotto::sensitive_input(tensor), task);

  const sotto::Matrix& found = result.found.vectors();
  std::printf("first component found: %s\n", std::abs(a.dot(found.col(0))) > 0.9 ? "yes" : "no");
  std::printf("second component found: %s\n", std::abs(b.dot(found.col(1))) > 0.9 ? "yes" : "no");
  std::printf("%s\n", result.certificate->to_text().c_str());
}

// Prints:
//   first component found: yes
//   second component found: yes
//   This result is differentially private with epsilon 1 and delta 1e-06. ...
