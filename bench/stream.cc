// Streaming products, reading included, against the matrix products of the same shapes.
//
// usage: bench_stream FILE.npy [L [ANSWERS]]     (one million points of d = 500: see bench/run.py)
//
// Reads the file once in ANSWERS batches (20), L vectors at a time (32). After each batch it
// multiplies matrices of the same shapes as often as the batch does, so that both run under the
// same load of the machine. Prints "NAME VALUE" lines in GF/s: the rate of X U and X^T Z with
// reading, 4 n d L / time, and that of the two products alone (this library's product, and OpenBLAS
// if present), the best of all rounds; the same over the processor time of all rounds, which a busy
// machine hardly changes; and the largest resident memory.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "bench/openblas.h"
#include "sotto/io/read_points.h"
#include "sotto/linalg/gemm.h"
#include "sotto/moments/stream_oracle.h"

using sotto::Index;
using sotto::Matrix;

namespace {

// X U and X^T Z for an X in memory.
class Products {
 public:
  Products(Index d, Index columns)
      : x_(Matrix::Random(kRows, d)),
        xt_(x_.transpose()),
        u_(Matrix::Random(d, columns)),
        z_(Matrix::Random(kRows, columns)) {}

  void with_seam() const {
    sotto::multiply(x_, u_);
    sotto::multiply(xt_, z_);
  }

#ifdef HAVE_OPENBLAS
  void with_openblas() {
    const int m = static_cast<int>(kRows), n = static_cast<int>(u_.cols()),
              k = static_cast<int>(u_.rows());
    const double one = 1, zero = 0;
    s_.resize(kRows, u_.cols());
    y_.resize(u_.rows(), u_.cols());
    dgemm_("T", "N", &m, &n, &k, &one, xt_.data(), &k, u_.data(), &k, &zero, s_.data(), &m);
    dgemm_("N", "N", &k, &n, &m, &one, xt_.data(), &k, z_.data(), &m, &zero, y_.data(), &k);
  }
#endif

  static constexpr Index kRows = 2048;

 private:
  Matrix x_, xt_, u_, z_, s_, y_;
};

// The processor time of all threads of the process, in user and kernel mode.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The best time of several rounds of the same work, and the processor time of all.
class Best {
 public:
  template <class Work>
  void round(Work work) {
    const auto start = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds_ = std::min(seconds_, took.count());
    processor_ += processor_seconds() - before;
    ++rounds_;
  }
  void print(const char* name, double flops) const {
    std::printf("%s %.2f\n%s_per_processor %.2f\n", name, flops / seconds_ / 1e9, name,
                flops * rounds_ / processor_ / 1e9);
  }

 private:
  double seconds_ = 1e300, processor_ = 0;
  int rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_stream FILE.npy [L [ANSWERS]]\n");
    return 2;
  }
  const Index columns = argc > 2 ? std::atol(argv[2]) : 32,
              answers = argc > 3 ? std::atol(argv[3]) : 20;
  auto source = sotto::open_points(argv[1]).open(
      sotto::PublicDeclaration("the points of a benchmark are generated"));
  const Index d = source->dim();
  const Matrix u = Matrix::Random(d, columns);
  const sotto::StreamPlan plan = sotto::plan_stream(*source, answers, 0, 1);
  sotto::StreamOracle oracle(std::move(source), plan);
  Best stream, seam, openblas;
  stream.round([&] { oracle.contract(u); });
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);  // of streaming alone
  Products products(d, columns);
  const Index times = std::max<Index>(1, plan.batch / Products::kRows);
  for (Index a = 1; a < answers; ++a) {
    stream.round([&] { oracle.contract(u); });
    seam.round([&] {
      for (Index t = 0; t < times; ++t) products.with_seam();
    });
#ifdef HAVE_OPENBLAS
    openblas.round([&] {
      for (Index t = 0; t < times; ++t) products.with_openblas();
    });
#endif
  }
  const double flops = 4.0 * static_cast<double>(d * columns);
  const auto multiplied = static_cast<double>(times * Products::kRows);
  stream.print("stream", flops * static_cast<double>(plan.batch));
  seam.print("gemm_seam", flops * multiplied);
#ifdef HAVE_OPENBLAS
  openblas.print("gemm_openblas", flops * multiplied);
#endif
  std::printf("resident_mb %.1f\n", static_cast<double>(usage.ru_maxrss) / 1024);
}
