#include "sotto/report/describe.h"

namespace sotto {
namespace {

std::vector<double> values_of(const Vector& v) { return {v.data(), v.data() + v.size()}; }

void describe_public(const MixtureResult::Public& open, ResultDocument& document) {
  if (!open.log_likelihood.empty()) {
    document.fit("log_likelihood", open.log_likelihood.back(),
                 "Log likelihood of a point, before the last step");
  }
  document.spectrum("second_spectrum", values_of(open.second_spectrum))
      .spectrum("third_spectrum", values_of(open.third_spectrum))
      .curve("log_likelihood", open.log_likelihood, "Log likelihood of a point")
      .fact("movement", open.movement)
      .seconds(open.seconds);
}

}  // namespace

void describe(const MixtureResult& result, ResultDocument& document) {
  document.option("refine", result.steps)
      .input("dim", result.mixture.dim(), "Dimension")
      .input("records", result.records);
  if (result.released) document.certificate(result.released->certificate);
  document.weights(result.mixture.weights, "component")
      .value("variance", result.mixture.variance)
      .columns("means", result.mixture.means, {.labels = result.columns, .counted = true});
  if (!result.exposes.empty()) document.exposed(result.exposes, "inferred.npy");
  document.fact("status", status_text(result.status)).fact("rank", result.rank);
  if (result.open) describe_public(*result.open, document);
  if (result.released && result.released->max_norm) {
    document.fact("max_norm", *result.released->max_norm);
  }
  if (result.largest_mean_error) document.quality("largest_mean_error", *result.largest_mean_error);
}

}  // namespace sotto
