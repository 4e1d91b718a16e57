// How fast secret noise is drawn on one core: millions of values per second (megabytes for the bare
// stream), the best of seven. Compare with numpy's standard_normal on the same machine.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/samplers.h"

namespace {

constexpr std::size_t kCount = std::size_t{1} << 21;

double millions_per_second(double count, const std::function<void()>& work) {
  double best = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, count / seconds.count() / 1e6);
  }
  return best;
}

}  // namespace

int main() {
  omp_set_num_threads(1);
  sotto::NoiseKey key = sotto::NoiseKey::from_system();
  std::vector<double> value(kCount, 0.25), out(kCount);
  std::vector<std::uint64_t> words(4096);
  const sotto::GaussianMechanism gaussian("bench", 1, 1.3, kCount);
  const sotto::LaplaceMechanism laplace("bench", 1, 1.3, kCount);
  const auto print = [](const char* name, double count, const std::function<void()>& work) {
    fmt::print("{:<20} {:8.1f}\n", name, millions_per_second(count, work));
  };
  print("stream_megabytes", 8.0 * kCount, [&] {
    const auto stream = key.open_stream();
    for (std::size_t i = 0; i < kCount / words.size(); ++i) stream.blocks(512 * i, words);
  });
  print("gaussian", kCount, [&] { sotto::fill_gaussian(key.open_stream(), 1, out); });
  print("gaussian_on_grid", kCount, [&] { gaussian.release(value, key.open_stream(), out); });
  print("laplace", kCount, [&] { sotto::fill_laplace(key.open_stream(), 1, out); });
  print("laplace_on_grid", kCount, [&] { laplace.release(value, key.open_stream(), out); });
}
