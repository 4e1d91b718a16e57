#include "sotto/tensor/sparse_mode_product.h"

#include <vector>

#include "sotto/base/parallel.h"

namespace sotto {
namespace {

// out += x * (outer product of the rows), C order; `work` holds the outer products on the way.
void add_outer_product(double x, std::span<const double* const> rows, std::span<const Index> ranks,
                       std::vector<double>& work, double* out) {
  Index size = 1;
  work[0] = x;
  for (std::size_t m = 0; m + 1 < rows.size(); ++m) {
    for (Index i = size - 1; i >= 0; --i) {
      const double factor = work[static_cast<std::size_t>(i)];
      for (Index j = ranks[m] - 1; j >= 0; --j) {
        work[static_cast<std::size_t>(i * ranks[m] + j)] = factor * rows[m][j];
      }
    }
    size *= ranks[m];
  }
  const Index last = ranks.back();
  for (Index i = 0; i < size; ++i) {
    const double factor = work[static_cast<std::size_t>(i)];
    for (Index j = 0; j < last; ++j) out[i * last + j] += factor * rows.back()[j];
  }
}

}  // namespace

RowMatrix sparse_mode_products(const SparseFibres& fibres, std::span<const Matrix> u) {
  std::vector<RowMatrix> factors;
  std::vector<Index> ranks;
  Index columns = 1;
  for (const Index m : fibres.others()) {
    factors.emplace_back(u[m]);
    ranks.push_back(u[m].cols());
    columns *= u[m].cols();
  }
  const Index rows = std::ssize(fibres.begin()) - 1;
  RowMatrix result = RowMatrix::Zero(rows, columns);
  struct Work {
    std::vector<double> product;
    std::vector<const double*> at;
  };
  parallel_for_with(
      rows, {64, fibres.entries() * columns > 100000},
      [&] {
        return Work{std::vector<double>(static_cast<std::size_t>(columns)),
                    std::vector<const double*>(ranks.size())};
      },
      [&](Work& work, Index i) {
        for (Index n = fibres.begin()[i]; n < fibres.begin()[i + 1]; ++n) {
          for (std::size_t m = 0; m < work.at.size(); ++m) {
            work.at[m] = factors[m].data() + fibres.index(n, static_cast<Index>(m)) * ranks[m];
          }
          add_outer_product(fibres.value(n), work.at, ranks, work.product,
                            result.data() + i * columns);
        }
      });
  return result;
}

}  // namespace sotto
