#include <fmt/format.h>

#include "cli/print_found.h"
#include "sotto/report/describe.h"

namespace sotto::cli {
namespace {

void print_certificate(const DecomposeResult& result) {
  fmt::print(
      "components of weight {:.3g} and more are expected to be recovered, weaker ones may "
      "be noise\n{}; {}\n{}\n",
      *result.recoverable, mechanism_text(result.mechanism), status_text(result.found.status),
      result.certificate->to_text());
}

// Of a joint fit: lines, each with its end.
void print_fit(const DecomposeResult& result) {
  fmt::print("{}", to_text(result));
  if (result.certificate) return print_certificate(result);
  fmt::print("{} in {:.3g} s, fit {:.6f}\n", status_text(result.found.status), result.seconds,
             result.measures->fit());
}

}  // namespace

void print_found(const DecomposeResult& result) {
  if (result.cp || result.tucker) return print_fit(result);
  const Decomposition& found = result.found;
  const bool residuals = found.residuals.size() > 0;
  fmt::print("{:>5}  {:>14}  {}{:>10}  {:>10}\n", "", "weight", residuals ? "  residual  " : "",
             "agreement", "iterations");
  for (Index j = 0; j < found.weights.size(); ++j) {
    const std::string residual = residuals ? fmt::format("{:>10.2e}  ", found.residuals[j]) : "";
    fmt::print("{:>5}  {:>14.8g}  {}{:>9.0f}%  {:>10}\n", j + 1, found.weights[j], residual,
               100 * found.agreement[j], found.iterations[static_cast<std::size_t>(j)]);
  }
  const char* status = status_text(found.status);
  if (result.certificate) {
    print_certificate(result);
  } else {
    const std::string fit =
        result.measures ? fmt::format(", fit {:.6f}", result.measures->fit()) : "";
    fmt::print("{} in {:.3g} s{}\n", status, result.seconds, fit);
    if (!result.advice.empty()) fmt::print("{}\n", with_dashes(result.advice));
  }
}

}  // namespace sotto::cli
