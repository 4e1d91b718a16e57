// A plan: it says what a private run would release, from public numbers alone and before any data
// is read. The run then releases exactly this.
#include <cstdio>

#include "sotto/sotto.h"

int main() {
  sotto::DecomposeTask task;
  task.power.components = 3;
  task.privacy.epsilon = 1;
  task.privacy.delta = 1e-6;

  const sotto::Plan plan = sotto::plan(task, sotto::PublicShape{/*dim=*/50, /*order=*/3});

  std::printf("%s\n", plan.method.c_str());
  for (const sotto::PlannedRelease& release : plan.releases) {
    std::printf("%s: %d values with %s noise of %.2f\n", release.what.c_str(),
                static_cast<int>(release.values), release.mechanism.c_str(),
                release.noise.value());
  }
}

// Prints:
//   noise on the tensor
//   the tensor: 22100 values with gaussian noise of ...
