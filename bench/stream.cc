// Streaming products, reading included, against the matrix products of the same shapes.
//
// usage: bench_stream FILE.npy [L [ANSWERS]]      (one million points of d = 500: see bench/run.py)
//
// Reads the file once in ANSWERS batches (4), L vectors at a time (32). Prints "NAME VALUE" lines:
// the rate of X U and X^T Z with reading, 4 n d L / time, the best rate of the two products alone
// on the same shapes (this library's seam, and OpenBLAS when there), and the largest resident
// memory.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bench/timing.h"
#include "sotto/io/read_points.h"
#include "sotto/linalg/gemm.h"
#include "sotto/moments/stream_oracle.h"

#ifdef HAVE_OPENBLAS
extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
                       const double*, const int*, const double*, const int*, const double*, double*,
                       const int*);
#endif

using sotto::Index;
using sotto::Matrix;

namespace {

// GF/s of X U and X^T Z for X rows x d.
void print_products(Index rows, Index d, Index columns) {
  const Matrix x = Matrix::Random(rows, d), xt = x.transpose(), u = Matrix::Random(d, columns),
               z = Matrix::Random(rows, columns);
  const double flops = 2.0 * static_cast<double>(rows * d * columns);
  const double forth = sotto::bench::best_seconds([&] { return sotto::multiply(x, u); });
  const double back = sotto::bench::best_seconds([&] { return sotto::multiply(xt, z); });
  std::printf("gemm_seam %.2f\n", 2 * flops / (forth + back) / 1e9);
#ifdef HAVE_OPENBLAS
  const int m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(d);
  const double one = 1, zero = 0;
  Matrix s(rows, columns), y(d, columns);
  const double blas_forth = sotto::bench::best_seconds([&] {
    dgemm_("T", "N", &m, &n, &k, &one, xt.data(), &k, u.data(), &k, &zero, s.data(), &m);
  });
  const double blas_back = sotto::bench::best_seconds([&] {
    dgemm_("N", "N", &k, &n, &m, &one, xt.data(), &k, z.data(), &m, &zero, y.data(), &k);
  });
  std::printf("gemm_openblas %.2f\n", 2 * flops / (blas_forth + blas_back) / 1e9);
#endif
}

// Of all threads of the process, in user and kernel mode.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_stream FILE.npy [L [ANSWERS]]\n");
    return 2;
  }
  const Index columns = argc > 2 ? std::atol(argv[2]) : 32,
              answers = argc > 3 ? std::atol(argv[3]) : 4;
  auto source = sotto::open_points(argv[1]);
  const Index d = source->dim();
  const Matrix u = Matrix::Random(d, columns);
  const sotto::StreamPlan plan = sotto::plan_stream(*source, answers, 0, 1);
  sotto::StreamOracle oracle(std::move(source), plan);
  const double flops = 4.0 * static_cast<double>(plan.batch * d * columns);
  double seconds = 1e300, processor = 1e300;
  for (Index a = 0; a < answers; ++a) {
    const auto start = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    oracle.contract(u);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, took.count());
    processor = std::min(processor, processor_seconds() - before);
  }
  std::printf("stream %.2f\nstream_per_processor %.2f\n", flops / seconds / 1e9,
              flops / processor / 1e9);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("resident_mb %.1f\n", static_cast<double>(usage.ru_maxrss) / 1024);
  print_products(2048, d, columns);
}
