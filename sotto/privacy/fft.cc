#include "sotto/privacy/fft.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>

namespace sotto {
namespace {

struct Complex {
  double re, im;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex conjugate(Complex a) { return {a.re, -a.im}; }
inline Complex times_i(Complex a) { return {-a.im, a.re}; }

// A place in arrays. Passed by value, so that the pointers of a loop stay in registers.
struct Window {
  double* re;
  double* im;
  Complex at(std::size_t j) const { return {re[j], im[j]}; }
  void set(std::size_t j, Complex value) const {
    re[j] = value.re;
    im[j] = value.im;
  }
  Window from(std::size_t j) const { return {re + j, im + j}; }
};
struct ConstWindow {
  const double* re;
  const double* im;
  Complex at(std::size_t j) const { return {re[j], im[j]}; }
};

// Complex numbers, real and imaginary parts apart, so that loops over them vectorise.
struct Parts {
  std::vector<double> re, im;
  explicit Parts(std::size_t n) : re(n), im(n) {}

  Window window() { return {re.data(), im.data()}; }
  ConstWindow window() const { return {re.data(), im.data()}; }
};

// e^(2 pi i j / n) with an error below 2 u: the angle is taken in the first octant, where its own
// rounding moves the point by at most 1.2 u. n is a power of two.
void set_root(Parts& roots, std::size_t at, std::size_t j, std::size_t n) {
  j %= n;
  const std::size_t octant = 8 * j / n;
  const std::size_t quadrant = (octant + 1) / 2;  // the nearest multiple of pi/2
  const double turn = (static_cast<double>(j) - static_cast<double>(quadrant) * (n / 4.0)) / n;
  const double c = std::cos(2 * std::numbers::pi * turn), s = std::sin(2 * std::numbers::pi * turn);
  const std::array<double, 4> cosines{c, -s, -c, s}, sines{s, c, -s, -c};
  roots.re[at] = cosines[quadrant % 4];
  roots.im[at] = sines[quadrant % 4];
}

// e^(2 pi i p j / n) for j = 0 .. count - 1.
Parts roots(std::size_t n, std::size_t p, std::size_t count) {
  Parts roots(count);
  for (std::size_t j = 0; j < count; ++j) set_root(roots, j, p * j, n);
  return roots;
}

// What a step of length n multiplies by: w^j, w^2j, w^3j for j < n/4.
struct Twiddles {
  Parts first, second, third;
  explicit Twiddles(std::size_t n)
      : first(roots(n, 1, n / 4)), second(roots(n, 2, n / 4)), third(roots(n, 3, n / 4)) {}
};

// Tables by the logarithm of their length, made once: making one costs as much as using it.
template <class Table, class Make>
const Table& kept(std::size_t n, const Make& make) {
  static std::mutex mutex;
  static auto& tables = *new std::array<std::unique_ptr<const Table>, 64>;  // outlives all threads
  const std::lock_guard<std::mutex> guard(mutex);
  auto& table = tables[static_cast<std::size_t>(std::countr_zero(n))];
  if (!table) table = std::make_unique<const Table>(make());
  return *table;
}

// Those of all steps of a transform, by the logarithm of the step's length.
using Steps = std::array<const Twiddles*, 64>;
Steps steps(std::size_t n) {
  Steps steps{};
  for (; n > 4; n /= 4) {
    steps[static_cast<std::size_t>(std::countr_zero(n))] =
        &kept<Twiddles>(n, [n] { return Twiddles(n); });
  }
  return steps;
}

// w^j with w^m = i.
const Parts& right_angle_roots(std::size_t m) {
  return kept<Parts>(m, [m] { return roots(4 * m, 1, m); });
}

// The shortest steps, which multiply by 1.
void forward_shortest(Window x, std::size_t n) {
  const Complex a = x.at(0), b = x.at(1);
  if (n == 2) {
    x.set(0, a + b);
    x.set(1, a - b);
    return;
  }
  const Complex c = x.at(2), d = x.at(3), turned = times_i(b - d);
  x.set(0, (a + c) + (b + d));
  x.set(1, (a + c) - (b + d));
  x.set(2, (a - c) + turned);
  x.set(3, (a - c) - turned);
}
void backward_shortest(Window x, std::size_t n) {
  if (n == 2) return forward_shortest(x, n);
  const Complex a = x.at(0), b = x.at(1), c = x.at(2), d = x.at(3), turned = times_i(c - d);
  x.set(0, (a + b) + (c + d));
  x.set(1, (a - b) - turned);
  x.set(2, (a + b) - (c + d));
  x.set(3, (a - b) + turned);
}

// Number j of a step of length 4q each way; the second undoes the first but for a factor of 4. They
// are functions of their own because GCC does not vectorise a loop that declares a Complex.
inline void forward_butterfly(Window x, std::size_t j, std::size_t q, ConstWindow w1,
                              ConstWindow w2, ConstWindow w3) {
  const Complex a = x.at(j), b = x.at(j + q), c = x.at(j + 2 * q), d = x.at(j + 3 * q);
  const Complex turned = times_i(b - d);
  x.set(j, (a + c) + (b + d));
  x.set(j + q, ((a + c) - (b + d)) * w2.at(j));
  x.set(j + 2 * q, ((a - c) + turned) * w1.at(j));
  x.set(j + 3 * q, ((a - c) - turned) * w3.at(j));
}
inline void backward_butterfly(Window x, std::size_t j, std::size_t q, ConstWindow w1,
                               ConstWindow w2, ConstWindow w3) {
  const Complex a = x.at(j), b = x.at(j + q) * conjugate(w2.at(j));
  const Complex c = x.at(j + 2 * q) * conjugate(w1.at(j));
  const Complex d = x.at(j + 3 * q) * conjugate(w3.at(j));
  const Complex turned = times_i(c - d);
  x.set(j, (a + b) + (c + d));
  x.set(j + q, (a - b) - turned);
  x.set(j + 2 * q, (a + b) - (c + d));
  x.set(j + 3 * q, (a - b) + turned);
}

void forward_step(Window x, std::size_t q, ConstWindow w1, ConstWindow w2, ConstWindow w3) {
#pragma omp simd
  for (std::size_t j = 0; j < q; ++j) forward_butterfly(x, j, q, w1, w2, w3);
}
void backward_step(Window x, std::size_t q, ConstWindow w1, ConstWindow w2, ConstWindow w3) {
#pragma omp simd
  for (std::size_t j = 0; j < q; ++j) backward_butterfly(x, j, q, w1, w2, w3);
}

// Z_k = sum_j z_j e^(2 pi i j k / n), in the order in which radix-4 decimation in frequency leaves
// it. Recursion keeps short steps in the cache.
void forward(Window x, std::size_t n, const Steps& steps) {
  if (n <= 4) return forward_shortest(x, n);
  const std::size_t q = n / 4;
  const Twiddles& w = *steps[static_cast<std::size_t>(std::countr_zero(n))];
  forward_step(x, q, w.first.window(), w.second.window(), w.third.window());
  for (std::size_t part = 0; part < 4; ++part) forward(x.from(part * q), q, steps);
}

// From that order to n z_j: the steps of forward() undone in reverse.
void backward(Window x, std::size_t n, const Steps& steps) {
  if (n <= 4) return backward_shortest(x, n);
  const std::size_t q = n / 4;
  const Twiddles& w = *steps[static_cast<std::size_t>(std::countr_zero(n))];
  for (std::size_t part = 0; part < 4; ++part) backward(x.from(part * q), q, steps);
  backward_step(x, q, w.first.window(), w.second.window(), w.third.window());
}

// A real sequence of at most 2m numbers modulo x^m - i, as its values at the m roots.
class Spectrum {
 public:
  Spectrum(const std::vector<double>& values, std::size_t m)
      : bins_(m), roots_(right_angle_roots(m)), steps_(steps(m)) {
    const std::size_t low = std::min(values.size(), m);
    std::copy(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(low), bins_.re.begin());
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(low), values.end(), bins_.im.begin());
    multiply_by(roots_.window());
    forward(bins_.window(), m, steps_);
  }

  void multiply(const Spectrum& other) { multiply_by(other.bins_.window()); }

  std::vector<double> inverse(std::size_t length) {
    const std::size_t m = bins_.re.size();
    const double scale = 1 / static_cast<double>(m);  // a power of two
    const Window x = bins_.window();
    const ConstWindow w = roots_.window();
    backward(x, m, steps_);
    std::vector<double> values(2 * m);
    for (std::size_t j = 0; j < m; ++j) {
      const Complex z = x.at(j) * conjugate(w.at(j));
      values[j] = scale * z.re;
      values[j + m] = scale * z.im;
    }
    values.resize(length);
    return values;
  }

 private:
  void multiply_by(ConstWindow w) {
    const Window x = bins_.window();
#pragma omp simd
    for (std::size_t j = 0; j < bins_.re.size(); ++j) x.set(j, x.at(j) * w.at(j));
  }

  Parts bins_;
  const Parts& roots_;
  Steps steps_;
};

double norm(const std::vector<double>& a) {
  double sum = 0;
  for (const double value : a) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

Convolution fft_convolve(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t length = a.size() + b.size() - 1;
  const std::size_t n = std::max<std::size_t>(16, std::bit_ceil(length));
  Spectrum x(a, n / 2);
  if (&a == &b) {
    x.multiply(x);
  } else {
    x.multiply(Spectrum(b, n / 2));
  }
  // The roots are off by mu <= 2 u, so each of log2 n levels, of which the first turns by a right
  // angle, has a relative error below mu + 4 u (sqrt(2) + mu) < 8 u in the Euclidean norm (Higham
  // 2002, Theorem 24.2). A spectrum is at most 1 in absolute value, and |e|_1 <= sqrt(n) |e|_2.
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  const double relative = 8 * unit * std::log2(static_cast<double>(n)) + 4 * unit;
  const double norms = norm(a) + norm(b) + std::min(norm(a), norm(b));
  return {x.inverse(length), relative * norms * std::sqrt(static_cast<double>(n))};
}

}  // namespace sotto
