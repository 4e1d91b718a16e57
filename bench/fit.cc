// Joint fits, for bench/fit_peer.py and by itself. Prints "NAME VALUE" lines.
//
//   bench_fit FILE.npy cp|non-negative|tucker RANK ITERATIONS
//     sweeps: this many sweeps over the tensor itself, from one random start; one_start (not for
//     tucker): one start on the compressed tensor and one step on the tensor itself; whole: a fit
//     with all defaults, to the end. The best time of kRuns runs.
//   bench_fit sparse ENTRIES RANK
//     MTTKRP of a random 10^5 x 10^5 x 10^3 tensor, per mode: the bytes that one entry moves (its
//     indices and value, and the rows of the other factors) over time, against what this machine
//     reads from memory and, for factors that fit there, from its caches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sotto/base/random.h"
#include "sotto/decompose/cp.h"
#include "sotto/decompose/tucker.h"
#include "sotto/io/npy.h"
#include "sotto/tensor/mttkrp.h"

namespace {

using sotto::Index;

constexpr int kRuns = 3;

// Runs `fit`, which returns a value of type FitMeasures, and prints its best time, on the clock and
// of the processor (of all threads), and its fit.
template <class Fit>
void report(const char* name, Fit fit) {
  double best = 1e300, best_cpu = 1e300, reached = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto before = std::chrono::steady_clock::now();
    const std::clock_t cpu_before = std::clock();
    reached = fit().fit();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
    best = std::min(best, taken.count());
    best_cpu = std::min(best_cpu, static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC);
  }
  std::printf("%s_seconds %.4f\n%s_cpu %.4f\n%s_fit %.10f\n", name, best, name, best_cpu, name,
              reached);
}

sotto::Factors random_factors(const std::vector<Index>& dims, Index rank) {
  sotto::SeededRandom random(1);
  sotto::Factors factors;
  for (const Index d : dims) {
    sotto::Matrix factor(d, rank);
    for (Index n = 0; n < factor.size(); ++n) factor.data()[n] = random.uniform();
    factors.push_back(std::move(factor));
  }
  return factors;
}

void fit_cp_in_three_ways(const sotto::AnyTensor& tensor, Index rank, int iterations,
                          bool non_negative) {
  sotto::CpOptions options;
  options.components = rank;
  options.non_negative = non_negative;
  report("whole", [&] { return sotto::fit_cp(tensor, options).measures; });
  sotto::CpOptions one = options;
  one.starts = one.iterations = 1;
  report("one_start", [&] { return sotto::fit_cp(tensor, one).measures; });
  options.iterations = iterations;
  options.tolerance = 0;
  options.compress = options.newton = false;
  const sotto::Factors start = random_factors(sotto::dims_of(tensor), rank);
  report("sweeps", [&] { return sotto::refine_cp(tensor, start, options).measures; });
}

void fit_tucker_both_ways(const sotto::AnyTensor& tensor, Index rank, int iterations) {
  sotto::TuckerOptions options;
  options.ranks.assign(sotto::dims_of(tensor).size(), rank);
  report("whole", [&] { return sotto::fit_tucker(tensor, options).measures; });
  options.iterations = iterations;
  options.tolerance = 0;
  const sotto::Factors start = random_factors(sotto::dims_of(tensor), rank);
  report("sweeps", [&] { return sotto::refine_tucker(tensor, start, options).measures; });
}

// Gigabytes a second that reading a large array brings.
double memory_rate() {
  constexpr Index kNumbers = Index{1} << 26;
  const sotto::Vector numbers = sotto::Vector::Ones(kNumbers);
  volatile double sink = 0;
  const double seconds = sotto::bench::best_seconds([&] {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (Index block = 0; block < 64; ++block) {
      sum += numbers.segment(block * (kNumbers / 64), kNumbers / 64).sum();
    }
    sink = sum;
  });
  return 8.0 * kNumbers / seconds / 1e9;
}

void sparse_products(Index entries, Index rank) {
  const std::vector<Index> dims{100000, 100000, 1000};
  sotto::SeededRandom random(1);
  std::vector<sotto::SparseTensor::Coordinate> indices;
  std::vector<double> values;
  for (Index e = 0; e < entries; ++e) {
    for (const Index d : dims) {
      indices.push_back(static_cast<sotto::SparseTensor::Coordinate>(
          random.below(static_cast<std::uint64_t>(d))));
    }
    values.push_back(random.normal());
  }
  const sotto::SparseTensor tensor(dims, std::move(indices), std::move(values),
                                   sotto::Duplicates::sum);
  sotto::SparseMttkrp products(tensor);
  for (Index m = 0; m < 3; ++m) products.place(m, sotto::Matrix::Random(dims[m], rank));
  const double limit = memory_rate();
  std::printf("memory_gb_s %.2f\n", limit);
  for (Index m = 0; m < 3; ++m) {
    const double seconds = sotto::bench::best_seconds([&] { return products.product(m); });
    // Value, two indices and two rows of each entry, as they would come without a cache; and what
    // must come in any case: value and indices of each entry, the factors and the result.
    const auto n = static_cast<double>(tensor.nnz()), row = 8.0 * static_cast<double>(rank);
    const double gathered = n * (8 + 4 * 2 + 2 * row) / seconds / 1e9;
    const double at_least = (n * (8 + 2 * 3) + row * (1e5 + 1e5 + 1e3)) / seconds / 1e9;
    std::printf("mode%ld_seconds %.4f\nmode%ld_gathered_of_memory %.2f\n", m, seconds, m,
                gathered / limit);
    std::printf("mode%ld_least_of_memory %.2f\n", m, at_least / limit);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "sparse") {
    sparse_products(std::atol(argv[2]), std::atol(argv[3]));
    return 0;
  }
  if (argc != 5) {
    std::fprintf(stderr,
                 "usage: bench_fit FILE.npy METHOD RANK ITERATIONS | sparse ENTRIES RANK\n");
    return 2;
  }
  const sotto::AnyTensor tensor = sotto::read_npy(argv[1]);
  const std::string method = argv[2];
  const Index rank = std::atol(argv[3]);
  const int iterations = std::atoi(argv[4]);
  if (method == "tucker") {
    fit_tucker_both_ways(tensor, rank, iterations);
  } else {
    fit_cp_in_three_ways(tensor, rank, iterations, method == "non-negative");
  }
}
