// The accountants on lists of releases, and the count of runs that are chosen one after the other.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "python/bindings/bind.h"
#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/run_cost.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

// (kind, noise multiplier or scale or epsilon, sampling rate, count)
using Release = std::tuple<std::string, double, double, std::int64_t>;

Spend spend_of(const Release& release) {
  const auto& [kind, amount, rate, count] = release;
  if (kind == "gaussian") return {GaussianCost{1 / amount}, count};
  if (kind == "laplace") return {LaplaceCost{1 / amount}, count};
  if (kind == "pure") return {PureCost{amount}, count};
  SOTTO_REQUIRE(kind == "subsampled", "unknown kind of release '{}'", kind);
  return {SubsampledGaussianCost{amount, rate}, count};
}

std::vector<Spend> spends_of(const std::vector<Release>& releases) {
  std::vector<Spend> spends;
  spends.reserve(releases.size());
  for (const Release& release : releases) spends.push_back(spend_of(release));
  return spends;
}

// (epsilon, delta, room for mu^2 that was set aside, cost: pure, mu^2, rounding, delta)
using Run =
    std::tuple<double, double, double, std::optional<std::tuple<double, double, double, double>>>;

CountedRun run_of(const Run& run) {
  const auto& [epsilon, delta, held, cost] = run;
  CountedRun counted{{epsilon, delta}, held, {}};
  if (cost) {
    counted.cost =
        RunCost{std::get<0>(*cost), std::get<1>(*cost), std::get<2>(*cost), std::get<3>(*cost)};
  }
  return counted;
}

void bind_run_count(nb::module_& m) {
  nb::class_<RunCount>(m, "RunCount")
      .def("__init__",
           [](RunCount* self, double epsilon, double delta, const std::vector<Run>& runs) {
             new (self) RunCount({epsilon, delta});
             for (const Run& run : runs) self->add(run_of(run));
           })
      .def("admits",
           [](const RunCount& self, double epsilon, double delta) {
             return self.admits({epsilon, delta});
           })
      // The room for mu^2 that a run with this claim holds; 0 where none is left.
      .def("room",
           [](const RunCount& self, double epsilon, double delta) {
             const double most = delta > 0 ? most_mu_squared({epsilon, delta}) : 0;
             return self.has_gaussian_room(most) ? most : 0.0;
           })
      .def("settles",
           [](const RunCount& self, const Run& run) {
             const CountedRun counted = run_of(run);
             return counted.cost && self.settles(counted, *counted.cost);
           })
      .def_prop_ro("left", [](const RunCount& self) { return self.left().epsilon; })
      .def_prop_ro("composed_epsilon", &RunCount::composed_epsilon);
  m.def("whole_claim", [](double epsilon, double delta, const std::string& unit) {
    const PrivacyClaim claim = whole_claim({epsilon, delta}, unit);
    return std::make_tuple(claim.epsilon, claim.delta);
  });
}

}  // namespace

void bind_accountant(nb::module_& m) {
  bind_run_count(m);
  const nb::call_guard<nb::gil_scoped_release> free;
  m.def("account_gaussian", account_gaussian, free);
  m.def("account_laplace", account_laplace, free);
  m.def("account_subsampled", account_subsampled, free);
  m.def("calibrate_gaussian", calibrate_gaussian, free);
  m.def("calibrate_laplace", calibrate_laplace, free);
  m.def("calibrate_subsampled", calibrate_subsampled, free);
  m.def("gdp_epsilon", gdp_epsilon, free);
  m.def("gdp_delta", gdp_delta, free);
  m.def("gdp_mu", gdp_mu, free);
  m.def(
      "compose",
      [](const std::vector<Release>& releases, double delta) {
        const BestBound found = account_by_rule(spends_of(releases), delta);
        return std::make_tuple(found.epsilon, found.rule);
      },
      free);
  m.def(
      "compare",
      [](const std::vector<Release>& releases, double delta) {
        std::vector<std::tuple<std::string, double, std::string>> lines;
        for (const AccountLine& line : compare(spends_of(releases), delta)) {
          lines.emplace_back(line.accountant, line.epsilon, line.note);
        }
        return lines;
      },
      free);
}

}  // namespace sotto::python
