#include "sotto/privacy/fft.h"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Transforms of one length, in place. Only execution is thread-safe in FFTW, so plans are made
// under a lock; they are kept, for the few lengths there are, because making one costs more than
// using it.
struct Plans {
  fftw_plan forward = nullptr;
  fftw_plan backward = nullptr;
};

// A real buffer of n values that holds its own transform in place.
class Spectrum {
 public:
  explicit Spectrum(std::size_t n)
      : n_(n), data_(static_cast<double*>(fftw_malloc(sizeof(double) * 2 * (n / 2 + 1)))) {
    if (!data_) throw Error("out of memory", "", Fault::system);
    plans_ = plans();
  }

  void transform(const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), data_.get());
    std::fill(data_.get() + values.size(), data_.get() + 2 * (n_ / 2 + 1), 0.0);
    fftw_execute_dft_r2c(plans_.forward, data_.get(), bins());
  }

  void multiply(const Spectrum& other) {
    auto* z = reinterpret_cast<std::complex<double>*>(data_.get());
    const auto* w = reinterpret_cast<const std::complex<double>*>(other.data_.get());
    for (std::size_t i = 0; i <= n_ / 2; ++i) {
      z[i] = {z[i].real() * w[i].real() - z[i].imag() * w[i].imag(),
              z[i].real() * w[i].imag() + z[i].imag() * w[i].real()};
    }
  }

  std::vector<double> inverse(std::size_t length) {
    fftw_execute_dft_c2r(plans_.backward, bins(), data_.get());
    std::vector<double> values(data_.get(), data_.get() + length);
    for (double& value : values) value /= static_cast<double>(n_);
    return values;
  }

 private:
  struct Free {
    void operator()(double* p) const { fftw_free(p); }
  };
  fftw_complex* bins() { return reinterpret_cast<fftw_complex*>(data_.get()); }

  Plans plans() {
    static std::mutex mutex;
    static auto& known = *new std::map<std::size_t, Plans>;  // lives as long as any thread
    const std::lock_guard<std::mutex> guard(mutex);
    const auto [at, fresh] = known.try_emplace(n_);
    if (fresh) {
      const int n = static_cast<int>(n_);
      at->second.forward = fftw_plan_dft_r2c_1d(n, data_.get(), bins(), FFTW_ESTIMATE);
      at->second.backward = fftw_plan_dft_c2r_1d(n, bins(), data_.get(), FFTW_ESTIMATE);
    }
    return at->second;
  }

  std::size_t n_;
  std::unique_ptr<double, Free> data_;
  Plans plans_;
};

// The next power of two, or three times one; at least 16.
std::size_t fast_length(std::size_t n) {
  std::size_t two = 16, three = 24;
  while (two < n) two *= 2;
  while (three < n) three *= 2;
  return std::min(two, three);
}

double norm(const std::vector<double>& a) {
  double sum = 0;
  for (const double value : a) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

Convolution fft_convolve(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t length = a.size() + b.size() - 1;
  const std::size_t n = fast_length(length);
  Spectrum x(n);
  x.transform(a);
  if (&a == &b) {
    x.multiply(x);
  } else {
    Spectrum y(n);
    y.transform(b);
    x.multiply(y);
  }
  // Each transform has a relative error below 7 u log2 n in the Euclidean norm (Higham 2002,
  // Theorem 24.2), a spectrum is at most 1 in absolute value, and |e|_1 <= sqrt(n) |e|_2.
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  const double relative = 7 * unit * std::log2(static_cast<double>(n)) + 4 * unit;
  const double norms = norm(a) + norm(b) + std::min(norm(a), norm(b));
  return {x.inverse(length), relative * norms * std::sqrt(static_cast<double>(n))};
}

}  // namespace sotto
