// What the private streaming power method needs to recover every component; docs/choosing.md has
// the figures.
//   bench_private_stream search D K N NOISE CENTRED BOUND METHOD
//     the epsilon at which 15 of 16 runs find all |cos| >= 0.9, over starts and iterations
//   bench_private_stream cell D K N NOISE CENTRED BOUND METHOD L R
//     the same for one choice, 8 of 8 runs
//   bench_private_stream table SEEDS
//     the least |cos| over components and seeds against epsilon: d 50, k 3, a million records
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "sotto/release/choose_stream.h"
#include "sotto/study/stream_recovery.h"

namespace {

using namespace sotto;

void search(const PointModel& model, double bound, PowerForm method) {
  const StreamProblem problem = stream_problem(model);
  fmt::print("{} d {} k {} N {}; rows L, columns R = 4 6 8 10\n", name_of(method), model.dim,
             model.components, model.records);
  for (const std::int64_t starts : {1, 2, 4, 8, 16}) {
    fmt::print("{:3}", starts);
    for (const std::int64_t iterations : {4, 6, 8, 10}) {
      const StreamOptions options = stream_options(model, {method, starts, iterations});
      fmt::print(" {:7.3g}", needed_epsilon(problem, options, 1e-6, bound, 16, 15));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

void table(int seeds) {
  PointModel model;
  model.records = 1000000;
  model.max_norm = 1;
  const StreamProblem problem = stream_problem(model);
  const auto chosen = [&](PowerForm method) {
    return stream_options(model, choose_stream({model.dim, model.components, 3}, method));
  };
  for (const double epsilon : {0.01, 0.015, 0.02, 0.025, 0.03, 0.05, 0.1, 0.3, 1.0}) {
    const auto least = [&](const StreamOptions& options, const RecordNorm& norm) {
      double worst = 1;
      for (int seed = 1; seed <= seeds; ++seed) {
        worst = std::min(worst, worst_cosine(problem, options, {epsilon, 1e-6}, norm,
                                             static_cast<std::uint64_t>(seed)));
      }
      return worst;
    };
    fmt::print("epsilon {:5}: simultaneous {:.3f}, bound chosen privately {:.3f}, power {:.3f}\n",
               epsilon, least(chosen(PowerForm::simultaneous), 1.0),
               least(chosen(PowerForm::simultaneous), NormRange{0.01, 100}),
               least(chosen(PowerForm::robust), 1.0));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "table";
  const auto number = [&](int a, double otherwise) {
    return argc > a ? std::stod(argv[a]) : otherwise;
  };
  if (mode == "table") table(static_cast<int>(number(2, 8)));
  if (mode == "search" || mode == "cell") {
    PointModel model;
    model.dim = static_cast<std::int64_t>(number(2, 50));
    model.components = static_cast<std::int64_t>(number(3, 3));
    model.records = static_cast<std::int64_t>(number(4, 100000));
    model.noise = number(5, 0.5);
    model.centred = number(6, 0) != 0;
    const double bound = number(7, 1);
    if (!model.centred) model.max_norm = bound;
    const PowerForm method = value_named<PowerForm>(argc > 8 ? argv[8] : "simultaneous").value();
    const StreamChoice choice{method, static_cast<std::int64_t>(number(9, 4)),
                              static_cast<std::int64_t>(number(10, 6))};
    if (mode == "search") {
      search(model, bound, method);
    } else {
      const double needed =
          needed_epsilon(stream_problem(model), stream_options(model, choice), 1e-6, bound, 8, 8);
      fmt::print("{} L {} R {}: {:.3g}\n", name_of(method), choice.starts, choice.iterations,
                 needed);
    }
  }
}
