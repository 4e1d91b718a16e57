#include "sotto/moments/person_sums.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

const std::vector<Index> kSizes{25, 7, 5, 3};
constexpr Index kFeatures = 7 + 5 + 3;
constexpr double kRounded = 25 * 2 * kPersonUnit;  // a unit for each person, in a norm

SparseTensor random_events(std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::int32_t p = 0; p < kSizes[0]; ++p) {
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      indices.push_back(p);
      for (std::size_t m = 1; m < kSizes.size(); ++m) {
        indices.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(kSizes[m]))));
      }
      values.push_back(static_cast<double>(random.below(4)));
    }
  }
  return SparseTensor(kSizes, indices, values, Duplicates::sum);
}

// The features of every event of a person, one event after the other.
std::vector<std::vector<Index>> events_of(const SparseTensor& tensor, Index person) {
  std::vector<std::vector<Index>> events;
  for (Index e = 0; e < tensor.nnz(); ++e) {
    const auto at = tensor.index(e);
    if (at[0] != person) continue;
    const std::vector<Index> features{at[1], 7 + at[2], 12 + at[3]};
    for (int n = 0; n < tensor.values()[static_cast<std::size_t>(e)]; ++n) {
      events.push_back(features);
    }
  }
  return events;
}

template <class Block>
void add_at_norm_one(Block& sum, const Block& part) {
  if (part.norm() > 0) sum += part / part.norm();
}

RowMatrix random_rows(Index rows, Index cols, std::uint64_t seed, double least = -1) {
  SeededRandom random(seed);
  RowMatrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = least + (1 - least) * random.uniform();
  return m;
}

TEST(PersonSums, frequencies_follow_their_definition) {
  const SparseTensor events = random_events(1);
  Vector naive = Vector::Zero(kFeatures);
  for (Index p = 0; p < kSizes[0]; ++p) {
    Vector x = Vector::Zero(kFeatures);
    for (const auto& event : events_of(events, p)) {
      for (const Index j : event) x[j] += 1;
    }
    add_at_norm_one(naive, x);
  }
  EXPECT_LT((PersonSums(events).frequencies() - naive).norm(), kRounded);
}

TEST(PersonSums, pairs_are_those_of_different_events) {
  const SparseTensor events = random_events(2);
  const std::vector<std::int32_t> core{0, 3, 4, 8, 9, 12, 14};
  Vector weights(7);
  for (Index c = 0; c < 7; ++c) weights[c] = 0.5 + 0.3 * static_cast<double>(c);
  Matrix naive = Matrix::Zero(7, 7);
  for (Index p = 0; p < kSizes[0]; ++p) {
    Matrix all = Matrix::Zero(kFeatures, kFeatures);
    const auto own = events_of(events, p);
    for (std::size_t a = 0; a < own.size(); ++a) {
      for (std::size_t b = 0; b < own.size(); ++b) {
        if (a == b) continue;
        for (const Index i : own[a]) {
          for (const Index j : own[b]) all(i, j) += 1;
        }
      }
    }
    Matrix part(7, 7);
    for (Index i = 0; i < 7; ++i) {
      for (Index j = 0; j < 7; ++j) {
        part(i, j) = weights[i] * weights[j] * all(core[std::size_t(i)], core[std::size_t(j)]);
      }
    }
    add_at_norm_one(naive, part);
  }
  EXPECT_LT((PersonSums(events).pairs(core, weights) - naive).norm(), kRounded);
}

TEST(PersonSums, triples_are_two_modes_of_one_event_and_all_of_another) {
  const SparseTensor events = random_events(3);
  const TripleBasis basis{{random_rows(7, 4, 1), random_rows(5, 2, 2), random_rows(3, 3, 3)},
                          random_rows(kFeatures, 3, 4)};
  ASSERT_EQ(basis.size(), 4 * 2 * 3 + 4 * 3 * 3 + 2 * 3 * 3);
  const Index first[] = {0, 7, 12};
  Vector naive = Vector::Zero(basis.size());
  for (Index p = 0; p < kSizes[0]; ++p) {
    Vector part = Vector::Zero(basis.size());
    const auto own = events_of(events, p);
    for (std::size_t one = 0; one < own.size(); ++one) {
      for (std::size_t other = 0; other < own.size(); ++other) {
        if (one == other) continue;
        Vector s = Vector::Zero(3);
        for (const Index j : own[other]) s += basis.of_other.row(j).transpose();
        Index at = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = a + 1; b < 3; ++b) {
            const auto row_a = basis.of_mode[a].row(own[one][a] - first[a]);
            const auto row_b = basis.of_mode[b].row(own[one][b] - first[b]);
            for (Index i = 0; i < row_a.size(); ++i) {
              for (Index j = 0; j < row_b.size(); ++j) {
                for (Index l = 0; l < 3; ++l) part[at++] += row_a[i] * row_b[j] * s[l];
              }
            }
          }
        }
      }
    }
    add_at_norm_one(naive, part);
  }
  EXPECT_LT((PersonSums(events).triples(basis) - naive).norm(), 2 * kRounded);
}

TEST(PersonSums, expected_counts_and_loadings_follow_their_definition) {
  const SparseTensor events = random_events(4);
  const Index k = 4, bins = 5;
  const PersonFactors factors{random_rows(kFeatures, k, 5, 0), Vector{{0.3, 0.2, 0.4, 0.1}}, 6};
  Vector scale(kFeatures);
  for (Index j = 0; j < kFeatures; ++j) scale[j] = 1 + 0.1 * static_cast<double>(j);
  RowMatrix naive = RowMatrix::Zero(kFeatures, k), binned = RowMatrix::Zero(bins, k);
  RowMatrix proportions(kSizes[0], k);
  proportions.rowwise() = factors.alpha.transpose();  // which sum to one
  for (Index p = 0; p < kSizes[0]; ++p) {
    const auto own = events_of(events, p);
    if (own.empty()) continue;
    Vector a = factors.alpha.array() + double(own.size()) / double(k);
    RowMatrix part(kFeatures, k);
    for (int round = 0; round <= factors.rounds; ++round) {
      Vector next = factors.alpha;
      part.setZero();
      for (const auto& event : own) {
        Vector share(k);
        for (Index t = 0; t < k; ++t) {
          share[t] = std::exp(boost::math::digamma(a[t]));
          for (const Index j : event) share[t] *= factors.stacked(j, t);
        }
        share /= share.sum();
        next += share;
        for (const Index j : event) part.row(j) += share.transpose() * scale[j];
      }
      if (round < factors.rounds) a = next;
    }
    add_at_norm_one(naive, part);
    proportions.row(p) = a.transpose() / a.sum();
    for (Index t = 0; t < k; ++t) {
      binned(std::min<Index>(bins - 1, Index(a[t] / a.sum() * double(bins))), t) += 0.5;
    }
  }
  const PersonSums sums(events);
  EXPECT_LT((sums.expected_counts(factors, scale) - naive).norm(), 4 * kRounded);
  EXPECT_LT((sums.loadings(factors, bins) - binned).norm(), kRounded);
  EXPECT_LT((sums.proportions(factors) - proportions).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(PersonSums, threads_do_not_matter_to_the_last_bit) {
  const SparseTensor events = random_events(5);
  const PersonSums sums(events);
  const PersonFactors factors{random_rows(kFeatures, 3, 5, 0), Vector::Constant(3, 0.3), 4};
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const RowMatrix one = sums.expected_counts(factors, Vector::Ones(kFeatures));
  omp_set_num_threads(3);
  EXPECT_EQ(one, sums.expected_counts(factors, Vector::Ones(kFeatures)));
  omp_set_num_threads(before);
}

TEST(PersonSums, what_is_no_count_is_refused) {
  const std::vector<Index> sizes{2, 2, 2};
  for (const double bad : {-1.0, 0.5, 0x1p40}) {
    const SparseTensor events(sizes, {0, 0, 0}, {bad}, Duplicates::refuse);
    EXPECT_THROW(PersonSums sums(events), Error) << bad;
  }
  const SparseTensor matrix({2, 2}, {0, 0}, {1}, Duplicates::refuse);
  EXPECT_THROW(PersonSums sums(matrix), Error);
}

}  // namespace
}  // namespace sotto
