// The accountants on lists of releases.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "python/bindings/bind.h"
#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"

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

}  // namespace

void bind_accountant(nb::module_& m) {
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
  m.def("compose", [](const std::vector<Release>& releases, double delta) {
    const BestBound found = account_by_rule(spends_of(releases), delta);
    return std::make_tuple(found.epsilon, found.rule);
  });
  m.def("compare", [](const std::vector<Release>& releases, double delta) {
    std::vector<std::tuple<std::string, double, std::string>> lines;
    for (const AccountLine& line : compare(spends_of(releases), delta)) {
      lines.emplace_back(line.accountant, line.epsilon, line.note);
    }
    return lines;
  });
}

}  // namespace sotto::python
