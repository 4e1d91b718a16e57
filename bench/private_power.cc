// What the private power methods need to recover known components (mean 1 - |cos| <= 0.05): the
// epsilon as published, strict and by input perturbation, and a search over starts and iterations.
//   bench_private_power table    error against epsilon, strict and as published
//   bench_private_power compare D K ORDER REPEATS SEED   epsilon needed, both mechanisms
//   bench_private_power search D K ORDER            epsilon needed over starts and iterations
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>

#include "sotto/release/choose.h"
#include "sotto/study/private_recovery.h"

namespace {

using namespace sotto;

constexpr double kDelta = 1e-6;

double run_iterate(const RecoveryProblem& problem, const PowerShape& shape, Published how, double e,
                   std::uint64_t seed) {
  return iterate_error(problem, shape, {e, kDelta}, how, seed);
}

double needed(const RecoveryProblem& problem, const PowerShape& shape, Published how, int repeats) {
  return needed_epsilon(
      [&](double e, std::uint64_t seed) { return run_iterate(problem, shape, how, e, seed); },
      repeats);
}

void table() {
  for (const auto& [d, k, L, R] : {std::array<Index, 4>{64, 3, 10, 10}, {256, 5, 25, 12}}) {
    const RecoveryProblem problem = hadamard_problem(d, k);
    const PowerShape shape = problem.shape(L, R);
    for (double e : {0.3, 1.0, 3.0, 10.0, 30.0}) {
      const auto error = [&](Published how) {
        return mean_error(
            [&](double x, std::uint64_t seed) { return run_iterate(problem, shape, how, x, seed); },
            e, 8);
      };
      fmt::print("d {:3} k {} L {:2} R {:2} epsilon {:4}: published {:.3f} strict {:.3f}\n", d, k,
                 L, R, e, error(Published::wang), error(Published::no));
    }
    const double published = needed(problem, shape, Published::wang, 16);
    const double strict = needed(problem, shape, Published::no, 16);
    fmt::print("d {:3}: needed as published {:.3g}, strict {:.3g}, ratio {:.1f}\n", d, published,
               strict, published / strict);
  }
}

void search(Index d, Index k, int order) {
  const RecoveryProblem problem = random_problem(d, k, order, 1);
  fmt::print("d {} k {} order {}; rows L, columns R = 2 3 4 5 6 8 10 14 20\n", d, k, order);
  for (std::int64_t L : {1, 2, 3, 4, 6, 8, 12, 16, 32}) {
    fmt::print("{:3}", L);
    for (std::int64_t R : {2, 3, 4, 5, 6, 8, 10, 14, 20}) {
      double e = 0;
      try {
        e = needed(problem, problem.shape(L, R), Published::no, 16);
      } catch (const std::exception&) {
      }
      fmt::print(" {:8.3g}", e);
    }
    fmt::print("\n");
  }
}

// Both mechanisms with the defaults of a user, and the weight each was forecast to recover.
void compare(Index d, Index components, int order, int repeats, std::uint64_t seed) {
  const RecoveryProblem problem = random_problem(d, components, order, seed);
  const PublicShape shape{problem.vectors.rows(), problem.order};
  const Index k = problem.weights.size();
  const PowerPlan iterate{PowerMechanism::iterate,
                          problem.shape(default_starts(shape), default_iterations(shape))};
  const PowerPlan input{PowerMechanism::input, problem.shape(32, 100)};
  // Runs with another seed share nothing.
  const double e = needed_epsilon(
      [&](double x, std::uint64_t run) {
        return run_iterate(problem, iterate.shape, Published::no, x, 1000 * seed + run);
      },
      4 * repeats);
  const double x = needed_epsilon(
      [&](double y, std::uint64_t run) {
        return input_error(problem, {y, kDelta}, 1000 * seed + run);
      },
      repeats);
  fmt::print(
      "d {:3} k {} order {}: iterate {:6.3g} (forecast {:4.0f}) input {:6.3g} (forecast "
      "{:4.0f}) auto: {}\n",
      shape.dim, k, shape.order, e, forecast(iterate, {e, kDelta}).weight, x,
      forecast(input, {x, kDelta}).weight,
      better_plan(iterate, input).mechanism == PowerMechanism::input ? "input" : "iterate");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "table";
  const auto number = [&](int a, long otherwise) {
    return argc > a ? std::stol(argv[a]) : otherwise;
  };
  const long d = number(2, 100), k = number(3, 3), order = number(4, 3);
  if (mode == "table") table();
  if (mode == "search") search(d, k, static_cast<int>(order));
  if (mode == "compare") {
    compare(d, k, static_cast<int>(order), static_cast<int>(number(5, 4)),
            static_cast<std::uint64_t>(number(6, 1)));
  }
}
