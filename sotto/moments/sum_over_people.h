// Sums of contributions of people, rounded to whole units and added as integers: exact in any
// order, so the same for any number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <vector>

#include "sotto/base/parallel.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

inline constexpr double kPersonUnit = 0x1p-21;
// A contribution that is shorter counts as zero.
inline constexpr double kShortestPerson = 1e-100;

inline std::int64_t in_person_units(double x) { return std::llrint(x / kPersonUnit); }

// 1 / norm from a sum of squares; zero for what counts as zero.
inline double to_norm_one(double square) {
  const double norm = std::sqrt(square);
  return norm >= kShortestPerson && std::isfinite(norm) ? 1 / norm : 0;
}

// Person p has the entries begin[p] .. begin[p+1]-1 of the tensor, which is sorted by its first
// mode. Only people with an entry are counted.
std::vector<Index> people_begin(const SparseTensor& tensor);

// The first feature of each mode beside the people, and the number of features.
std::vector<Index> feature_offsets(const SparseTensor& tensor);

// part(worker, first, last, add): the contribution of the person with these entries, by
// add(number, value). Every thread has a worker of its own, make().
template <class Make, class Part>
std::vector<double> sum_over_people(const std::vector<Index>& begin, Index numbers,
                                    const Make& make, const Part& part) {
  constexpr int kPeopleAtATime = 64;
  std::vector<std::int64_t> all(static_cast<std::size_t>(numbers), 0);
  const Index people = std::ssize(begin) - 1;
  std::mutex adding;
  // What one thread sums, added to the sum of all when the thread is done.
  struct Work {
    std::vector<std::int64_t>& all;
    std::mutex& adding;
    std::vector<std::int64_t> own;
    std::invoke_result_t<const Make&> worker;

    ~Work() {
      const std::lock_guard lock(adding);
      for (std::size_t n = 0; n < all.size(); ++n) all[n] += own[n];
    }
  };
  parallel_for_with(
      people, {kPeopleAtATime},
      [&] {
        return Work{all, adding, std::vector<std::int64_t>(all.size(), 0), make()};
      },
      [&](Work& work, Index p) {
        const auto at = static_cast<std::size_t>(p);
        part(work.worker, begin[at], begin[at + 1], [&](Index number, double value) {
          work.own[static_cast<std::size_t>(number)] += in_person_units(value);
        });
      });
  std::vector<double> result(all.size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    result[n] = static_cast<double>(all[n]) * kPersonUnit;
  }
  return result;
}

}  // namespace sotto
