#include <utility>

#include "sotto/report/describe.h"
#include "sotto/report/json_parts.h"

namespace sotto {

void describe(const DecomposeResult& result, ResultDocument& document) {
  const Decomposition& found = result.found;
  document.option("starts", result.power.starts)
      .option("iterations", result.power.iterations)
      .option("polish", result.power.polish)
      .option("tolerance", result.power.tolerance);
  document.input("dims", result.dims, "Dimensions");
  if (result.entries) document.input("entries", *result.entries);
  if (result.certificate) document.certificate(*result.certificate);
  document.weights(found.weights, "component");
  for (std::size_t mode = 0; mode < found.factors.size(); ++mode) {
    document.entry_cards(array_name(found, mode), found.factors[mode]);
  }
  document.fact("status", status_text(found.status));
  // A private run with noise on every iteration has none: a residual would need one more release.
  if (found.residuals.size() > 0) {
    document.component_column("diagnostics/residuals", list_of(found.residuals));
  }
  Json history = history_of(found);
  for (const HistoryPoint& h : found.history) history["active"].push_back(h.active);
  document.component_column("diagnostics/agreement", list_of(found.agreement))
      .component_column("diagnostics/iterations", found.iterations)
      .component_history(std::move(history));
  if (result.certificate) {
    document.fact("mechanism", mechanism_text(result.mechanism));
  } else {
    document.seconds("preparing", result.seconds_preparing).seconds(result.seconds);
  }
}

}  // namespace sotto
