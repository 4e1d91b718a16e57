#include "sotto/synthetic/visits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/base/random.h"
#include "sotto/synthetic/alias_table.h"
#include "sotto/synthetic/draws.h"

namespace sotto {
namespace {

// Streams of one seed: one for each factor, one for each person.
constexpr std::uint64_t kFirstPhenotype = std::uint64_t{1} << 31;
constexpr std::uint64_t kFirstPerson = std::uint64_t{1} << 32;
constexpr double kConcentration = 0.08;  // Dirichlet parameters of a row, on average
constexpr double kCommon = 0.1;          // share of the Zipf law itself
constexpr double kHeavyEvents = 20;      // times as many as others have
constexpr Index kPeopleOfBlock = 1024;

Matrix draw_phenotypes(Index rows, const VisitModel& model, std::uint64_t mode) {
  Vector zipf(rows);
  for (Index i = 0; i < rows; ++i) zipf[i] = std::pow(static_cast<double>(i + 1), -model.zipf);
  zipf /= zipf.sum();
  Matrix factors(rows, model.phenotypes);
  std::vector<Index> order(static_cast<std::size_t>(rows));
  for (Index t = 0; t < factors.cols(); ++t) {
    SeededRandom random(static_cast<std::uint64_t>(model.seed),
                        kFirstPhenotype + (mode << 24) + static_cast<std::uint64_t>(t));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
    }
    Vector own(rows);
    for (Index i = 0; i < rows; ++i) {
      own[i] = zipf[order[static_cast<std::size_t>(i)]] * kConcentration * double(rows);
    }
    draw_dirichlet(own, random);
    factors.col(t) = (1 - kCommon) * own + kCommon * zipf;
  }
  return factors;
}

using Cell = std::array<std::int32_t, 3>;

struct PeopleBlock {
  std::vector<std::int32_t> indices;
  std::vector<double> values;
};

}  // namespace

OptionTable VisitModel::table() {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return OptionTable()
      .integer("people", 'n', people, {1, most}, "number of people")
      .integer("codes", 0, codes, {1, 1000000}, "rows of the second mode")
      .integer("drugs", 0, drugs, {1, 1000000}, "rows of the third mode")
      .integer("months", 0, months, {0, 1000000}, "rows of a fourth mode; 0: there is none")
      .integer("phenotypes", 'k', phenotypes, {1, 1000}, "number of phenotypes")
      .real("events", 0, events, {1, 1e6}, "events of a person, on average")
      .integer("least", 0, least, {0, 1000000}, "events that everybody has at least")
      .real("heavy", 0, heavy, {0, 1}, "share of people with twenty times as many events")
      .real("zipf", 0, zipf, {0, 5}, "exponent of the frequencies of codes and drugs")
      .real("alpha", 0, alpha, {1e-6, 1e6},
            "Dirichlet parameter of a person's phenotypes; small: few of them")
      .integer("seed", 0, seed, {0, std::numeric_limits<std::int64_t>::max()},
               "seed of phenotypes and people");
}

SyntheticVisits generate_visits(const VisitModel& model) {
  SOTTO_REQUIRE_AT(static_cast<double>(model.least) <= model.events, "`least`",
                   "is more than the {:g} events that people have on average", model.events);
  std::vector<Index> dims{model.people, model.codes, model.drugs};
  if (model.months > 0) dims.push_back(model.months);
  const std::size_t modes = dims.size() - 1;
  const Index k = model.phenotypes;
  std::vector<Matrix> factors;
  std::vector<std::vector<AliasTable>> rows(modes);
  for (std::size_t m = 0; m < modes; ++m) {
    factors.push_back(draw_phenotypes(dims[m + 1], model, m));
    for (Index t = 0; t < k; ++t) {
      const auto column = factors.back().col(t);
      rows[m].emplace_back(std::span(column.data(), static_cast<std::size_t>(column.size())));
    }
  }
  RowMatrix loadings(model.people, k);
  std::vector<PeopleBlock> blocks(
      static_cast<std::size_t>((model.people + kPeopleOfBlock - 1) / kPeopleOfBlock));
  struct Work {
    Vector own;
    AliasTable phenotype;
    std::vector<Cell> cells;
  };
  const auto make_block = [&](Work& work, Index b) {
    auto& [own, phenotype, cells] = work;
    PeopleBlock& block = blocks[static_cast<std::size_t>(b)];
    const Index last = std::min(model.people, (b + 1) * kPeopleOfBlock);
    for (Index p = b * kPeopleOfBlock; p < last; ++p) {
      SeededRandom random(static_cast<std::uint64_t>(model.seed),
                          kFirstPerson + static_cast<std::uint64_t>(p));
      own.setConstant(model.alpha);
      draw_dirichlet(own, random);
      loadings.row(p) = own.transpose();
      phenotype.assign(std::span(own.data(), static_cast<std::size_t>(k)));
      const double mean = model.events - double(model.least);
      Index events = model.least + draw_poisson(mean, random);
      if (random.uniform() < model.heavy) events = Index(kHeavyEvents * double(events));
      cells.assign(static_cast<std::size_t>(events), Cell{});
      for (Cell& cell : cells) {
        const auto t = static_cast<std::size_t>(phenotype.draw(random));
        for (std::size_t m = 0; m < modes; ++m) cell[m] = rows[m][t].draw(random);
      }
      std::sort(cells.begin(), cells.end());
      for (std::size_t e = 0; e < cells.size(); ++e) {
        if (e > 0 && cells[e] == cells[e - 1]) {
          block.values.back() += 1;
          continue;
        }
        block.indices.push_back(static_cast<std::int32_t>(p));
        block.indices.insert(block.indices.end(), cells[e].begin(),
                             cells[e].begin() + std::ptrdiff_t(modes));
        block.values.push_back(1);
      }
    }
  };
  parallel_for_with(
      std::ssize(blocks), {},
      [&] {
        return Work{Vector(k), {}, {}};
      },
      make_block);
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (PeopleBlock& block : blocks) {
    indices.insert(indices.end(), block.indices.begin(), block.indices.end());
    values.insert(values.end(), block.values.begin(), block.values.end());
    block = {};
  }
  return {SparseTensor(std::move(dims), std::move(indices), std::move(values), Duplicates::refuse),
          std::move(factors), std::move(loadings)};
}

}  // namespace sotto
