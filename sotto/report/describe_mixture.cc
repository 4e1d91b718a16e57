#include "sotto/report/describe.h"

namespace sotto {
namespace {

std::vector<double> values_of(const Vector& v) { return {v.data(), v.data() + v.size()}; }

void describe_public(const MixtureResult::Public& open, bool from_moments,
                     ResultDocument& document) {
  document.fit("log_likelihood", open.final_log_likelihood, "Log likelihood of a point")
      .fit("bic", open.bic, "Schwarz's criterion (BIC)");
  if (from_moments) {
    document.spectrum("second_spectrum", values_of(open.second_spectrum))
        .spectrum("third_spectrum", values_of(open.third_spectrum));
  }
  document.curve("log_likelihood", open.log_likelihood, "Log likelihood of a point")
      .fact("movement", open.movement)
      .seconds(open.seconds);
}

}  // namespace

void describe(const MixtureResult& result, ResultDocument& document) {
  document.option("refine", result.steps)
      .input("dim", result.mixture.dim(), "Dimension")
      .input("records", result.records);
  if (result.released) document.certificate(result.released->certificate);
  document.weights(result.mixture.weights, "component");
  if (result.mixture.kind == CovarianceKind::common) {
    document.value("variance", result.mixture.variance);
  }
  document.columns("means", result.mixture.means, {.labels = result.columns, .counted = true});
  if (!result.exposes.empty()) document.exposed(result.exposes, "inferred.npy");
  document.fact("status", status_text(result.status));
  if (result.rank) document.fact("rank", *result.rank);
  if (result.released && result.released->known) document.fact("known", *result.released->known);
  if (result.open) describe_public(*result.open, result.rank.has_value(), document);
  if (result.released && result.released->max_norm) {
    document.fact("max_norm", *result.released->max_norm);
  }
  if (result.largest_mean_error) document.quality("largest_mean_error", *result.largest_mean_error);
}

}  // namespace sotto
