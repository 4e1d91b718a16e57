// What the private streaming power method needs to recover every component (|cos| >= 0.9 in 15 of
// 16 runs): epsilon over starts and iterations, for both methods. docs/choosing.md has the figures.
//   bench_private_stream D K N NOISE CENTRED BOUND RUNS METHOD
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "sotto/study/stream_recovery.h"

int main(int argc, char** argv) {
  using namespace sotto;
  const auto number = [&](int a, double otherwise) {
    return argc > a ? std::stod(argv[a]) : otherwise;
  };
  PointModel model;
  model.dim = static_cast<std::int64_t>(number(1, 50));
  model.components = static_cast<std::int64_t>(number(2, 3));
  model.records = static_cast<std::int64_t>(number(3, 100000));
  model.noise = number(4, 0.5);
  model.centred = number(5, 0) != 0;
  const double bound = number(6, 1);
  const int runs = static_cast<int>(number(7, 16));
  if (!model.centred) model.max_norm = bound;
  const StreamProblem problem = stream_problem(model);
  for (const std::string method : {"simultaneous", "power"}) {
    if (argc > 8 && method != argv[8]) continue;
    fmt::print("{} d {} k {} N {}; rows L, columns R = 4 6 8 10\n", method, model.dim,
               model.components, model.records);
    for (std::int64_t starts : {1, 2, 4, 8, 16}) {
      fmt::print("{:3}", starts);
      for (std::int64_t iterations : {4, 6, 8, 10}) {
        StreamOptions options;
        options.components = model.components;
        options.starts = starts;
        options.iterations = iterations;
        options.method = method;
        fmt::print(" {:7.3g}",
                   needed_epsilon(problem, options, 1e-6, bound, runs, runs - runs / 16));
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  }
}
