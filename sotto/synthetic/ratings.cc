#include "sotto/synthetic/ratings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Streams of one seed; from kFirstUser on one for each user.
constexpr std::uint64_t kTruthStream = 51, kPlaceStream = 52, kRatingNoiseStream = 53,
                        kTestStream = 54;
constexpr std::uint64_t kFirstUser = std::uint64_t{1} << 32;

Matrix normal_matrix(Index rows, Index cols, double deviation, SeededRandom& random) {
  Matrix result(rows, cols);
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) result(i, j) = deviation * random.normal();
  }
  return result;
}

// All entries of the tensor with value and truth apart.
struct Drawn {
  ObservedEntries entries;
  std::vector<double> truth;
};

// ---- the simulation of the paper ----

Vector dense_truth(const RatingModel& model, const std::vector<Index>& dims, Index rank) {
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kTruthStream);
  const bool tucker = model.model == RatingLaw::tucker;
  std::vector<Matrix> factors;
  for (const Index dim : dims) {
    Matrix factor = normal_matrix(dim, rank, 1, random);
    factors.push_back(tucker ? orthonormal_columns(factor) : Matrix(factor.colwise().normalized()));
  }
  const Matrix core = normal_matrix(rank * rank, rank, 1, random);
  Vector x(dims[0] * dims[1] * dims[2]);
  Index at = 0;
  for (Index i = 0; i < dims[0]; ++i) {
    for (Index j = 0; j < dims[1]; ++j) {
      for (Index k = 0; k < dims[2]; ++k, ++at) {
        x[at] = 0;
        for (Index p = 0; p < rank; ++p) {
          const double a = factors[0](i, p);
          if (!tucker) x[at] += a * factors[1](j, p) * factors[2](k, p);
          for (Index q = 0; tucker && q < rank; ++q) {
            x[at] += a * factors[1](j, q) * core.row(p * rank + q).dot(factors[2].row(k));
          }
        }
      }
    }
  }
  const double low = x.minCoeff(), high = x.maxCoeff();
  return (x.array() - low) / (high - low);
}

Drawn draw_dense(const RatingModel& model) {
  const std::vector<Index> dims = {model.users.value_or(20), model.items.value_or(20),
                                   model.months.value_or(20)};
  const Index rank = model.rank.value_or(3);
  SOTTO_REQUIRE(dims[0] * dims[1] * dims[2] <= 100000000,
                "a tensor of {} x {} x {} is too large to be made in full; take `model` ratings",
                dims[0], dims[1], dims[2]);
  SOTTO_REQUIRE_AT(rank <= *std::min_element(dims.begin(), dims.end()), "`rank`",
                   "cannot exceed the dimensions, got {}", rank);
  const Vector x = dense_truth(model, dims, rank);
  const double noise = std::sqrt((x.array() - x.mean()).square().mean() / model.snr);
  SeededRandom places(static_cast<std::uint64_t>(model.seed), kPlaceStream);
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kRatingNoiseStream);
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto kept = static_cast<std::size_t>(
      std::llround((1 - model.missing) * static_cast<double>(order.size())));
  for (std::size_t n = 0; n < kept; ++n) {
    std::swap(order[n], order[n + static_cast<std::size_t>(places.below(order.size() - n))]);
  }
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
  Drawn drawn{ObservedEntries(dims), {}};
  for (std::size_t n = 0; n < kept; ++n) {
    const Index at = order[n], k = at % dims[2], j = at / dims[2] % dims[1];
    const std::int32_t rows[] = {static_cast<std::int32_t>(at / dims[2] / dims[1]),
                                 static_cast<std::int32_t>(j), static_cast<std::int32_t>(k)};
    drawn.entries.append(rows, x[at] + noise * random.normal());
    drawn.truth.push_back(x[at]);
  }
  return drawn;
}

// ---- many users ----

// Draws numbers 0 .. n-1 with probabilities proportional to (1 + number)^-exponent.
class PowerLaw {
 public:
  PowerLaw(Index n, double exponent) : cumulated_(static_cast<std::size_t>(n)) {
    double sum = 0;
    for (std::size_t i = 0; i < cumulated_.size(); ++i) {
      sum += std::pow(static_cast<double>(i + 1), -exponent);
      cumulated_[i] = sum;
    }
  }
  Index draw(SeededRandom& random) const {
    const double x = random.uniform() * cumulated_.back();
    const auto at = std::upper_bound(cumulated_.begin(), cumulated_.end(), x);
    return std::min<Index>(at - cumulated_.begin(), std::ssize(cumulated_) - 1);
  }
  double share(Index i) const {
    const auto n = static_cast<std::size_t>(i);
    return (cumulated_[n] - (n == 0 ? 0 : cumulated_[n - 1])) / cumulated_.back();
  }

 private:
  std::vector<double> cumulated_;
};

struct ManyUsers {
  std::vector<Index> dims;
  std::vector<Matrix> factors;  // rank x dims[m]
  std::vector<Vector> biases;
  PowerLaw items;
  std::vector<Index> begin;  // user u has the entries begin[u] .. begin[u+1]-1
};

constexpr double kMeanValue = 3.5, kNoiseDeviation = 0.7, kLowRankDeviation = 0.5;
constexpr double kBiasDeviation[] = {0.4, 0.4, 0.1};
constexpr Index kWindow = 6;  // months

// The number of ratings of each user follows the user's popularity, at most half the items.
std::vector<Index> share_out(const RatingModel& model, Index users, Index items) {
  const PowerLaw popularity(users, model.popularity);
  const Index most = std::max<Index>(1, items / 2);
  std::vector<Index> begin = {0};
  Index left = model.ratings;
  double weight = 1;  // of the users that are left
  for (Index u = 0; u < users; ++u) {
    const double wanted =
        static_cast<double>(left) * popularity.share(u) / std::max(weight, 1e-300);
    const Index count = std::min({most, left, std::max<Index>(1, std::llround(wanted))});
    weight -= popularity.share(u);
    left -= count;
    begin.push_back(begin.back() + count);
  }
  SOTTO_REQUIRE_AT(left == 0, "`ratings`", "{} users cannot rate {} times among {} items", users,
                   model.ratings, items);
  return begin;
}

ManyUsers draw_users(const RatingModel& model) {
  const std::vector<Index> dims = {model.users.value_or(100000), model.items.value_or(20000),
                                   model.months.value_or(60)};
  const Index rank = model.rank.value_or(8);
  ManyUsers truth{
      dims, {}, {}, PowerLaw(dims[1], model.popularity), share_out(model, dims[0], dims[1])};
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kTruthStream);
  const double each = std::sqrt(kLowRankDeviation / std::sqrt(static_cast<double>(rank)));
  for (std::size_t m = 0; m < 3; ++m) {
    truth.factors.push_back(normal_matrix(rank, dims[m], m < 2 ? each : 0.2, random));
    if (m == 2) truth.factors[m].array() += 1;
    truth.biases.push_back(normal_matrix(dims[m], 1, kBiasDeviation[m], random).col(0));
  }
  return truth;
}

void draw_user(const RatingModel& model, const ManyUsers& truth, Index u, Drawn& drawn) {
  SeededRandom random(static_cast<std::uint64_t>(model.seed),
                      kFirstUser + static_cast<std::uint64_t>(u));
  const auto months = static_cast<std::uint64_t>(truth.dims[2]);
  const std::uint64_t first_month = random.below(months);
  std::unordered_set<Index> rated;
  const auto user = static_cast<std::size_t>(u);
  for (Index e = truth.begin[user]; e < truth.begin[user + 1]; ++e) {
    Index item = truth.items.draw(random);
    while (!rated.insert(item).second) item = truth.items.draw(random);
    const auto month = static_cast<Index>((first_month + random.below(kWindow)) % months);
    const double low_rank = (truth.factors[0].col(u).array() * truth.factors[1].col(item).array() *
                             truth.factors[2].col(month).array())
                                .sum();
    const double x =
        kMeanValue + truth.biases[0][u] + truth.biases[1][item] + truth.biases[2][month] + low_rank;
    const auto at = static_cast<std::size_t>(e);
    drawn.entries.index[0][at] = static_cast<std::int32_t>(u);
    drawn.entries.index[1][at] = static_cast<std::int32_t>(item);
    drawn.entries.index[2][at] = static_cast<std::int32_t>(month);
    drawn.entries.value[at] = x + kNoiseDeviation * random.normal();
    drawn.truth[at] = x;
  }
}

Drawn draw_many(const RatingModel& model) {
  const ManyUsers truth = draw_users(model);
  const auto size = static_cast<std::size_t>(model.ratings);
  Drawn drawn{ObservedEntries(truth.dims), std::vector<double>(size)};
  for (auto& index : drawn.entries.index) index.resize(size);
  drawn.entries.value.resize(size);
  parallel_for(truth.dims[0], {64}, [&](Index u) { draw_user(model, truth, u, drawn); });
  return drawn;
}

}  // namespace

OptionTable RatingModel::table() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr IntegerRange kRows{1, 100000000};
  return OptionTable()
      .choice("model", model,
              "cp, tucker: the simulation of Wei et al. 2022; ratings: many users, items and "
              "months, with biases and popularities that are powers of the rank")
      .integer("users", 0, users, kRows, "rows of the first mode (none given: 20, ratings 100000)")
      .integer("items", 0, items, kRows, "rows of the second mode (none given: 20, ratings 20000)")
      .integer("months", 0, months, kRows, "rows of the third mode (none given: 20, ratings 60)")
      .integer("rank", 'r', rank, {1, 1000}, "rank of the truth (none given: 3, ratings 8)")
      .integer("ratings", 'n', ratings, {2, 1000000000}, "entries of `model` ratings")
      .real("popularity", 0, popularity, {0, 2}, "exponent of the popularity, `model` ratings")
      .real("missing", 0, missing, {0, 1, false, true}, "share not observed, cp and tucker")
      .real("snr", 0, snr, {0, 1e300, true},
            "variance of the tensor over that of the noise, cp "
            "and tucker")
      .real("test-share", 0, test_share, {0, 1, true, true}, "share of the entries held out")
      .integer("seed", 0, seed, {0, kMost}, "seed of everything");
}

SyntheticRatings generate_ratings(const RatingModel& model) {
  const Drawn drawn = model.model == RatingLaw::ratings ? draw_many(model) : draw_dense(model);
  const auto seed = static_cast<std::uint64_t>(model.seed) ^ kTestStream;
  EntrySplit split = split_entries(drawn.entries, model.test_share, seed);
  SOTTO_REQUIRE_AT(split.held_out.size() > 0 && split.kept.size() > 0, "`test-share`",
                   "{} of {} entries would be held out", split.held_out.size(),
                   drawn.entries.size());
  ObservedEntries truth = drawn.entries;
  truth.value = drawn.truth;
  return {std::move(split.kept), std::move(split.held_out),
          split_entries(truth, model.test_share, seed).held_out.value};
}

}  // namespace sotto
